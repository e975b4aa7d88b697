"""Tasks under lease: what the hooks and the command have in common when they write to the task ledger."""

import os

from coordhooks.errors import Conflict, LedgerError, NotFound
from coordhooks.ledger import Ledger
from coordhooks.ledger.vocabulary import LIFECYCLE, Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from coordhooks.hook import Surroundings

FOLDER = "ledger"
MAX_REPLAY = 8 * 1024 * 1024  # bytes that a hook may read to catch up
TIMEOUT = 2.0  # seconds that a hook waits for other writers


def opened(around: "Surroundings", step: "Callable[[Ledger], None]") -> None:
    """Do one step on the ledger; what fails is recorded, and never refuses or holds anything."""
    try:
        with Ledger(os.path.join(around.state_dir, FOLDER), max_replay=MAX_REPLAY, timeout=TIMEOUT) as ledger:
            step(ledger)
            told = ledger.notices
    except (LedgerError, OSError) as error:
        told = [str(error)]
    if told:
        from coordhooks.failures import note

        for sentence in told:
            note(around.state_dir, f"task ledger: {sentence}")


def owner(task: Record) -> str:
    """The runtime that has leased the task, or an empty text."""
    return str(task["lease"]["harness_id"]) if task["lease"] else ""


def held(ledger: Ledger, runtime_id: str) -> list[Record]:
    """The tasks that a runtime has leased."""
    return [ledger.task(task_id) for task_id, holder in ledger.leases() if holder == runtime_id]


def by_source(ledger: Ledger, source: str, external_id: str) -> Record | None:
    if not external_id:
        return None
    try:
        return ledger.task_by_source(source, external_id)
    except NotFound:
        return None


def append(ledger: Ledger, task: Record, kind: str, *, surface: str, **facts: object) -> None:
    """Append an event to a task as it was read, under its lease if it has one. Raises ``LedgerError``.

    What anybody may say of a task is not said in its owner's name.
    """
    is_owners = kind in LIFECYCLE or facts.get("state") is not None
    lease = (is_owners and task["lease"]) or {}
    under = {name: lease[name] for name in ("harness_id", "lease_epoch") if name in lease}
    ledger.append(
        {
            "type": kind,
            "task_id": task["task_id"],
            "version": task["version"] + 1,
            "surface": surface,
            "payload": {**under, **facts},
        }
    )


def tell(ledger: Ledger, task: Record, kind: str, **facts: object) -> None:
    """``append`` by a hook. If the task changed in this moment, the other's event stands."""
    try:
        append(ledger, task, kind, surface="hook", **facts)
    except Conflict:
        return
