"""After the fact: did a call change a file that somebody else holds? What no parser saw before is seen then.

Before a call whose writes can't all be told, the files that others hold in its trees are noted; after it they are
compared, by content where the status differs. Nobody is blamed whose doing it need not have been: where the holder
was at work at that time, or another such call ran, the author is unknown.
"""

import os

from coordhooks import fingerprint
from coordhooks.fingerprint import Fingerprint
from coordhooks.handlers import attendance, inbox, texts
from coordhooks.handlers.guard import Plan
from coordhooks.model import Decision, Event
from coordhooks.paths import Folders, locate
from coordhooks.store import calls, leases, messages, runtimes, untold, watches, writes
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row
from coordhooks.store.overlap import FILES, encode, of_target

MAX_WATCHED = 200  # files that others hold, a call
CLOSE_BEFORE = (
    5.0  # seconds before the call in which a write of the holder's still counts as at the same time
)


# -- before the call ----------------------------------------------------------------------------------------


def watch(tx: Transaction, me: Row, event: Event, plan: Plan) -> None:
    """Note what the call itself will write, and what others hold in the trees that it may reach."""
    for target in plan.targets:
        if not target.folder:
            seen = fingerprint.of_status(target.path)  # whether it was written is all that is asked
            watches.put(
                tx, me["runtime_id"], event.call_id, encode(target.key), encode(target.path), "", seen
            )
    for lease in leases.of_runtime(tx, me["runtime_id"])[:MAX_WATCHED]:
        _watch_mine(tx, me, event, lease)
    held = _held_by_others(tx, me, plan)
    for lease in held[:MAX_WATCHED]:
        _watch_held(tx, me, event, lease)
    if len(held) > MAX_WATCHED:
        untold.count(tx, me["runtime_id"], "held files beyond the check")


def _watch_mine(tx: Transaction, me: Row, event: Event, lease: Row) -> None:
    """What the caller holds itself: a change of it by this call is its own work, though the command does not say so."""
    known = _known(tx, lease["key"], me["conversation_id"])
    if known is not None and lease["space"] == FILES:
        now = fingerprint.take(leases.shown(lease), known)
        watches.put(tx, me["runtime_id"], event.call_id, lease["key"], lease["path"], me["runtime_id"], now)


def _held_by_others(tx: Transaction, me: Row, plan: Plan) -> list[Row]:
    roots = {target.tree or target.path for target in plan.targets}
    roots |= {me["tree"]} if me["tree"] else set()
    found: dict[int, Row] = {}
    for root in sorted(roots):
        everything = of_target(locate(root, "/", folder=True))
        for row in leases.conflicts(tx, me["runtime_id"], [everything], leases.EXCLUSIVE):
            if row["space"] == FILES and not row["bounded"]:
                found[row["lease_id"]] = row
    return [row for row in found.values() if not os.path.isdir(leases.shown(row))]


def _watch_held(tx: Transaction, me: Row, event: Event, lease: Row) -> None:
    """One held file. If it is not as its holder left it, somebody has changed it already."""
    path, holder = leases.shown(lease), runtimes.get(tx, lease["runtime_id"])
    known = None if holder is None else _known(tx, lease["key"], holder["conversation_id"])
    now = fingerprint.take(path, known)
    if holder is not None and known is not None and _changed_unseen(tx, holder, lease["key"], known, now):
        _report(tx, me, holder, lease["key"], path, now, author=False)
    watches.put(tx, me["runtime_id"], event.call_id, lease["key"], lease["path"], lease["runtime_id"], now)


def _changed_unseen(tx: Transaction, holder: Row, key: bytes, known: Fingerprint, now: Fingerprint) -> bool:
    return (
        fingerprint.changed(known, now) is True
        and not writes.explains(tx, key, now)
        and not calls.any_open(tx, holder["runtime_id"])
    )


def _known(tx: Transaction, key: bytes, conversation_id: str) -> Fingerprint | None:
    row = writes.of_file(tx, key, conversation_id)
    return None if row is None else watches.seen(row)


# -- after it -----------------------------------------------------------------------------------------------


def check(tx: Transaction, me: Row, decision: Decision, call_id: str | None = None) -> None:
    """Compare what one call (or, without ``call_id``, every open one) may have changed, and tell who must know."""
    rows = watches.of_call(tx, me["runtime_id"], call_id)
    going_on = leases.keys(tx, me["runtime_id"], leases.BACKGROUND)
    among = Folders()
    for row in rows:
        if row["holder"] in ("", me["runtime_id"]):
            _own(tx, me, row, going_on, among)
    for row in rows:
        if row["holder"] not in ("", me["runtime_id"]):
            _foreign(tx, me, row, decision)
    watches.close(tx, me["runtime_id"], call_id)
    for row in rows:  # a command in the background has said that it writes this, and still may
        if not row["holder"] and row["key"] in going_on:
            watches.put(tx, me["runtime_id"], row["call_id"], row["key"], row["path"], "", watches.seen(row))


def _own(tx: Transaction, me: Row, row: Row, going_on: set[bytes], among: Folders) -> None:
    """What the call said it would write, or its caller holds, is its work if it is not as it was.

    Unless it did not say so and another call runs that may have done it: then that one's end will tell.
    """
    if row["holder"] and watches.others(tx, row["key"], me["runtime_id"]):
        return
    path = watches.path_of(row)
    absent = watches.seen(row).size is None and not os.path.lexists(path)
    if absent and row["key"] in going_on:
        return
    if absent or os.path.isdir(
        path
    ):  # held on, it would keep others from what nobody has, or from a folder's inside
        leases.release_made(tx, me["runtime_id"], row["key"])
    elif fingerprint.of_status(path).status != watches.seen(row).status:
        writes.record(tx, me, locate(path, "/", follow=False, among=among))


def _foreign(tx: Transaction, me: Row, row: Row, decision: Decision) -> None:
    holder = runtimes.get(tx, row["holder"])
    path, before = watches.path_of(row), watches.seen(row)
    now = fingerprint.take(path, before)
    differs = fingerprint.changed(before, now)
    if differs is False or holder is None or writes.explains(tx, row["key"], now):
        return
    if differs is None:
        untold.count(tx, me["runtime_id"], "held files beyond the check")
        return
    others = watches.others(tx, row["key"], me["runtime_id"])
    if any(other["runtime_id"] == row["holder"] and not other["holder"] for other in others):
        return  # the holder's own command, still running, said that it writes this file
    author = not others and not _at_work(tx, holder, row["key"], row["at"])
    _report(tx, me, holder, row["key"], path, now, author=author)
    said = texts.breached if author else texts.changed
    inbox.add(decision, said(_short(path, me), inbox.name_of(tx, holder["runtime_id"])))


def _at_work(tx: Transaction, holder: Row, key: bytes, since: float) -> bool:
    """Was the holder itself doing something in the window, so that it may have been its own doing?"""
    if calls.any_open(tx, holder["runtime_id"]) or holder["heartbeat_at"] >= since - attendance.BEAT:
        return True
    own = writes.of_file(tx, key, holder["conversation_id"])
    return own is not None and bool(own["at"] >= since - CLOSE_BEFORE)


def _report(
    tx: Transaction, me: Row, holder: Row, key: bytes, path: str, now: Fingerprint, *, author: bool
) -> None:
    """Tell the holder, and the record; from now on everyone compares with what the file is now."""
    tx.audit("breach", me["runtime_id"], path=path, holder=holder["runtime_id"], author_known=author)
    text = texts.was_changed(_short(path, holder), inbox.name_of(tx, me["runtime_id"]) if author else "")
    if holder["ended_at"] is None:
        message = messages.Message(text, kind=messages.URGENT)
        messages.deliver(tx, runtimes.SYSTEM, [holder["runtime_id"]], message)
    watches.renew(tx, key, now)
    writes.adopt(tx, key, now)


def _short(path: str, reader: Row) -> str:
    return path.removeprefix(f"{reader['tree']}/") if reader["tree"] else path
