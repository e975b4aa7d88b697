"""When does a lease of a *living* holder give way? Asked only for a lease that stands in somebody's way."""

import os

from coordhooks.process import alive
from coordhooks.store import runtimes, settings
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row
from coordhooks.store.overlap import INDEX

YIELDED = "yielded"
CALL_LIMIT = 60.0  # seconds after which a lease for one call ends, should its end never be heard of
INDEX_LIMIT = 10.0  # seconds for git's index: what comes after git in the same command does not need it
REEXPORTS = (b"index.ts", b"index.js", b"index.tsx", b"__init__.py", b"mod.rs", b"lib.rs")


def reason(tx: Transaction, lease: Row, holder: Row) -> str:
    """Why this lease no longer holds, or an empty string if it does.

    A claim with a time ends with its time. The others belong to a turn: while the turn is open they hold
    through a long test run, a sleep of the machine or a jump of the clock, until they yield.
    """
    if lease["kind"] == "call":
        return _call_over(tx, lease, holder)
    if _waits_for_person(holder):
        return ""
    if lease["kind"] == "timed" or not _checkable(tx, holder) or _between_turns(lease, holder):
        return "expired" if _expired(tx, lease) else ""
    if lease["kind"] == "background":
        return ""
    return "turn_over" if _turn_over(holder) else _in_turn(tx, lease, holder)


def _in_turn(tx: Transaction, lease: Row, holder: Row) -> str:
    if lease["kind"] == "turn":
        return "expired" if _expired(tx, lease) and _idle(tx, lease, holder) else ""
    return _left_alone(tx, lease, holder)


def _waits_for_person(holder: Row) -> bool:
    """Is a permission pending? Approval runs the write without asking again, so nothing may give way."""
    return holder["attention_at"] is not None and not _turn_over(holder)


def _checkable(tx: Transaction, holder: Row) -> bool:
    """Can it be seen from here that the holder's process runs? Else only times decide."""
    return alive(runtimes.process_of(holder), tx.here) is True


def _between_turns(lease: Row, holder: Row) -> bool:
    """Then only a command in the background still holds by itself."""
    return holder["turn_at"] is None and lease["kind"] != "background"


def _expired(tx: Transaction, lease: Row) -> bool:
    """What remains of a lease is capped at its TTL, whatever a clock once said."""
    if lease["expires_at"] > tx.now + lease["ttl"]:
        tx.run(
            "UPDATE leases SET expires_at = ? WHERE lease_id = ?", tx.now + lease["ttl"], lease["lease_id"]
        )
        return False
    return bool(lease["expires_at"] <= tx.now)


def _left_alone(tx: Transaction, lease: Row, holder: Row) -> str:
    """An automatic lease yields when its path was not touched for a while and its holder has no call open."""
    patience = settings.yield_after(tx, holder["project"], os.path.basename(lease["path"]) in REEXPORTS)
    return YIELDED if _untouched(tx, lease) >= patience and _idle(tx, lease, holder) else ""


def _untouched(tx: Transaction, lease: Row) -> float:
    """Seconds since the last touch; one that a clock once put into the future counts from now."""
    if lease["touched_at"] > tx.now:
        tx.run("UPDATE leases SET touched_at = ? WHERE lease_id = ?", tx.now, lease["lease_id"])
    return float(max(0.0, tx.now - lease["touched_at"]))


def _call_over(tx: Transaction, lease: Row, holder: Row) -> str:
    if _waits_for_person(holder):  # which may take hours: git guards its index itself then
        return "call_over" if lease["space"] == INDEX else ""
    limit = INDEX_LIMIT if lease["space"] == INDEX else CALL_LIMIT
    if _untouched(tx, lease) >= limit or _turn_over(holder):
        return "call_over"
    if not lease["call_id"]:  # a harness that names no calls: only the time tells
        return ""
    still = tx.one(
        "SELECT 1 FROM calls WHERE runtime_id = ? AND call_id = ?", lease["runtime_id"], lease["call_id"]
    )
    return "call_over" if still is None or lease["call_id"] in _ended_calls(holder) else ""


def _idle(tx: Transaction, lease: Row, holder: Row) -> bool:
    """Has the holder no tool call open? A call that the transcript has an answer to is not open."""
    calls = tx.all("SELECT call_id FROM calls WHERE runtime_id = ?", lease["runtime_id"])
    if not calls:
        return True
    ended = _ended_calls(holder)
    return all(call["call_id"] in ended for call in calls)


def _ended_calls(holder: Row) -> set[str]:
    from coordhooks import transcripts

    return transcripts.read(holder["harness"], holder["transcript"]).ended_calls


def _turn_over(holder: Row) -> bool:
    """Did the turn end without a word, by an interrupt, a "No" or an API error? The transcript tells."""
    from coordhooks import transcripts

    return transcripts.read(holder["harness"], holder["transcript"]).turn_over
