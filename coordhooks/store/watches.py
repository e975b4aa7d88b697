"""Watches: what files looked like when a call began whose writes can't all be told, to compare when it ends.

A watch with a ``holder`` is of a file that somebody holds, another runtime or the caller itself; one without is of a
file that the call said it would write.
"""

import os

from coordhooks.fingerprint import Fingerprint
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row


def put(
    tx: Transaction, runtime_id: str, call_id: str, key: bytes, path: bytes, holder: str, seen: Fingerprint
) -> None:
    tx.run(
        "INSERT OR IGNORE INTO watches(runtime_id, call_id, key, path, holder, size, mtime_ns, ino, digest, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        runtime_id, call_id, key, path, holder, seen.size, seen.mtime_ns, seen.ino, seen.digest, tx.now,
    )  # fmt: skip


def of_call(tx: Transaction, runtime_id: str, call_id: str | None = None) -> list[Row]:
    """The watches of one call, or of all the open ones of a runtime."""
    return tx.all(
        "SELECT * FROM watches WHERE runtime_id = ? AND (? IS NULL OR call_id = ?) ORDER BY key",
        runtime_id, call_id, call_id,
    )  # fmt: skip


def others(tx: Transaction, key: bytes, runtime_id: str) -> list[Row]:
    """The open watches of other runtimes on the same file."""
    return tx.all("SELECT * FROM watches WHERE key = ? AND runtime_id <> ?", key, runtime_id)


def renew(tx: Transaction, key: bytes, now: Fingerprint) -> None:
    """A change has been told: from now on this is what everyone compares with."""
    tx.run(
        "UPDATE watches SET size = ?, mtime_ns = ?, ino = ?, digest = ? WHERE key = ?",
        now.size, now.mtime_ns, now.ino, now.digest, key,
    )  # fmt: skip


def close(tx: Transaction, runtime_id: str, call_id: str | None = None) -> None:
    tx.run(
        "DELETE FROM watches WHERE runtime_id = ? AND (? IS NULL OR call_id = ?)",
        runtime_id,
        call_id,
        call_id,
    )


def seen(row: Row) -> Fingerprint:
    """What a row of this table, or of ``writes``, says the file looked like."""
    return Fingerprint(row["size"], row["mtime_ns"], row["ino"], row["digest"])


def path_of(row: Row) -> str:
    return os.fsdecode(row["path"])
