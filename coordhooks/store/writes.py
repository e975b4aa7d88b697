"""Writes: which conversation wrote which file, when and in which task, until the work has landed.

A record outlives turn, session and process. It never vetoes a plain edit; it tells the next writer.
"""

import os

from coordhooks.model import Target
from coordhooks.paths import OUTSIDE
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row
from coordhooks.store.overlap import BEHIND_SEPARATOR, SEPARATOR, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.fingerprint import Fingerprint


def record(tx: Transaction, runtime: Row, target: Target) -> None:
    """A runtime wrote this file just now. Files outside repositories have no record."""
    if target.project == OUTSIDE or target.folder:
        return
    from coordhooks import fingerprint

    now = fingerprint.take(target.path)
    tx.run(
        "INSERT INTO writes(key, conversation_id, runtime_id, path, project, tree, rel, task, first_at, at, size,"
        " mtime_ns, ino, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT(key, conversation_id) DO UPDATE SET runtime_id = excluded.runtime_id, task = excluded.task,"
        " at = excluded.at, size = excluded.size, mtime_ns = excluded.mtime_ns, ino = excluded.ino,"
        " digest = excluded.digest, landed = 0,"
        " first_at = CASE WHEN landed THEN excluded.at ELSE first_at END",
        encode(target.key), runtime["conversation_id"], runtime["runtime_id"], encode(target.path),
        target.project, target.tree, encode(target.rel), runtime["task"], tx.now, tx.now, now.size, now.mtime_ns,
        now.ino, now.digest,
    )  # fmt: skip
    found = _status(target.path)
    if found is not None:  # a rename (or an editor that replaces the file) changes the inode
        tx.run(
            "UPDATE leases SET dev = ?, ino = ? WHERE space = 'file' AND key = ? AND runtime_id = ?",
            found.st_dev, found.st_ino, encode(target.key), runtime["runtime_id"],
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


def below(tx: Transaction, key: bytes, conversation_id: str) -> list[Row]:
    """Unlanded writes of other conversations to files in a folder, or to the file of that very name, by path."""
    return tx.all(
        "SELECT * FROM writes WHERE (key = ? OR (key >= ? AND key < ?)) AND conversation_id <> ? AND landed = 0"
        " ORDER BY path, at DESC",
        key, key + SEPARATOR, key + BEHIND_SEPARATOR, conversation_id,
    )  # fmt: skip


def of_file(tx: Transaction, key: bytes, conversation_id: str) -> Row | None:
    """What a conversation's last write left in a file, landed or not."""
    return tx.one("SELECT * FROM writes WHERE key = ? AND conversation_id = ?", key, conversation_id)


def explains(tx: Transaction, key: bytes, now: "Fingerprint") -> bool:
    """Is the file as some agent's own recorded write left it?"""
    rows = tx.all("SELECT size, mtime_ns, ino FROM writes WHERE key = ?", key)
    return any((row["size"], row["mtime_ns"], row["ino"]) == now.status for row in rows)


def adopt(tx: Transaction, key: bytes, now: "Fingerprint") -> None:
    """A change by somebody else has been told: it is what the file is known to look like from now on."""
    tx.run(
        "UPDATE writes SET size = ?, mtime_ns = ?, ino = ?, digest = ? WHERE key = ?",
        now.size, now.mtime_ns, now.ino, now.digest, key,
    )  # fmt: skip


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
