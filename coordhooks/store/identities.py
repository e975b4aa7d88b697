"""Identities: which runtime is meant by an id, a handle, a chosen name or a conversation's id. Exact, always."""

from coordhooks.errors import UnknownRuntime
from coordhooks.store import handles
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row
from coordhooks.store.runtimes import LIVE, PERSONS, condition, get, newest_live, require_live


def resolve(tx: Transaction, identity: str) -> str:
    """The live runtime with this id, handle or chosen name, or the newest one of this conversation.

    A handle of a former runtime stands for its conversation. Raises ``UnknownRuntime``, also for a handle
    that means several.
    """
    if identity in PERSONS:
        return str(require_live(tx, identity)["runtime_id"])
    row = get(tx, identity)
    if row is not None and condition(tx, row) == LIVE:
        return identity
    found = _by_handle(tx, identity)
    live = [r for r in found if condition(tx, r) == LIVE]
    if live:
        _unambiguous(identity, live)
        return str(max(live, key=_newest)["runtime_id"])
    former = {r["conversation_id"] for r in [*found, *([row] if row else [])]}
    heirs = [heir for name in {identity, *former} if (heir := newest_live(tx, name)) is not None]
    if not heirs:
        raise UnknownRuntime(f"no live agent is called {identity!r}: `coord who` lists them")
    _unambiguous(identity, heirs)
    return str(heirs[0]["runtime_id"])


def known(tx: Transaction, identity: str) -> Row | None:
    """The newest runtime that goes or went by this id, handle, name or conversation id, live or not."""
    rows = [row for row in (get(tx, identity), *_by_handle(tx, identity)) if row is not None]
    rows += tx.all("SELECT * FROM runtimes WHERE conversation_id = ? AND agent_id = ''", identity)
    return max(rows, key=_newest, default=None)


def rename(tx: Transaction, runtime_id: str, name: str) -> bool:
    """Give a runtime a name of its own choice; false if another live agent answers to it."""
    mine = get(tx, runtime_id)
    for row in _by_handle(tx, name):
        same = mine is not None and row["conversation_id"] == mine["conversation_id"]
        if not same and condition(tx, row) == LIVE:
            return False
    tx.run("UPDATE runtimes SET name = ? WHERE runtime_id = ?", name, runtime_id)
    tx.audit("agent_named", runtime_id, name=name)
    return True


def _by_handle(tx: Transaction, identity: str) -> list[Row]:
    rows = tx.all(
        "SELECT * FROM runtimes WHERE handle = ? UNION SELECT * FROM runtimes WHERE conversation_handle = ?"
        " UNION SELECT * FROM runtimes WHERE name = ? AND name <> ''",
        identity, identity, identity,
    )  # fmt: skip
    return [
        r
        for r in rows
        if any(handles.same(identity, r[c]) for c in ("handle", "conversation_handle", "name"))
    ]


def _unambiguous(identity: str, rows: list[Row]) -> None:
    """One conversation may live twice (a fork), and then its newest is meant; a handle must not mean two."""
    if len({r["conversation_id"] for r in rows}) > 1 or sum(r["handle"] == identity for r in rows) > 1:
        ids = ", ".join(sorted(r["runtime_id"] for r in rows))
        raise UnknownRuntime(f"{identity!r} means several agents: use a full runtime id ({ids})")


def _newest(row: Row) -> tuple[float, str]:
    return (row["registered_at"], row["runtime_id"])
