"""How a turn begins and ends for the rest of the store: automatic leases live as long."""

from coordhooks.store import calls, leases, settings, turns
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row


def begin(tx: Transaction, me: Row, turn_id: str, task: str) -> None:
    """A prompt opens a turn; calls of which no end was heard were of the turn before."""
    calls.close_all(tx, me["runtime_id"])
    turns.begin(tx, me["runtime_id"], turn_id, task)


def finish(tx: Transaction, me: Row, reason: str) -> None:
    """The turn is over: what was held for it is free."""
    calls.close_all(tx, me["runtime_id"])
    kinds: tuple[str, ...] = (leases.AUTOMATIC, leases.CALL, leases.TURN)
    if settings.get(tx, me["project"], "release", "turn") == "session":
        kinds = (leases.CALL,)
    leases.release_kinds(tx, me["runtime_id"], kinds, reason=reason)
    turns.end(tx, me["runtime_id"])
