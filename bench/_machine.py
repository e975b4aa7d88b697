"""A machine to measure on: the program as installing leaves it, a home, a repository, and as many rows as one likes."""

import compileall
import importlib.util
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench._clock import Run, Started
from coordhooks.install import bundle
from coordhooks.install.command import handler
from coordhooks.paths import repository_of
from coordhooks.process import Here, identity
from coordhooks.store import CoordStore

ROOT = Path(__file__).parents[1]
PATH = "/usr/bin:/bin"
PACKAGES = ("tree_sitter", "tree_sitter_bash")
BARE = [sys.executable, "-I", "-S", "-B", "-c", "pass"]
CONTENT = "x" * 2000
Record = dict[str, Any]


def site(folder: Path) -> Path:
    """The program as in an installed environment: compiled, its hooks' modules in one file beside it."""
    found = folder / "site"
    for part, name in {
        "coordhooks": ".",
        "hooks": "_hooks",
        "schemas": "_schemas",
        "skills": "_skills",
    }.items():
        shutil.copytree(
            ROOT / part, found / "coordhooks" / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        assert spec is not None
        (found / package).symlink_to(Path(str(spec.origin)).parent)
    compileall.compile_dir(found / "coordhooks", quiet=1)
    bundle.write(str(found))
    return found


class Machine:
    """A home of its own with an agent, ``bench``, in a real repository, beside another one that holds ``held.py``."""

    def __init__(self, folder: Path, program: Path) -> None:
        self.program = program
        self.home = folder
        self.repo = folder / "repo"
        self.environ = {
            "PATH": PATH,
            "HOME": str(folder),
            "CLAUDE_PID": str(os.getpid()),
            "AI_AGENT": "claude-code_bench_harness",
        }
        self._make_repository()
        self.state = folder / ".local/state/coordhooks"
        self.fire("SessionStart", source="startup")
        self.prompt("bench")
        self.other = self._other_agent()

    def _make_repository(self) -> None:
        (self.repo / "src").mkdir(parents=True)
        (self.repo / "src" / "f.py").write_text("a = 1\n")
        author = ["-c", "user.name=Bench", "-c", "user.email=bench@localhost"]
        for words in (
            ["init", "--quiet"],
            ["add", "."],
            [*author, "commit", "--quiet", "--message", "Begin"],
        ):
            subprocess.run(["git", "-C", str(self.repo), *words], env=self.environ, check=True)

    def _other_agent(self) -> str:
        """A live agent in a process of its own: this one's parent will do."""
        tree, project = repository_of(str(self.repo), is_folder=True)
        store = CoordStore(self.state / "coord.sqlite3")
        other = store.register_instance(
            "other", harness="claude-code", project=project, tree=tree, process=identity(os.getppid(), Here())
        )
        store.claim(other, ["held.py"], tree=tree)
        store.close()
        return other

    # -- what fills it ------------------------------------------------------------------------------------

    def leases(self, count: int) -> "Machine":
        """The other agent holds so many more files."""

        def copies(row: Record) -> Iterator[Record]:
            for number in range(count):
                rel = f"pkg{number // 100}/mod{number}.py"
                path = os.fsencode(f"{self.repo}/{rel}")
                yield {**row, "lease_id": None, "key": path, "path": path, "rel": os.fsencode(f"/{rel}")}

        return self._fill("leases", copies)

    def runtimes(self, count: int) -> "Machine":
        """So many more live agents in this project."""

        def copies(row: Record) -> Iterator[Record]:
            for number in range(count):
                name = f"agent-{number}"
                yield {
                    **row,
                    "runtime_id": name,
                    "conversation_id": name,
                    "handle": name,
                    "conversation_handle": name,
                }

        return self._fill("runtimes", copies, "runtime_id = ?", self.other)

    def messages(self, count: int) -> "Machine":
        """So many messages: half were read here long ago, half wait for the other agent."""
        numbers = range(count)
        connection = sqlite3.connect(self.state / "coord.sqlite3")
        ((me,),) = connection.execute("SELECT runtime_id FROM runtimes WHERE conversation_id = 'bench'")
        with connection:
            connection.executemany(
                "INSERT INTO messages(message_id, sender, kind, body, refs, created_at) VALUES (?, ?, 'fyi', ?, '[]', ?)",
                ((f"{number:032x}", self.other, f"Message {number}", number) for number in numbers),
            )
            connection.executemany(
                "INSERT INTO deliveries(message_id, runtime_id, state, created_at) VALUES (?, ?, ?, ?)",
                (
                    (f"{number:032x}", *((me, "acked") if number % 2 else (self.other, "queued")), number)
                    for number in numbers
                ),
            )
        connection.close()
        return self

    def _fill(self, table: str, copies: Any, where: str = "1 = 1", *values: object) -> "Machine":
        connection = sqlite3.connect(self.state / "coord.sqlite3")
        connection.row_factory = sqlite3.Row
        row = dict(connection.execute(f"SELECT * FROM {table} WHERE {where}", values).fetchone())
        marks = ", ".join(f":{name}" for name in row)
        with connection:
            connection.executemany(f"INSERT INTO {table}({', '.join(row)}) VALUES ({marks})", copies(row))
        connection.close()
        return self

    # -- what happens on it -------------------------------------------------------------------------------

    def entry(self, event: str, tool_class: str = "") -> list[str]:
        """The command of a hook as the installer writes it."""
        words = ["--harness", "claude-code", "--event", event]
        made = handler(
            sys.executable, str(self.program), *words, *(["--class", tool_class] if tool_class else [])
        )
        return [made["command"], *made["args"]]

    def without_shell(self, event: str, tool_class: str) -> list[str]:
        """The command that the shell in front becomes."""
        boot = str(self.program / "coordhooks/_hooks/boot.py")
        return [
            sys.executable,
            "-I",
            "-S",
            "-B",
            boot,
            str(self.program),
            "gone",
            *self.entry(event, tool_class)[6:],
        ]

    def payload(self, event: str, **fields: object) -> bytes:
        return payload_in(self.repo, event, **fields)

    def fire(self, event: str, tool_class: str = "", **fields: object) -> Run:
        """Run the installed command of one hook to its end."""
        return Started(self.entry(event, tool_class), self.environ, self.payload(event, **fields)).ended()

    def prompt(self, session_id: str) -> Run:
        return self.fire("UserPromptSubmit", session_id=session_id, prompt="Work")

    def written(self, name: str, call: str, event: str = "PreToolUse", **fields: object) -> bytes:
        """The payload of a Write."""
        return written_in(self.repo, name, call, event, **fields)

    def write(self, name: str, call: str, event: str = "PreToolUse", **fields: object) -> Run:
        """Fire for a Write, which is permitted: nothing is said."""
        command = self.entry(event, "file")
        return silent(Started(command, self.environ, self.written(name, call, event, **fields)).ended())

    def shell(self, line: str, call: str) -> Run:
        fields = {"tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": call}
        return self.fire("PreToolUse", "shell", **fields)


def payload_in(repo: Path, event: str, **fields: object) -> bytes:
    said = {"session_id": "bench", "cwd": str(repo), "hook_event_name": event, "prompt_id": "p1", **fields}
    return json.dumps(said).encode()


def written_in(repo: Path, name: str, call: str, event: str = "PreToolUse", **fields: object) -> bytes:
    tool_input = {"file_path": str(repo / name), "content": CONTENT}
    return payload_in(repo, event, tool_name="Write", tool_input=tool_input, tool_use_id=call, **fields)


def silent(run: Run) -> Run:
    """A benchmark of a hook that fails would flatter it."""
    assert not run.said, run.said
    return run


def refused(run: Run) -> Run:
    assert b'"deny"' in run.said, run.said
    return run
