"""The audit: what changed, when and by whom."""

import sys
import time

import click

from coordhooks import quoting
from coordhooks.cli import show
from coordhooks.cli.options import as_json, here
from coordhooks.cli.session import Session
from coordhooks.fastjson import dumps
from coordhooks.store import audit as store

LATEST = 50  # events, where nobody says from where on
PAUSE = 0.5  # seconds between two looks
Event = dict[str, object]


@click.command()
@click.option("--export", "destination", metavar="FILE", help="Write JSON Lines to FILE (`-` is stdout).")
@click.option("--after", type=int, metavar="N", help="Only events after this id.")
@click.option("--follow", is_flag=True, help="Go on with new ones until Ctrl-C.")
@as_json
@here
def audit(session: Session, destination: str | None, after: int | None, follow: bool, as_json: bool) -> None:
    """Show the audit, the newest events last."""
    if destination:
        _export(session, destination, after or 0)
        return
    events = _events(session, after)
    if as_json and not follow:
        show.as_json(events)
        return
    while True:
        for event in events:
            show.write((dumps(event) if as_json else quoting.clean(_line(event))) + "\n")
        if not follow:
            return
        after = _last(events, after)
        time.sleep(PAUSE)
        events = _events(session, after)


def _export(session: Session, destination: str, after: int) -> None:
    if destination == "-":
        store.export(session.db, sys.stdout, after, False)
        return
    written = store.export(session.db, destination, after, False)
    show.say(f"wrote {written} events to {destination}")


def _events(session: Session, after: int | None) -> list[Event]:
    with session.transaction(readonly=True) as tx:
        rows = store.latest(tx, LATEST) if after is None else store.events(tx, after)
    return [_open(store.without_secrets(store.public(row))) for row in rows]


def _open(event: object) -> Event:
    return event if isinstance(event, dict) else {}


def _last(events: list[Event], after: int | None) -> int:
    last = events[-1]["event_id"] if events else after
    return last if isinstance(last, int) else 0


def _line(event: Event) -> str:
    at = event["at"] if isinstance(event["at"], float) else None
    moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
    return f"{event['event_id']}  {moment}  {event['event']}  {event['runtime_id'] or '-'}  {dumps(event['details'])}"
