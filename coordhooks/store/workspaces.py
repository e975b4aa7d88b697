"""Managed workspaces: git worktrees and jj workspaces that somebody made for agents, and proof of it.

A path is managed only if an active record has that real path *and* the owner marker inside the workspace's
own metadata folder carries the same instance id and the same ownership token.
"""

import os

from coordhooks import paths
from coordhooks.errors import BadArgument
from coordhooks.fastjson import loads
from coordhooks.store import handles
from coordhooks.store.db import Transaction, as_json
from coordhooks.store.overlap import encode

MARKER = "coordhooks-owner.json"
GONE = ("removed", "deleted", "retired", "abandoned", "released", "inactive")
MAX_MARKER = 65536
FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def save(tx: Transaction, event: str, record: dict[str, object]) -> None:
    """Keep the latest full record of a workspace, and its event in the audit.

    A record has at least ``instance_id`` and ``path``; ``status`` (or ``active``) says whether it still is.
    """
    instance_id, path = record.get("instance_id"), record.get("path")
    if not event:
        raise BadArgument("a workspace record needs the name of its event")
    if not isinstance(instance_id, str) or not instance_id or not isinstance(path, str) or not path:
        raise BadArgument("a workspace record needs an instance_id and a path")
    tx.run(
        "INSERT INTO workspaces(instance_id, handle, path, active, record, saved_at) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT(instance_id) DO UPDATE SET"
        " path = excluded.path, active = excluded.active, record = excluded.record, saved_at = excluded.saved_at",
        instance_id, handles.friendly_handle(instance_id, handles.WORK), encode(os.path.realpath(path)),
        int(_active(record)), as_json(record), tx.now,
    )  # fmt: skip
    tx.audit(event, None, record=record)


def _active(record: dict[str, object]) -> bool:
    return bool(record.get("active", True)) and not any(record.get(n) in GONE for n in ("status", "state"))


def get(tx: Transaction, identity: str) -> dict[str, object] | None:
    """The record by instance id or by ``work`` handle, or ``None``."""
    row = tx.one("SELECT record FROM workspaces WHERE instance_id = ?", identity)
    if row is None:
        rows = tx.all("SELECT record, handle FROM workspaces WHERE handle = ?", identity)
        row = rows[0] if len(rows) == 1 and handles.same(identity, rows[0]["handle"]) else None
    return None if row is None else _record(row["record"])


def all_records(tx: Transaction) -> list[dict[str, object]]:
    return [
        _record(row["record"])
        for row in tx.all("SELECT record FROM workspaces ORDER BY saved_at, instance_id")
    ]


def is_managed(tx: Transaction, path: str) -> bool:
    """Is this the root of a managed workspace? A missing or broken marker means no."""
    real = paths.real(path) if path else ""  # an empty string is never the current folder
    owner = marker(real) if real else None
    if owner is None:
        return False
    for row in tx.all("SELECT * FROM workspaces WHERE path = ? AND active", encode(real)):
        record = _record(row["record"])
        if _equal(record, owner, "instance_id") and _equal(record, owner, "ownership_token"):
            return True
    return False


def marker(root: str) -> dict[str, object] | None:
    """What the owner marker inside a workspace's own metadata folder says, or ``None``."""
    folder = paths.metadata_folder(root)
    if not folder:
        return None
    try:
        fd = os.open(os.path.join(folder, MARKER), FLAGS)
    except OSError:
        return None
    try:
        return _record(os.read(fd, MAX_MARKER).decode("utf-8"))
    except (OSError, ValueError):
        return None
    finally:
        os.close(fd)


def _equal(record: dict[str, object], owner: dict[str, object], name: str) -> bool:
    one, other = record.get(name), owner.get(name)
    return isinstance(one, str) and isinstance(other, str) and bool(one) and handles.same(one, other)


def _record(text: str) -> dict[str, object]:
    value = loads(text)
    if not isinstance(value, dict):
        raise ValueError("a record is a JSON object")
    return value
