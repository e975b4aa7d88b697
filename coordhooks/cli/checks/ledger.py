"""The task ledger: its whole log is replayed. What was torn or behind is in order after that."""

import os
import time
from collections.abc import Iterator

from coordhooks.cli.checks.finding import Finding, fault, good, note
from coordhooks.cli.session import Session
from coordhooks.errors import Invalid
from coordhooks.store import health

CHECK = "task ledger"
FIX = "`coord doctor --fix` sets the folder aside and begins a new one; look at it with `coord log` before"


def check(session: Session) -> Iterator[Finding]:
    from coordhooks.ledger import Ledger

    folder = place(session)
    if not os.path.isdir(folder):
        return
    try:
        with Ledger(folder) as ledger:
            was_right = ledger.verify()
            for notice in ledger.notices:
                yield note(CHECK, notice, file=folder)
    except Invalid as error:
        yield fault(CHECK, f"its log is damaged, so no task is recorded: {error}", file=folder, remedy=FIX)
        return
    yield good(CHECK, f"sound{'' if was_right else '; its cache was wrong and is made anew'}", file=folder)


def repair(session: Session) -> Iterator[Finding]:
    """Set a ledger aside whose log is damaged in the middle: nothing could ever be added to it."""
    if any(finding.ok is False for finding in check(session)):
        folder = health.move_aside(place(session), time.strftime("%Y%m%dT%H%M%S"))
        yield good("repair", "the damaged ledger is kept in this folder; a new one begins", file=folder)


def place(session: Session) -> str:
    from coordhooks.cli import tasks

    return tasks.folder(session)
