"""The audit: what changed, when and by whom. No message body, file content or shell command is ever in it."""

import os

from coordhooks.errors import BadArgument
from coordhooks.fastjson import dumps, loads
from coordhooks.locations import make_folder
from coordhooks.store import runtimes
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

SECRET = "ownership_token"
BATCH = 1000
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from coordhooks.store.db import Database


def record(tx: Transaction, event: str, runtime_id: str | None, details: dict[str, object] | None) -> int:
    """Append a caller's own event; a runtime, if named, must be live. Returns the event's id."""
    if not event:
        raise BadArgument("an audit event needs a name")
    if not all(isinstance(name, str) for name in details or {}):
        raise BadArgument("the details of an event are named by strings")
    if runtime_id is not None:
        runtimes.require_live(tx, runtime_id)
    return tx.audit(event, runtime_id, **(details or {}))


def events(tx: Transaction, after_id: int, limit: int = -1) -> list[Row]:
    return tx.all("SELECT * FROM audit WHERE event_id > ? ORDER BY event_id LIMIT ?", after_id, limit)


def latest(tx: Transaction, limit: int) -> list[Row]:
    """The newest events, oldest first."""
    return tx.all("SELECT * FROM audit ORDER BY event_id DESC LIMIT ?", limit)[::-1]


def count(tx: Transaction, event: str, since: float) -> int:
    """How often something happened since a moment (epoch seconds)."""
    row = tx.one("SELECT count(*) AS n FROM audit WHERE event = ? AND at >= ?", event, since)
    return 0 if row is None else int(row["n"])


def public(row: Row) -> dict[str, object]:
    """An event as listings show it: ``at`` in epoch seconds, ``details`` an object."""
    return {
        "event_id": row["event_id"],
        "at": row["at"],
        "event": row["event"],
        "runtime_id": row["runtime_id"],
        "details": loads(row["details"]),
    }


def export(
    db: "Database", destination: "str | os.PathLike[str] | TextIO", after_id: int, secrets: bool
) -> int:
    """Write JSON Lines to a path (0600, its folder 0700) or a stream; returns how many events.

    The ownership tokens of workspaces are left out, at every depth, unless ``secrets`` is asked for.
    """
    if not isinstance(destination, (str, os.PathLike)):
        return _write(db, destination, after_id, secrets)
    path = os.path.abspath(os.fspath(destination))
    if os.path.realpath(path) in {os.path.realpath(db.path + part) for part in ("", "-wal", "-shm")}:
        raise BadArgument(f"{path} is the store itself: export to another file")
    make_folder(os.path.dirname(path))
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    with open(os.open(path, flags, 0o600), "w", encoding="utf-8") as stream:
        if os.name == "posix":
            os.fchmod(stream.fileno(), 0o600)
        return _write(db, stream, after_id, secrets)


def _write(db: "Database", stream: "TextIO", after_id: int, secrets: bool) -> int:
    written = 0
    for event in _batches(db, after_id):
        stream.write(dumps(event if secrets else without_secrets(event)) + "\n")
        written += 1
    return written


def _batches(db: "Database", after_id: int) -> "Iterator[dict[str, object]]":
    """All events in bounded memory, without keeping others from writing meanwhile."""
    while True:
        with Transaction(db, readonly=True) as tx:
            rows = events(tx, after_id, BATCH)
        if not rows:
            return
        for row in rows:
            yield public(row)
        after_id = rows[-1]["event_id"]


def without_secrets(value: object) -> object:
    if isinstance(value, dict):
        return {name: without_secrets(inner) for name, inner in value.items() if name != SECRET}
    if isinstance(value, list):
        return [without_secrets(inner) for inner in value]
    return value
