"""Turns: from a prompt to its stop. A runtime without an open turn holds nothing by itself."""

from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

WORK_TTL = 3600.0  # seconds for which a turn's task is leased; it ends by that only if its runtime is dead


def begin(tx: Transaction, runtime_id: str, turn_id: str, task: str) -> None:
    """A prompt opens a turn for ``task`` (its title, or empty)."""
    tx.run(
        "UPDATE runtimes SET turn_id = ?, turn_at = ?, task = ?, prompted = 1, attention_at = NULL, stops_held = 0,"
        " tokens = 0 WHERE runtime_id = ?",
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


def work_on(tx: Transaction, runtime_id: str, work: str, until: float | None) -> None:
    """The ledger's task of this turn, by its external id (empty: none), and when its lease runs out.

    Without ``until`` it is the interrupted task that a resumed conversation goes on with at its next prompt.
    """
    tx.run("UPDATE runtimes SET work = ?, work_until = ? WHERE runtime_id = ?", work, until, runtime_id)


def take_on(tx: Transaction, runtime_id: str, task_id: str, title: str) -> None:
    """A queued task is this runtime's from now on; others are told what it is for, as of a prompt."""
    tx.run(
        "UPDATE runtimes SET assigned = ?, task = ?, turn_at = ?, work_until = ? WHERE runtime_id = ?",
        task_id, title, tx.now, tx.now + WORK_TTL, runtime_id,
    )  # fmt: skip


def hand_out(tx: Transaction, runtime_id: str) -> None:
    """Count a task that was handed out in place of a prompt."""
    tx.run("UPDATE runtimes SET handed_out = handed_out + 1 WHERE runtime_id = ?", runtime_id)


def person_spoke(tx: Transaction, runtime_id: str) -> None:
    """A prompt of a person, not of a background agent: as many tasks may be handed out again."""
    tx.run("UPDATE runtimes SET handed_out = 0 WHERE runtime_id = ?", runtime_id)


def count_tokens(tx: Transaction, runtime_id: str, tokens: int) -> int:
    """How many of the ``tokens`` of this turn are new since its last stop; from now on they are counted.

    A turn may stop several times, and a hook may be installed twice: each token counts once.
    """
    row = tx.one("SELECT tokens FROM runtimes WHERE runtime_id = ?", runtime_id)
    before = 0 if row is None else row["tokens"]
    tx.run("UPDATE runtimes SET tokens = ? WHERE runtime_id = ?", tokens, runtime_id)
    return max(0, tokens - before)


def interrupted(tx: Transaction, conversation_id: str, heir: str) -> Row | None:
    """The newest former runtime of a conversation's main thread that left a task unfinished."""
    return tx.one(
        "SELECT * FROM runtimes WHERE conversation_id = ? AND agent_id = '' AND runtime_id <> ? AND work <> ''"
        " AND ended_at IS NOT NULL ORDER BY registered_at DESC LIMIT 1",
        conversation_id, heir,
    )  # fmt: skip
