"""What hooks recorded as *could not tell* and no session has been shown yet."""

import os
from collections.abc import Iterator

from coordhooks.cli.checks.finding import Finding, good, note
from coordhooks.cli.session import Session
from coordhooks.failures import PROBLEMS
from coordhooks.fastjson import loads

CHECK = "failures"


def check(session: Session) -> Iterator[Finding]:
    path = os.path.join(session.state_dir, PROBLEMS)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except (FileNotFoundError, NotADirectoryError):
        lines = []
    if lines:
        says = f"{len(lines)} not told yet, the last one: {_reason(lines[-1])}"
        yield note(CHECK, says, file=path, remedy="they are told at the next prompt, and kept: `coord audit`")
    else:
        yield good(CHECK, "none that nobody was told of")


def _reason(line: str) -> str:
    """What a recorded failure says, without the rest of its record."""
    try:
        fact = loads(line)
    except ValueError:
        return line[:200]
    return str(fact.get("reason", "")) if isinstance(fact, dict) else line[:200]
