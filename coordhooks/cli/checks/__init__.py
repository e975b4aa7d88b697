"""What the doctor looks at, one subject a file. Each check is a function that yields findings."""

from collections.abc import Callable, Iterator

from coordhooks.cli.checks import (
    claude_code,
    codex,
    coverage,
    failures,
    firing,
    harnesses,
    ledger,
    program,
    settings,
    state,
    store,
)
from coordhooks.cli.checks.finding import Finding, fault
from coordhooks.cli.session import Session
from coordhooks.errors import CoordError
from coordhooks.store.engine import Error

Check = Callable[[Session], Iterator[Finding]]

CHECKS: dict[str, Check] = {
    "program": program.check,
    "state folder": state.check,
    "store": store.check,
    "task ledger": ledger.check,
    "settings": settings.check,
    "harnesses": harnesses.check,
    "Claude Code": claude_code.check,
    "Codex": codex.check,
    "last seen": firing.check,
    "not covered": coverage.check,
    "failures": failures.check,
}

REPAIRS: tuple[Check, ...] = (state.repair, store.repair, ledger.repair)


def repaired(session: Session) -> list[Finding]:
    """What ``--fix`` put right; the checks afterwards see what is left."""
    return [finding for repair in REPAIRS for finding in _all_of("repair", repair, session)]


def everything(session: Session) -> list[Finding]:
    return [finding for name, check in CHECKS.items() for finding in _all_of(name, check, session)]


def _all_of(name: str, check: Check, session: Session) -> list[Finding]:
    """A check that fails is a finding itself, after those it made."""
    found = []
    try:
        for finding in check(session):
            found.append(finding)
    except (CoordError, OSError, Error) as error:
        found.append(fault(name, str(error)))
    return found
