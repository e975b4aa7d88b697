"""Usage receipts with running sums, so that a window costs two look-ups however long the history is."""

from __future__ import annotations

import sqlite3

from coordhooks.ledger import times
from coordhooks.ledger.vocabulary import Record

# consumed and unknown are sums over this receipt and all earlier ones of the harness, in the order (at, seq).
TABLE = """
CREATE TABLE receipts (harness_id TEXT, at_us INT, seq INT, consumed NUM, unknown INT,
                       PRIMARY KEY (harness_id, at_us, seq)) WITHOUT ROWID;
"""
_LAST = "SELECT consumed, unknown, seq FROM receipts WHERE harness_id = ? {} ORDER BY at_us DESC, seq DESC LIMIT 1"
_LAST_UP_TO = _LAST.format("AND (at_us, seq) < (?, ?)")
_LAST_BEFORE = _LAST.format("AND at_us < ?")
_LAST_OF_ALL = _LAST.format("")
_NONE = (0, 0, 0)
LAST_WHOLE = 2**62


def add(db: sqlite3.Connection, event: Record) -> None:
    """Put a QuotaReported in. One that comes late, by its time, also raises the sums behind it."""
    payload = event["payload"]
    harness, at_us, seq = payload["harness_id"], times.microseconds(event["at"]), event["seq"]
    consumed = payload.get("consumed") or 0
    unknown = int(not payload["known"] or payload.get("consumed") is None)
    before = db.execute(_LAST_UP_TO, (harness, at_us, seq)).fetchone() or _NONE
    db.execute(
        "UPDATE receipts SET consumed = consumed + ?, unknown = unknown + ?"
        " WHERE harness_id = ? AND (at_us, seq) > (?, ?)",
        (consumed, unknown, harness, at_us, seq),
    )
    row = (harness, at_us, seq, _fitting(before[0] + consumed), before[1] + unknown)
    db.execute("INSERT INTO receipts VALUES (?, ?, ?, ?, ?)", row)


def _fitting(total: float) -> float:
    """A sum beyond SQLite's whole numbers goes on as a float, as it does in SQLite's own sums."""
    return total if abs(total) < LAST_WHOLE else float(total)


def since(db: sqlite3.Connection, harness_id: str, since_us: int) -> tuple[float, bool]:
    """(consumed, known) of the receipts at ``since_us`` (epoch microseconds) and later."""
    last = db.execute(_LAST_OF_ALL, (harness_id,)).fetchone() or _NONE
    before = db.execute(_LAST_BEFORE, (harness_id, since_us)).fetchone() or _NONE
    is_any = last != before
    return last[0] - before[0], is_any and last[1] == before[1]
