"""How a turn begins and ends for the rest of the store: automatic leases live as long."""

from coordhooks.model import Decision
from coordhooks.store import calls, leases, settings, turns
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row


def begin(tx: Transaction, me: Row, turn_id: str, task: str) -> None:
    """A prompt opens a turn; calls of which no end was heard were of the turn before."""
    _close_calls(tx, me)
    turns.begin(tx, me["runtime_id"], turn_id, task)


def finish(tx: Transaction, me: Row, reason: str, *, shells: bool = False) -> None:
    """The turn is over: what was held for it is free. ``shells``: some of its commands still run in the background."""
    kinds: tuple[str, ...] = (leases.AUTOMATIC, leases.CALL, leases.TURN)
    if settings.get(tx, me["project"], "release", "turn") == "session":
        kinds = (leases.CALL,)
    if not shells:
        kinds = (*kinds, leases.BACKGROUND)
    leases.release_kinds(tx, me["runtime_id"], kinds, reason=reason)
    _close_calls(
        tx, me
    )  # what a command in the background has written is seen once it holds nothing any more
    turns.end(tx, me["runtime_id"])


def _close_calls(tx: Transaction, me: Row) -> None:
    """Their ends were not heard of, but what they may have changed unseen is looked at all the same."""
    if calls.watched(tx, me["runtime_id"]):
        from coordhooks.handlers import breach

        breach.check(tx, me, Decision())
    calls.close_all(tx, me["runtime_id"])
