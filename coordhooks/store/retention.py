"""Retention: how long the audit and read messages are kept, where the user's settings say so.

A little is pruned at a session's start, at most once a day, oldest first, and nothing that somebody has still to read.
"""

import os

from coordhooks import upkeep
from coordhooks.store import settings
from coordhooks.store.db import Transaction

DAY = 86400.0  # seconds
AT_ONCE = 5000  # rows that are looked at, of each kind
PRUNED_AT = "pruned_at"


def prune(tx: Transaction) -> None:
    """Take away what is older than the ``retention`` setting (seconds; without it, everything is kept)."""
    keep = settings.number(tx, "", "retention", 0.0)
    last = settings.number(tx, "", PRUNED_AT, 0.0)
    if not keep or 0 <= tx.now - last < DAY:
        return
    settings.put(tx, "", PRUNED_AT, tx.now)
    before = tx.now - keep
    events = tx.run(
        "DELETE FROM audit WHERE at < ? AND event_id IN (SELECT event_id FROM audit ORDER BY event_id LIMIT ?)",
        before, AT_ONCE,
    )  # fmt: skip
    messages = _prune_messages(tx, before)
    if events or messages:
        tx.audit("pruned", None, keep=keep, events=events, messages=messages)


def _prune_messages(tx: Transaction, before: float) -> int:
    """Messages that all their recipients have acked, the last one before that moment."""
    rows = tx.all(
        "SELECT message_id FROM deliveries WHERE state = 'acked' ORDER BY delivery_id LIMIT ?", AT_ONCE
    )
    gone = 0
    for message_id in dict.fromkeys(row["message_id"] for row in rows):
        gone += tx.run(
            "DELETE FROM messages WHERE message_id = ? AND NOT EXISTS (SELECT 1 FROM deliveries d"
            " WHERE d.message_id = messages.message_id AND (d.state <> 'acked' OR d.acked_at >= ?))",
            message_id, before,
        )  # fmt: skip
        tx.run(
            "DELETE FROM deliveries WHERE message_id = ?"
            " AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.message_id = deliveries.message_id)",
            message_id,
        )
    return gone


def sweep(path: str) -> None:
    """Remove what was left by processes that were killed while they made the store at ``path``.

    Upkeep: what can't be removed now is there at the next session's start.
    """
    folder, name = os.path.split(path)
    upkeep.sweep(folder, lambda left: left.startswith(f"{name}.") and ".new" in left)
