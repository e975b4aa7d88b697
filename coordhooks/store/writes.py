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
    found = _status(target.path)
    size, mtime_ns, ino = (
        (None, None, None) if found is None else (found.st_size, found.st_mtime_ns, found.st_ino)
    )
    tx.run(
        "INSERT INTO writes(key, conversation_id, runtime_id, path, project, tree, rel, task, first_at, at, size,"
        " mtime_ns, ino) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT(key, conversation_id) DO UPDATE SET runtime_id = excluded.runtime_id, task = excluded.task,"
        " at = excluded.at, size = excluded.size, mtime_ns = excluded.mtime_ns, ino = excluded.ino, landed = 0,"
        " first_at = CASE WHEN landed THEN excluded.at ELSE first_at END",
        encode(target.key), runtime["conversation_id"], runtime["runtime_id"], encode(target.path),
        target.project, target.tree, encode(target.rel), runtime["task"], tx.now, tx.now, size, mtime_ns, ino,
    )  # fmt: skip
    if found is not None:  # a rename (or an editor that replaces the file) changes the inode
        tx.run(
            "UPDATE leases SET dev = ?, ino = ? WHERE space = 'file' AND key = ? AND runtime_id = ?",
            found.st_dev, ino, encode(target.key), runtime["runtime_id"],
        )  # fmt: skip


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:  # the call deleted it
        return None


def others(tx: Transaction, target: Target, conversation_id: str) -> list[Row]:
    """Unlanded writes of other conversations to this file, newest first."""
    return tx.all(
        "SELECT * FROM writes WHERE key = ? AND conversation_id <> ? AND landed = 0 ORDER BY at DESC",
        encode(target.key), conversation_id,
    )  # fmt: skip


def by_others(tx: Transaction, target: Target, conversation_id: str) -> bool:
    """Are there any? The hot path asks this, and git only if so."""
    sql = "SELECT 1 FROM writes WHERE key = ? AND conversation_id <> ? AND landed = 0 LIMIT 1"
    return tx.one(sql, encode(target.key), conversation_id) is not None


def changed_since(tx: Transaction, conversation_id: str) -> list[Row]:
    """The newest write of another conversation to each file that this one wrote before, by path."""
    return tx.all(
        "SELECT theirs.*, max(theirs.at) FROM writes mine JOIN writes theirs USING (key)"
        " WHERE mine.conversation_id = ? AND theirs.conversation_id <> mine.conversation_id"
        " AND theirs.at > mine.at GROUP BY key ORDER BY theirs.path",
        conversation_id,
    )


def of_conversation(tx: Transaction, conversation_id: str, tree: str | None = None) -> list[Row]:
    """What a conversation wrote and has not landed, by path."""
    return tx.all(
        "SELECT * FROM writes WHERE conversation_id = ? AND landed = 0 AND (? IS NULL OR tree = ?) ORDER BY path",
        conversation_id, tree, tree,
    )  # fmt: skip


def of_tree(tx: Transaction, tree: str) -> list[Row]:
    """What anybody wrote in a working tree and has not landed, by path."""
    return tx.all("SELECT * FROM writes WHERE tree = ? AND landed = 0 ORDER BY path", tree)


def of_path(tx: Transaction, target: Target) -> list[Row]:
    """Everyone who wrote a file, newest first, landed or not."""
    return tx.all("SELECT * FROM writes WHERE key = ? ORDER BY at DESC", encode(target.key))


def land(tx: Transaction, key: bytes, conversation_id: str) -> None:
    """The file equals HEAD again, or its author took it back: nobody's unlanded work any more."""
    tx.run("UPDATE writes SET landed = 1 WHERE key = ? AND conversation_id = ?", key, conversation_id)
