"""What a hook costs: the installed command, /bin/sh included, against the bare interpreter that it runs on.

All variants take turns in one run, so that a busy moment of the machine meets each of them. The process of the
benchmark plays the harness. BENCH_ROUNDS sets how often each variant runs (40 if not given).
"""

import compileall
import json
import os
import platform
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from coordhooks.install.command import handler
from coordhooks.paths import repository_of
from coordhooks.process import Here, identity
from coordhooks.store import CoordStore

ROOT = Path(__file__).parents[1]
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "40"))
WARM_UP = 3
LEASES = (0, 1_000, 100_000)
PATH = "/usr/bin:/bin"

Variant = tuple[str, Callable[[int], float]]


class Machine:
    """A home with a store in which another live agent holds so many files, and a repository to work in."""

    def __init__(self, folder: Path, leases: int) -> None:
        self.home = folder / f"home-{leases}"
        self.repo = self.home / "repo"
        (self.repo / ".git").mkdir(parents=True)
        (self.repo / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        self.database = self.home / ".local/state/coordhooks/coord.sqlite3"
        self.environ = {
            "PATH": PATH,
            "HOME": str(self.home),
            "CLAUDE_PID": str(os.getpid()),
            "AI_AGENT": "claude-code_bench_harness",
        }
        self.fire("SessionStart", source="startup")
        self.fire("UserPromptSubmit", prompt="Work", prompt_id="p1")
        self.other = self._other_agent()
        self._fill(leases)

    def _other_agent(self) -> str:
        """A live agent in a process of its own: this one's parent will do."""
        tree, project = repository_of(str(self.repo), is_folder=True)
        store = CoordStore(self.database)
        process = identity(os.getppid(), Here())
        other = store.register_instance(
            "other", harness="claude-code", project=project, tree=tree, process=process
        )
        store.claim(other, ["held.py"], tree=tree)
        store.close()
        return other

    def _fill(self, count: int) -> None:
        """Leases like that one, on so many other files."""
        connection = sqlite3.connect(self.database)
        connection.row_factory = sqlite3.Row
        (row,) = connection.execute("SELECT * FROM leases")
        names = [name for name in row.keys() if name != "lease_id"]  # noqa: SIM118
        template = {name: row[name] for name in names}

        def copies() -> Any:
            for number in range(count):
                rel = f"pkg{number // 100}/mod{number}.py"
                path = os.fsencode(f"{self.repo}/{rel}")
                yield {**template, "key": path, "path": path, "rel": os.fsencode(f"/{rel}")}

        marks = ", ".join(f":{name}" for name in names)
        with connection:
            connection.executemany(f"INSERT INTO leases({', '.join(names)}) VALUES ({marks})", copies())
        connection.close()

    def fire(self, event: str, tool_class: str = "", **fields: object) -> float:
        """Run the installed command of one hook; how long it took, in seconds."""
        words = [
            "--harness",
            "claude-code",
            "--event",
            event,
            *(["--class", tool_class] if tool_class else []),
        ]
        entry = handler(sys.executable, str(ROOT), *words)
        payload = {
            "session_id": "bench",
            "cwd": str(self.repo),
            "hook_event_name": event,
            "prompt_id": "p1",
            **fields,
        }
        return timed([entry["command"], *entry["args"]], self.environ, json.dumps(payload).encode())

    def write(self, name: str, call: str, event: str = "PreToolUse", session_id: str = "bench") -> float:
        tool_input = {"file_path": str(self.repo / name), "content": "x" * 2000}
        return self.fire(
            event, "file", session_id=session_id, tool_name="Write", tool_input=tool_input, tool_use_id=call
        )


def timed(command: list[str], environ: dict[str, str], payload: bytes = b"") -> float:
    began = time.perf_counter()
    subprocess.run(command, env=environ, input=payload, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def bare(_round: int) -> float:
    return timed([sys.executable, "-I", "-S", "-B", "-c", "pass"], {"PATH": PATH})


def variants(machines: dict[int, Machine]) -> list[Variant]:
    empty = machines[0]
    found: list[Variant] = [("bare interpreter", bare)]
    for count, machine in machines.items():
        name = f"PreToolUse, a permitted write, {count:,} leases of others"
        found.append((name, lambda n, m=machine: m.write(f"src/{n}.py", f"call-{n}")))  # type: ignore[misc]
    return [
        *found,
        ("PreToolUse, the same file again", lambda n: empty.write("src/again.py", f"again-{n}")),
        (
            "PreToolUse, the first of its session",
            lambda n: empty.write(f"new/{n}.py", "c", session_id=f"new-{n}"),
        ),
        ("PreToolUse, a refusal", lambda n: empty.write("held.py", f"held-{n}")),
        (
            "PreToolUse, a shell call",
            lambda n: empty.fire(
                "PreToolUse", "shell", tool_name="Bash", tool_input={}, tool_use_id=f"shell-{n}"
            ),
        ),
        ("PostToolUse of a write", lambda n: empty.write(f"src/{n}.py", f"call-{n}", "PostToolUse")),
    ]


def main() -> None:
    """Print the table in Markdown."""
    with tempfile.TemporaryDirectory(prefix="coordhooks-bench-") as folder:
        compileall.compile_dir(ROOT / "coordhooks", quiet=1)  # hooks write no pyc files, the installer does
        print(f"hook: {ROUNDS} rounds", file=sys.stderr)
        machines = {count: Machine(Path(folder), count) for count in LEASES}
        taken: dict[str, list[float]] = {}
        chosen = variants(machines)
        for number in range(ROUNDS + WARM_UP):
            for name, run in chosen:
                seconds = run(number)
                if number >= WARM_UP:
                    taken.setdefault(name, []).append(seconds)
    print(table(taken))


def table(taken: dict[str, list[float]]) -> str:
    """Medians and 95th percentiles over the bare interpreter's own median and percentile."""
    base = taken.pop("bare interpreter")
    lines = [
        "## Hooks\n",
        f"The installed command against `python -I -S -B -c pass` (= 1.0; here {statistics.median(base) * 1000:.0f} ms"
        f" at the median, {percentile(base) * 1000:.0f} ms at the 95th percentile), {len(base)} rounds, interleaved,"
        f" CPython {platform.python_version()}.\n",
        "| hook | median | p95 |",
        "| --- | ---: | ---: |",
    ]
    for name, times in taken.items():
        median = statistics.median(times) / statistics.median(base)
        lines.append(f"| {name} | {median:.2f} | {percentile(times) / percentile(base):.2f} |")
    return "\n".join([*lines, ""])


def percentile(times: list[float]) -> float:
    return sorted(times)[min(len(times) - 1, round(len(times) * 0.95))]


if __name__ == "__main__":
    main()
