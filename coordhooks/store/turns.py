"""Turns: from a prompt to its stop. A runtime without an open turn holds nothing by itself."""

from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row


def begin(tx: Transaction, runtime_id: str, turn_id: str, task: str) -> None:
    """A prompt opens a turn for ``task`` (its title, or empty)."""
    tx.run(
        "UPDATE runtimes SET turn_id = ?, turn_at = ?, task = ?, prompted = 1, attention_at = NULL, stops_held = 0"
        " WHERE runtime_id = ?",
        turn_id, tx.now, task, runtime_id,
    )  # fmt: skip


def begin_in_parents(tx: Transaction, runtime_id: str, turn_id: str) -> None:
    """A subagent works in its parent's turn: it has no prompt of its own."""
    tx.run("UPDATE runtimes SET turn_id = ?, turn_at = ? WHERE runtime_id = ?", turn_id, tx.now, runtime_id)


def end(tx: Transaction, runtime_id: str) -> None:
    tx.run("UPDATE runtimes SET turn_at = NULL, attention_at = NULL WHERE runtime_id = ?", runtime_id)


def wait_for_person(tx: Transaction, runtime_id: str) -> None:
    """A permission dialog is up; the time of the first one counts."""
    tx.run(
        "UPDATE runtimes SET attention_at = coalesce(attention_at, ?) WHERE runtime_id = ?",
        tx.now,
        runtime_id,
    )


def person_answered(tx: Transaction, row: Row) -> None:
    if row["attention_at"] is not None:
        tx.run("UPDATE runtimes SET attention_at = NULL WHERE runtime_id = ?", row["runtime_id"])


def hold_stop(tx: Transaction, runtime_id: str) -> None:
    """Count a stop that a message held, for this prompt."""
    tx.run("UPDATE runtimes SET stops_held = stops_held + 1 WHERE runtime_id = ?", runtime_id)
