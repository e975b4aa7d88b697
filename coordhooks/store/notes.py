"""Notes: what one runtime was told about one file, so that it is told once."""

import os

from coordhooks.store.db import Transaction

LAPSED = "lapsed"
INTO = "INTO notes(runtime_id, key, about, at)"


def first_time(tx: Transaction, runtime_id: str, key: bytes, about: str) -> bool:
    """Is this the first time that this runtime is told this about this file?"""
    return bool(tx.run(f"INSERT OR IGNORE {INTO} VALUES (?, ?, ?, ?)", runtime_id, key, about, tx.now))


def lapsed(tx: Transaction, runtime_id: str, key: bytes, by: str) -> None:
    """A lease of this runtime was taken away, in favour of ``by``: to be told."""
    for about in (LAPSED, f"{LAPSED}:{by}") if by else (LAPSED,):
        tx.run(f"INSERT OR REPLACE {INTO} VALUES (?, ?, ?, ?)", runtime_id, key, about, tx.now)


def had_lapsed(tx: Transaction, runtime_id: str, key: bytes) -> bool:
    """Was a lease of this runtime on this name taken away?"""
    sql = "SELECT 1 FROM notes WHERE runtime_id = ? AND key = ? AND about = ?"
    return tx.one(sql, runtime_id, key, LAPSED) is not None


def take_lapsed(tx: Transaction, runtime_id: str) -> list[tuple[str, str]]:
    """``(path, contender)`` of one's leases that went to others, each given once."""
    rows = tx.all(
        "SELECT key, about FROM notes WHERE runtime_id = ? AND about LIKE ? ORDER BY at",
        runtime_id,
        f"{LAPSED}:%",
    )
    tx.run("DELETE FROM notes WHERE runtime_id = ? AND about LIKE ?", runtime_id, f"{LAPSED}:%")
    return [(os.fsdecode(row["key"]), row["about"].partition(":")[2]) for row in rows]
