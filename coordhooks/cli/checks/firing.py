"""When each hook was last seen firing, as far as what it did is on record: hooks write nothing down for this alone."""

import os
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from coordhooks.cli import show
from coordhooks.cli.checks import ledger, store
from coordhooks.cli.checks.finding import Finding, good, note
from coordhooks.cli.session import Session
from coordhooks.errors import LedgerError
from coordhooks.install.places import Places
from coordhooks.install.wishes import HARNESSES
from coordhooks.store import health, runtimes

CHECK = "last seen"
TRY = "`coord doctor --live` tries them"
Seen = dict[tuple[str, str], float]


def check(session: Session) -> Iterator[Finding]:
    now, heard, seen = 0.0, dict[str, float](), dict[tuple[str, str], float]()
    if store.readable(session):
        with session.transaction(readonly=True) as tx:
            now, heard = tx.now, dict(runtimes.last_heard(tx))
            seen = health.last_fired(tx)
        _from_ledger(session, seen)
    elif os.path.lexists(session.db.path):
        return  # nobody knows
    places = Places.here(dict(session.environ), session.cwd)
    for harness in HARNESSES.values():
        if harness.NAME in heard:
            yield _one(harness, heard[harness.NAME], seen, now)
        elif not harness.absent(places):
            yield note(
                CHECK,
                f"{harness.TITLE}: its hooks were never seen firing",
                remedy=TRY,
            )


def tried(findings: list[Finding]) -> list[Finding]:
    """The findings after a trial: nobody is sent to the trial that was just held."""
    for finding in findings:
        finding.remedy = "" if finding.remedy == TRY else finding.remedy
    return findings


def _one(harness: Any, heard: float, seen: Seen, now: float) -> Finding:
    events = [event for event, _ in harness.EVENTS]
    times = {event: seen[harness.NAME, event] for event in events if (harness.NAME, event) in seen}
    newest = sorted(times, key=times.__getitem__, reverse=True)
    told = ", ".join(f"{event} {show.span(now - times[event])}" for event in newest)
    rest = ", ".join(event for event in events if event not in times)
    says = f"{harness.TITLE}: some hook {show.span(now - heard)} ago"
    says += f"; by what they did: {told}" if told else ""
    return good(CHECK, f"{says}; no trace of: {rest}" if rest else says)


def _from_ledger(session: Session, seen: Seen) -> None:
    """A prompt makes a task, a subagent's start one below it."""
    from coordhooks.ledger import Ledger

    folder = ledger.place(session)
    if not os.path.isdir(folder):
        return
    try:
        with Ledger(folder) as opened:
            tasks = opened.tasks()
    except LedgerError:  # the check of the ledger says what is wrong with it
        return
    for task in tasks:
        if task["source"] in HARNESSES:
            key = (task["source"], "SubagentStart" if task["parent"] else "UserPromptSubmit")
            at = datetime.fromisoformat(task["created_at"]).timestamp()
            seen[key] = max(at, seen.get(key, at))
