"""Calls: the tool calls of a runtime that have begun and of which no end has been heard."""

from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

COORD_CALLED = "coord_called"
JUST_NOW = 10.0  # seconds from the hook of a shell call to the command's own start
LOOKED_AT = 1000  # events


def open_(
    tx: Transaction, runtime_id: str, call_id: str, tool: str, *, coord: bool = False, head: str = ""
) -> None:
    """A call begins.

    ``coord`` marks a shell call of our own command, by which it knows its subagent; ``head`` is where HEAD stands
    before a command of git that may move it.
    """
    if call_id:
        tx.run(
            "INSERT OR REPLACE INTO calls(runtime_id, call_id, tool, coord, head, opened_at) VALUES (?, ?, ?, ?, ?, ?)",
            runtime_id, call_id, tool, int(coord), head, tx.now,
        )  # fmt: skip
    if coord:
        tx.audit(COORD_CALLED, runtime_id)


def get(tx: Transaction, runtime_id: str, call_id: str) -> Row | None:
    return tx.one("SELECT * FROM calls WHERE runtime_id = ? AND call_id = ?", runtime_id, call_id)


def watched(tx: Transaction, runtime_id: str, call_id: str | None = None) -> bool:
    """Is there anything to look at again when this call, or any of the runtime's, ends?"""
    sql = "SELECT 1 FROM watches WHERE runtime_id = ? AND (? IS NULL OR call_id = ?) LIMIT 1"
    return tx.one(sql, runtime_id, call_id, call_id) is not None


def any_open(tx: Transaction, runtime_id: str) -> bool:
    return tx.one("SELECT 1 FROM calls WHERE runtime_id = ? LIMIT 1", runtime_id) is not None


def close(tx: Transaction, runtime_id: str, call_id: str) -> None:
    tx.run("DELETE FROM calls WHERE runtime_id = ? AND call_id = ?", runtime_id, call_id)


def close_all(tx: Transaction, runtime_id: str) -> None:
    tx.run("DELETE FROM calls WHERE runtime_id = ?", runtime_id)


def callers_of_coord(tx: Transaction, runtime_ids: list[str]) -> list[str]:
    """Which of these runtimes have a shell call of our command open, or, if none has, made one just now."""
    marks = ", ".join("?" * len(runtime_ids))
    rows = tx.all(
        f"SELECT DISTINCT runtime_id FROM calls WHERE coord = 1 AND runtime_id IN ({marks})", *runtime_ids
    )
    return [row["runtime_id"] for row in rows] or _called_just_now(tx, runtime_ids)


def _called_just_now(tx: Transaction, runtime_ids: list[str]) -> list[str]:
    """A command in the background starts when its call has ended already: then the audit knows."""
    marks = ", ".join("?" * len(runtime_ids))
    rows = tx.all(
        f"SELECT DISTINCT runtime_id FROM audit WHERE event_id > (SELECT max(event_id) FROM audit) - {LOOKED_AT}"
        f" AND event = ? AND at > ? AND runtime_id IN ({marks})",
        COORD_CALLED,
        tx.now - JUST_NOW,
        *runtime_ids,
    )
    return [row["runtime_id"] for row in rows]
