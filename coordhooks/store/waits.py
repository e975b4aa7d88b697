"""Waits: which runtime was refused which name, by whom, and so who waits for whom."""

import os

from coordhooks.paths import is_folder, status
from coordhooks.store import leases
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row
from coordhooks.store.notes import LAPSED
from coordhooks.store.overlap import FILES, Want

MAX_CIRCLE = 64
UNTOLD = f"{LAPSED}:%"  # a note of a lease that went to another, not told yet


def note(tx: Transaction, runtime_id: str, want: Want, holder: str, turn_id: str, call_id: str) -> int:
    """Remember a refusal; returns how many there were for this name in this turn.

    One call counts once, though two hooks may refuse it (plugin and settings).
    """
    tx.run(
        "INSERT INTO waits(runtime_id, space, key, path, project, rel, holder, turn_id, call_id, since)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(runtime_id, space, key) DO UPDATE SET"
        " refusals = CASE WHEN turn_id <> excluded.turn_id THEN 1"
        "  WHEN call_id = excluded.call_id AND call_id <> '' THEN refusals ELSE refusals + 1 END,"
        " holder = excluded.holder, turn_id = excluded.turn_id, call_id = excluded.call_id",
        runtime_id, want.space, want.key, want.path, want.project, want.rel, holder, turn_id, call_id, tx.now,
    )  # fmt: skip
    row = tx.one(
        "SELECT refusals FROM waits WHERE runtime_id = ? AND space = ? AND key = ?",
        runtime_id, want.space, want.key,
    )  # fmt: skip
    return 1 if row is None else int(row["refusals"])


def enlist(tx: Transaction, runtime_id: str, want: Want, holder: str, turn_id: str) -> None:
    """Remember who waits for whom where no write was refused: it counts as no refusal."""
    tx.run(
        "INSERT INTO waits(runtime_id, space, key, path, project, rel, holder, turn_id, refusals, since)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?) ON CONFLICT(runtime_id, space, key) DO UPDATE SET"
        " holder = excluded.holder",
        runtime_id, want.space, want.key, want.path, want.project, want.rel, holder, turn_id, tx.now,
    )  # fmt: skip


def of(tx: Transaction, runtime_id: str) -> list[Row]:
    return tx.all("SELECT * FROM waits WHERE runtime_id = ? ORDER BY since", runtime_id)


def settle(tx: Transaction, runtime_id: str, want: Want) -> None:
    """The runtime has got the name, or no longer wants it."""
    tx.run(
        "DELETE FROM waits WHERE runtime_id = ? AND space = ? AND key = ?", runtime_id, want.space, want.key
    )


def clear(tx: Transaction, runtime_id: str) -> None:
    tx.run("DELETE FROM waits WHERE runtime_id = ?", runtime_id)


def freed(tx: Transaction, runtime_id: str) -> list[str]:
    """The names that this runtime was refused and that are free now, each told once."""
    names = []
    for row in of(tx, runtime_id):
        if not leases.conflicts(tx, runtime_id, [wanted(row)], leases.EXCLUSIVE):
            tx.run(
                "DELETE FROM waits WHERE runtime_id = ? AND space = ? AND key = ?",
                runtime_id, row["space"], row["key"],
            )  # fmt: skip
            names.append(os.fsdecode(row["path"]))
    return names


def anything_to_tell(tx: Transaction, runtime_id: str) -> bool:
    """Is there a queued message, a name that it waits for, or a lost lease? One look at three indexes."""
    return (
        tx.one(
            "SELECT 1 WHERE EXISTS (SELECT 1 FROM deliveries WHERE runtime_id = ?"
            " AND state <> 'acked' AND state = 'queued')"  # the first is the index's own condition
            " OR EXISTS (SELECT 1 FROM waits WHERE runtime_id = ?)"
            " OR EXISTS (SELECT 1 FROM notes WHERE runtime_id = ? AND about LIKE ?)",
            runtime_id, runtime_id, runtime_id, UNTOLD,
        )
        is not None
    )  # fmt: skip


def wanted(row: Row) -> Want:
    """What a row waits for; an existing file also by its inode, for it may be held under another name."""
    inode = None
    if row["space"] == FILES:
        found = status(os.fsdecode(row["path"]))
        inode = None if found is None or is_folder(found) else (found.st_dev, found.st_ino)
    return Want(row["space"], row["key"], row["path"], project=row["project"], rel=row["rel"], inode=inode)


def circle(tx: Transaction, runtime_id: str, holder: str) -> list[str]:
    """The circle that closes if ``runtime_id`` waits for ``holder``: everyone in it, or an empty list.

    A wait counts only while the lease that it is for still stands.
    """
    seen: dict[str, str] = {holder: ""}
    queue = [holder]
    while queue and len(seen) < MAX_CIRCLE:
        current = queue.pop(0)
        for row in of(tx, current):
            for lease in leases.conflicts(tx, current, [wanted(row)], leases.EXCLUSIVE):
                blocker = lease["runtime_id"]
                if blocker == runtime_id:
                    return [*_back(seen, current), runtime_id]
                if blocker not in seen:
                    seen[blocker] = current
                    queue.append(blocker)
    return []


def _back(seen: dict[str, str], last: str) -> list[str]:
    path = [last]
    while seen[path[-1]]:
        path.append(seen[path[-1]])
    return path[::-1]
