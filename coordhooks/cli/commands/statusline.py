"""One line for Claude Code's status line, which gives the session as JSON on stdin. It never fails, it only says less."""

import sys

import click

from coordhooks.cli import agents, show, whoami
from coordhooks.cli.session import Session
from coordhooks.errors import CoordError
from coordhooks.fastjson import loads
from coordhooks.store import leases, messages, runtimes, settings
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

MAX_INPUT = 1 << 20


@click.command()
def statusline() -> None:
    """Print who else is here, what they hold, and what is unread, on one line."""
    told = _told()
    try:
        session = Session.here()
        with session.transaction() as tx:
            line = _line(tx, session, _me(tx, session, told))
    except CoordError as error:
        line = f"coord: {error}"
    show.say(line.replace("\n", " "))


def _told() -> dict[str, object]:
    """What the harness says of the session; nothing at a terminal or where it is no JSON."""
    if sys.stdin.isatty():
        return {}
    try:
        said = loads(sys.stdin.buffer.read(MAX_INPUT).decode("utf-8", "replace"))
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _me(tx: Transaction, session: Session, told: dict[str, object]) -> Row | None:
    known = runtimes.newest_live(tx, str(told["session_id"])) if told.get("session_id") else None
    if known is not None:
        return known
    try:
        return whoami.me(tx, session)
    except CoordError:
        return None


def _line(tx: Transaction, session: Session, me: Row | None) -> str:
    mine = None if me is None else me["runtime_id"]
    project = session.project if me is None or not me["project"] else me["project"]
    own = [] if mine is None else runtimes.kin(tx, mine)
    others = [row for row in runtimes.live_rows(tx, project) if row["runtime_id"] not in own]
    held = [row for row in leases.active(tx, project) if row["runtime_id"] not in own]
    unread = 0 if mine is None else messages.counts(tx, mine)["queued"]
    parts = [agents.called(me) if me is not None else "coord"]
    if settings.off_until(tx, project) is not None or session.environ.get("COORD_OFF") == "1":
        parts.append("OFF")
    for count, word in ((len(others), "others here"), (len(held), "held by them"), (unread, "unread")):
        if count:
            parts.append(f"{count} {word}")
    return " · ".join(parts)
