"""Untold: how often it could not be told what a runtime's calls would write. Never counted as checked."""

from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row


def count(tx: Transaction, runtime_id: str, what: str) -> None:
    tx.run(
        "INSERT INTO untold(runtime_id, what, count, last_at) VALUES (?, ?, 1, ?) ON CONFLICT(runtime_id, what) DO UPDATE SET"
        " count = count + 1, last_at = excluded.last_at",
        runtime_id, what, tx.now,
    )  # fmt: skip


def of(tx: Transaction, runtime_id: str) -> list[Row]:
    return tx.all("SELECT * FROM untold WHERE runtime_id = ? ORDER BY what", runtime_id)
