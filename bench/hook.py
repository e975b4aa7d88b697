"""What a hook costs: the installed command, /bin/sh included, against the bare interpreter that it runs on.

The process of the benchmark plays the harness. BENCH_ROUNDS sets how often each variant runs (40 if not given),
BENCH_EVENTS how long the task log is that lies beside (1,000,000).
"""

import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import ledger
from bench._clock import (
    HEAD,
    ROUNDS,
    Run,
    Started,
    Taken,
    Variant,
    Variants,
    cpu_median,
    crowd,
    interleaved,
    percentile,
    row,
    run,
)
from bench._machine import BARE, PATH, Machine, refused, silent, site

LEASES = (0, 1_000, 10_000, 100_000)
CROWD = 16
BARE_NAME, BARE_CROWD = "bare interpreter", f"{CROWD} bare interpreters at once"
SHELL_CALLS = ("git status", "ls", "npm test", "echo x > f", "sed -i s/a/b/ src/f.py", "git commit -m Done")
ENVIRON = {"PATH": PATH}


def main() -> None:
    """Print the table in Markdown."""
    with tempfile.TemporaryDirectory(prefix="coordhooks-bench-") as folder:
        harnesses = [subprocess.Popen(["/bin/sleep", "86400"]) for _ in range(CROWD)]
        try:
            print(table(interleaved(variants(Path(folder), [harness.pid for harness in harnesses]))))
        finally:
            for harness in harnesses:
                harness.kill()
                harness.wait()


def variants(folder: Path, harnesses: list[int]) -> Variants:
    """All that is measured, by the names of the rows."""
    program = site(folder)
    plain = Machine(folder / "plain", program)
    return {
        BARE_NAME: lambda _: run(BARE, ENVIRON),
        "/bin/sh alone": lambda _: run(["/bin/sh", "-c", ":"], ENVIRON),
        **full(folder, program),
        "the same without /bin/sh": without_shell(Machine(folder / "no-shell", program)),
        **alone(plain),
        **shell_calls(Machine(folder / "shell", program)),
        BARE_CROWD: lambda _: crowd([Started(BARE, ENVIRON) for _ in range(CROWD)]),
        f"PreToolUse, {CROWD} agents at once": together(Machine(folder / "crowd", program), harnesses),
    }


def full(folder: Path, program: Path) -> Variants:
    """A permitted write beside more and more of everything."""

    def fresh(name: str) -> Machine:
        return Machine(folder / name, program)

    machines = {f"{count:,} leases of others": fresh(f"leases-{count}").leases(count) for count in LEASES}
    machines["100,000 messages"] = fresh("messages").messages(100_000)
    machines["1,000 live agents"] = fresh("runtimes").runtimes(1_000)
    events = int(os.environ.get("BENCH_EVENTS", ledger.LARGE))
    machines[f"a log of {events:,} events"] = logged = fresh("log")
    ledger.write_log(folder / "long", events)
    os.replace(folder / "long" / "events.jsonl", logged.state / "ledger" / "events.jsonl")
    return {
        f"PreToolUse, a permitted write, {name}": fresh_file(machine) for name, machine in machines.items()
    }


def fresh_file(machine: Machine) -> Variant:
    return lambda number: machine.write(f"src/{number}.py", f"call-{number}")


def alone(plain: Machine) -> Variants:
    """The other moments of a file tool's call, and of a turn."""

    def stop(number: int) -> Run:
        plain.prompt("turns")
        return plain.fire(
            "Stop", session_id="turns", stop_hook_active=False, last_assistant_message=f"Done {number}"
        )

    return {
        "PreToolUse, the same file again": lambda n: plain.write("src/again.py", f"again-{n}"),
        "PreToolUse, the first of its session": lambda n: plain.write(
            f"new/{n}.py", "c", session_id=f"new-{n}"
        ),
        "PreToolUse, a refusal": lambda n: refused(
            run(plain.entry("PreToolUse", "file"), plain.environ, plain.written("held.py", f"held-{n}"))
        ),
        "PostToolUse of a write": lambda n: plain.write(f"src/{n}.py", f"call-{n}", "PostToolUse"),
        "Stop": stop,
    }


def without_shell(machine: Machine) -> Variant:
    command = machine.without_shell("PreToolUse", "file")
    return lambda number: silent(
        run(command, machine.environ, machine.written(f"src/{number}.py", f"call-{number}"))
    )


def shell_calls(machine: Machine) -> Variants:
    return {f"PreToolUse of `{line}`": shell_call(machine, line) for line in SHELL_CALLS}


def shell_call(machine: Machine, line: str) -> Variant:
    return lambda number: machine.shell(line, f"{line}-{number}")


def together(machine: Machine, harnesses: list[int]) -> Variant:
    """Each with a session and a process of its own."""
    environs = [machine.environ | {"CLAUDE_PID": str(pid)} for pid in harnesses]
    command = machine.entry("PreToolUse", "file")

    def write(number: int) -> Run:
        return silent(
            crowd([
                Started(command, environ, machine.written(f"{who}/{number}.py", f"{who}-{number}", session_id=f"agent-{who}"))
                for who, environ in enumerate(environs)
            ])
        )  # fmt: skip

    return write


def table(taken: Taken) -> str:
    base, many = taken.pop(BARE_NAME), taken.pop(BARE_CROWD)
    walls = [one.wall for one in base]
    lines = [
        "## Hooks\n",
        f"The installed command against `python -I -S -B -c pass` (= 1.0; here {statistics.median(walls) * 1000:.0f} ms"
        f" at the median, {percentile(walls) * 1000:.0f} ms at the 95th percentile, {cpu_median(base) * 1000:.0f} ms of"
        f" CPU). {ROUNDS} rounds, interleaved, CPython {platform.python_version()}, {sys.platform},"
        f" {os.cpu_count()} cores. The last row is against {CROWD} bare interpreters at once.\n",
        HEAD.format("hook"),
        row(BARE_NAME, base, base),
    ]
    for name, runs in taken.items():
        lines.append(row(name, runs, many if f"{CROWD} agents" in name else base))
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
