"""System calls of a hook, and what can be done to each of them: ``strace`` makes one fail or kills at it."""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

BEFORE_THE_STORE = (
    40  # one in so many of the calls before the state folder is named, where nothing can break yet
)

# The calls that need room on the disk, as far as hooks make them.
FILLING = (
    "pwrite64",
    "write",
    "fsync",
    "fdatasync",
    "ftruncate",
    "fallocate",
    "mkdir",
    "link",
    "rename",
    "openat",
)
LASTING = (
    "pwrite64",
    "ftruncate",
    "fallocate",
    "fsync",
    "fdatasync",
)  # fail from then on; files alone have these


class Call(NamedTuple):
    """The ``number``-th call of this ``name`` in a process, from 1, as strace counts them."""

    name: str
    number: int
    text: str


def prefix(out: Path, *options: str) -> tuple[str, ...]:
    """The command that runs a hook under strace, which writes what it saw to ``out``."""
    return ("strace", "-f", "-qq", "-y", "-s", "0", "-o", str(out), *options)


def kill_at(out: Path, call: Call) -> tuple[str, ...]:
    """SIGKILL before the call is carried out."""
    return _inject(out, call, "signal=KILL", "")


def stop_at(out: Path, call: Call) -> tuple[str, ...]:
    """SIGSTOP before the call is carried out."""
    return _inject(out, call, "signal=STOP", "")


def fail_at(out: Path, call: Call, error: str) -> tuple[str, ...]:
    """The call fails, and so do all later ones of its name that only files know."""
    return _inject(out, call, f"error={error}", "+" if call.name in LASTING else "")


def _inject(out: Path, call: Call, what: str, later: str) -> tuple[str, ...]:
    rule = f"inject={call.name}:{what}:when={call.number}{later}"
    return prefix(out, "-e", f"trace={call.name}", "-e", rule)


def read(out: Path) -> list[Call]:
    """The calls of the process that was traced, in order."""
    seen: Counter[str] = Counter()
    calls = []
    for line in out.read_text(encoding="utf-8", errors="replace").splitlines():
        if match := re.match(r"\d+\s+(\w+)\(", line):
            seen[match[1]] += 1
            calls.append(Call(match[1], seen[match[1]], line))
    return calls


def at_the_store(calls: list[Call], folder: Path) -> list[Call]:
    """Every call from the first on that names the folder, and a few of those before."""
    first = next(index for index, call in enumerate(calls) if str(folder) in call.text)
    return calls[:first:BEFORE_THE_STORE] + [call for call in calls[first:] if call.name != "exit_group"]


def filling(calls: list[Call], folder: Path) -> list[Call]:
    """The calls that write below the folder, or make something there."""
    return [
        call
        for call in calls
        if call.name in FILLING
        and str(folder) in call.text
        and (call.name != "openat" or "O_CREAT" in call.text)
    ]


def sample(calls: list[Call], wanted: int) -> list[Call]:
    """``wanted`` of the calls, evenly spread, the last ones always: there a change becomes lasting."""
    step = max(1, -(-len(calls) // wanted))
    return calls[::-1][::step][::-1]


def works() -> bool:
    """May a process be traced here?"""
    if shutil.which("strace") is None:
        return False
    command = ["strace", "-f", "-o", "/dev/null", "-e", "inject=getppid:error=EPERM", "true"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


needs_strace = pytest.mark.skipif(not works(), reason="needs strace, and the right to trace a process")
