"""Writes: which conversation wrote which file, when and in which task, until the work has landed.

A record outlives turn, session and process. It never vetoes a plain edit; it tells the next writer.
"""

import os

from coordhooks.model import Target
from coordhooks.paths import OUTSIDE
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row
from coordhooks.store.overlap import encode


def record(tx: Transaction, runtime: Row, target: Target) -> None:
    """A runtime wrote this file just now. Files outside repositories have no record."""
    if target.project == OUTSIDE or target.folder:
        return
    try:
        found = os.stat(target.path)
        size, mtime_ns, ino = found.st_size, found.st_mtime_ns, found.st_ino
    except OSError:  # it was deleted
        size = mtime_ns = ino = None
    tx.run(
        "INSERT INTO writes(key, conversation_id, runtime_id, path, project, tree, rel, task, first_at, at, size,"
        " mtime_ns, ino) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT(key, conversation_id) DO UPDATE SET runtime_id = excluded.runtime_id, task = excluded.task,"
        " at = excluded.at, size = excluded.size, mtime_ns = excluded.mtime_ns, ino = excluded.ino, landed = 0,"
        " first_at = CASE WHEN landed THEN excluded.at ELSE first_at END",
        encode(target.key), runtime["conversation_id"], runtime["runtime_id"], encode(target.path),
        target.project, target.tree, encode(target.rel), runtime["task"], tx.now, tx.now, size, mtime_ns, ino,
    )  # fmt: skip
    if ino is not None:  # a rename (or an editor that replaces the file) changes the inode
        tx.run(
            "UPDATE leases SET dev = ?, ino = ? WHERE space = 'file' AND key = ? AND runtime_id = ?",
            found.st_dev, ino, encode(target.key), runtime["runtime_id"],
        )  # fmt: skip


def others(tx: Transaction, target: Target, conversation_id: str) -> list[Row]:
    """Unlanded writes of other conversations to this file, newest first."""
    return tx.all(
        "SELECT * FROM writes WHERE key = ? AND conversation_id <> ? AND landed = 0 ORDER BY at DESC",
        encode(target.key), conversation_id,
    )  # fmt: skip


def of_conversation(tx: Transaction, conversation_id: str, tree: str | None = None) -> list[Row]:
    """What a conversation wrote and has not landed, by path."""
    return tx.all(
        "SELECT * FROM writes WHERE conversation_id = ? AND landed = 0 AND (? IS NULL OR tree = ?) ORDER BY path",
        conversation_id, tree, tree,
    )  # fmt: skip


def of_path(tx: Transaction, target: Target) -> list[Row]:
    """Everyone who wrote a file, newest first, landed or not."""
    return tx.all("SELECT * FROM writes WHERE key = ? ORDER BY at DESC", encode(target.key))


def land(tx: Transaction, key: bytes, conversation_id: str) -> None:
    """The file equals HEAD again, or its author took it back: nobody's unlanded work any more."""
    tx.run("UPDATE writes SET landed = 1 WHERE key = ? AND conversation_id = ?", key, conversation_id)


def first_time(tx: Transaction, runtime_id: str, key: bytes, about: str) -> bool:
    """Is this the first time that this runtime is told this about this file?"""
    return bool(tx.run("INSERT OR IGNORE INTO notes VALUES (?, ?, ?, ?)", runtime_id, key, about, tx.now))
