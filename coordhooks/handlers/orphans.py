"""Tasks whose runtime is gone: given back, and taken up again when its conversation is resumed.

Time alone ends no lease: a slow agent is not a dead one. Only of an owner that the store does not know does the
lease's own time decide.
"""

from contextlib import suppress

from coordhooks.errors import Conflict
from coordhooks.handlers.holding import append, by_source, opened
from coordhooks.ledger import Ledger
from coordhooks.ledger.vocabulary import QUEUED
from coordhooks.store import runtimes, turns
from coordhooks.store.db import Database, Transaction
from coordhooks.store.engine import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings

# Why a task was given back, by how its runtime ended.
REASONS = {
    "session_end": "session_end",
    "clear": "session_end",
    "replaced": "session_end",
    "found_dead": "pane_exited",
    "parent_stopped": "pane_exited",
}
EXPIRED = "lease_expired"


def settle(around: "Surroundings") -> None:
    """Give back the tasks of runtimes that are gone, from a hook."""
    opened(around, lambda ledger: give_back(ledger, around.db, surface="hook"))


def give_back(ledger: Ledger, db: Database, *, surface: str) -> None:
    """Without a handoff, so each of these tasks is one attempt older. Raises ``LedgerError``."""
    for task_id, runtime_id in ledger.leases():
        reason = _end_of(db, runtime_id)
        if reason is None:
            ledger.expire_lease(task_id, surface=surface)
        elif reason:
            with suppress(Conflict):  # it changed in this moment: the other's event stands
                append(ledger, ledger.task(task_id), "TaskReleased", surface=surface, reason=reason)


def _end_of(db: Database, runtime_id: str) -> str | None:
    """Why a runtime can't go on with its task; an empty text if it lives, ``None`` if nobody knows it."""
    with Transaction(db) as tx:
        row = runtimes.get(tx, runtime_id)
        if row is None or runtimes.condition(tx, row) == runtimes.LIVE:
            return None if row is None else ""
        runtimes.bury(tx, row)
        ended = runtimes.get(tx, runtime_id)
        return REASONS.get(ended["end_reason"] if ended is not None else "", EXPIRED)


def resume(around: "Surroundings", me: Row) -> str:
    """Lease the interrupted task of a resumed conversation again; a line that names it, or an empty text.

    ``settle`` has given it back before.
    """
    with Transaction(around.db) as tx:
        old = turns.interrupted(tx, me["conversation_id"], me["runtime_id"])
    named: list[str] = []

    def step(ledger: Ledger) -> None:
        task = None if old is None else by_source(ledger, me["harness"], old["work"])
        if task is not None and task["state"] == QUEUED:
            ledger.lease(task["task_id"], me["runtime_id"], turns.WORK_TTL, surface="hook")
            named.append(task["title"] or "untitled")

    if old is not None:
        opened(around, step)
    if old is None or not named:
        return ""
    with Transaction(around.db) as tx:
        turns.work_on(tx, me["runtime_id"], old["work"], None)
    from coordhooks import quoting

    return f"Your task {quoting.quoted(named[0], 130)} was interrupted; it is yours again."
