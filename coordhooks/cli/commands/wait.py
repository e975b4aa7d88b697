"""Waiting until names are free, never in a circle."""

import time

import click

from coordhooks.cli import claims, names, show, whoami
from coordhooks.cli.options import DURATION, acting
from coordhooks.cli.session import Refused, Session
from coordhooks.handlers import texts
from coordhooks.handlers.inbox import name_of
from coordhooks.store import leases, runtimes, waits
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row
from coordhooks.store.overlap import Want

TIMEOUT = 100.0  # seconds: the shells of harnesses have limits of their own
FIRST_PAUSE, LAST_PAUSE, GROWTH = 0.05, 0.5, 1.5
STILL_HELD = 3


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="NAME...")
@click.option("--timeout", type=DURATION, default=TIMEOUT, help="100s if not given.")
@click.option("--claim", is_flag=True, help="Claim it at the moment when it is free.")
@acting
def wait(session: Session, words: tuple[str, ...], timeout: float, claim: bool) -> None:
    """Wait until all NAMEs are free. Exit 0: free; 1: you would wait in a circle; 3: still held."""
    wanted = names.wants(session, words)
    with session.transaction() as tx:
        me = whoami.me(tx, session)["runtime_id"]
    give_up = time.monotonic() + timeout
    pause = FIRST_PAUSE
    while held := _look(session, me, wanted, claim):
        left = give_up - time.monotonic()
        if left <= 0:
            raise _still_held(session, held, timeout)
        time.sleep(min(pause, left))
        pause = min(pause * GROWTH, LAST_PAUSE)
    show.say("\n".join(f"{'claimed' if claim else 'free:'} {word}" for word in words))


def _look(session: Session, runtime_id: str, wanted: list[Want], claim: bool) -> list[claims.Facts]:
    """What still stands in the way, remembered as a wait; nothing does: it is claimed, if asked."""
    circle = ""
    with session.transaction() as tx:
        me = runtimes.require_live(tx, runtime_id)
        found = {want: leases.conflicts(tx, me["runtime_id"], [want], leases.EXCLUSIVE) for want in wanted}
        held = [row for rows in found.values() for row in rows]
        if not held:
            _got(tx, me, wanted, claim)
            return []
        circle = _circle(tx, session, me, held)
        if not circle:
            _enlist(tx, me, found)
        facts = [leases.describe(tx, row) for row in held]
    if circle:
        raise Refused(circle)
    return facts


def _got(tx: Transaction, me: Row, wanted: list[Want], claim: bool) -> None:
    if claim:
        claims.take(tx, me, wanted)
    for want in wanted:
        waits.settle(tx, me["runtime_id"], want)


def _enlist(tx: Transaction, me: Row, found: dict[Want, list[Row]]) -> None:
    """An agent's wait is known to others, and to its own hooks, which tell it when the name is free."""
    if me["runtime_id"] in runtimes.PERSONS:
        return
    for want, rows in found.items():
        for row in rows[:1]:
            waits.enlist(tx, me["runtime_id"], want, row["runtime_id"], me["turn_id"])


def _circle(tx: Transaction, session: Session, me: Row, held: list[Row]) -> str:
    """Why this wait would never end, and what to release; empty if it may end."""
    for row in held:
        members = waits.circle(tx, me["runtime_id"], row["runtime_id"])
        if members:
            tx.audit("circle_found", me["runtime_id"], members=members)
            return _circle_text(session, [name_of(tx, m) for m in members], _needed(tx, me, members))
    return ""


def _circle_text(session: Session, called: list[str], needed: list[Row]) -> str:
    around = " waits for ".join(["you", *called[:-1], "you"]).replace("you waits", "you would wait", 1)
    typed = [texts.shell_word(names.shown(session, row)) for row in needed]
    return (
        f"Not waiting, because it would never end: {around}. Finish or revert {', '.join(typed) or 'what you hold'},"
        f" run `coord release {' '.join(typed) or '--all'}`, then wait again."
    )


def _needed(tx: Transaction, me: Row, members: list[str]) -> list[Row]:
    """What the caller holds that the one before it in the circle waits for."""
    before = members[-2] if len(members) > 1 else members[0]
    return [
        lease
        for row in waits.of(tx, before)
        for lease in leases.conflicts(tx, before, [waits.wanted(row)], leases.EXCLUSIVE)
        if lease["runtime_id"] == me["runtime_id"]
    ]


def _still_held(session: Session, held: list[claims.Facts], timeout: float) -> Refused:
    lines = [claims.conflict_line(session, facts) for facts in held]
    return Refused(
        f"still held after {show.span(timeout)}: {'; '.join(lines)}. Go on with other work: an agent is told when it"
        " is free; or wait again.",
        STILL_HELD,
    )
