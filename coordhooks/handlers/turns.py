"""The turn of a runtime: from a prompt to its stop. Automatic leases live as long."""

from coordhooks.store import calls, leases, settings
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row


def begin(tx: Transaction, me: Row, turn_id: str, task: str) -> None:
    """A prompt opens a turn; calls of which no end was heard were of the turn before."""
    calls.close_all(tx, me["runtime_id"])
    tx.run(
        "UPDATE runtimes SET turn_id = ?, turn_at = ?, task = ?, prompted = 1, attention_at = NULL, stops_held = 0"
        " WHERE runtime_id = ?",
        turn_id, tx.now, task, me["runtime_id"],
    )  # fmt: skip


def finish(tx: Transaction, me: Row, reason: str) -> None:
    """The turn is over: what was held for it is free."""
    calls.close_all(tx, me["runtime_id"])
    kinds: tuple[str, ...] = (leases.AUTOMATIC, leases.CALL, leases.TURN)
    if settings.get(tx, me["project"], "release", "turn") == "session":
        kinds = (leases.CALL,)
    leases.release_kinds(tx, me["runtime_id"], kinds, reason=reason)
    tx.run(
        "UPDATE runtimes SET turn_at = NULL, attention_at = NULL WHERE runtime_id = ?", me["runtime_id"]
    )
