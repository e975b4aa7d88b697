"""Turn tasks: what an agent was asked, how it ended and what it cost, in the ledger.

A turn's task is found by its external id, so nothing has to be remembered between two hooks but that id. The
ledger is opened after the coordination transaction has ended, never before a tool call, and a failure of it is
recorded and changes nothing else.
"""

import os

from coordhooks.errors import Conflict, LedgerError, NotFound
from coordhooks.ledger import Ledger
from coordhooks.model import Event
from coordhooks.store import runtimes, settings, turns
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from coordhooks.hook import Surroundings

FOLDER = "ledger"
MAX_REPLAY = 8 * 1024 * 1024  # bytes that a hook may read to catch up
MAX_REPORT = 64 * 1024  # characters of a final message that are kept
Facts = dict[str, object]

# Why a task was given back, by how its runtime ended.
RELEASE_REASONS = {
    "session_end": "session_end",
    "clear": "session_end",
    "replaced": "session_end",
    "found_dead": "pane_exited",
}


def opened(around: "Surroundings", step: "Callable[[Ledger], None]") -> None:
    """Do one step on the ledger; what fails is recorded, and never refuses or holds anything."""
    try:
        with Ledger(os.path.join(around.state_dir, FOLDER), max_replay=MAX_REPLAY, timeout=2.0) as ledger:
            step(ledger)
    except (LedgerError, OSError) as error:
        from coordhooks.failures import note

        note(around.state_dir, f"task ledger: {error}")


def work_of(event: Event) -> str:
    """The external id of an event's task: a turn by its prompt, a subagent by its own id."""
    return f"{event.session_id}/{event.agent_id or event.turn_id or runtimes.new_id()}"


# -- a turn -----------------------------------------------------------------------------------------------


def begin(around: "Surroundings", me: Row, event: Event, parent: str = "") -> None:
    """The turn's task is created, leased and started; what its runtime left unfinished is given back before.

    ``parent`` is the external id of the task that a subagent works for.
    """

    def step(ledger: Ledger) -> None:
        work = me["work"]
        task = _task(ledger, me["harness"], work)
        if task is not None and task["state"] in ("completed", "failed"):  # its stop was cut short after that
            work, task = work_of(event), None
            with Transaction(around.db) as tx:
                turns.work_on(tx, me["runtime_id"], work, tx.now + turns.WORK_TTL)
        _give_back_others(ledger, me, task)
        if task is None:
            task = _create(ledger, me, work, parent)
        if task["state"] == "queued":
            ledger.lease(str(task["task_id"]), me["runtime_id"], turns.WORK_TTL, surface="hook")
        _owned(ledger, me, work, "TaskLaunchAcknowledged")

    opened(around, step)


def _give_back_others(ledger: Ledger, me: Row, current: Facts | None) -> None:
    """A runtime has one open turn task: another one is of a turn that nobody heard the end of."""
    for task_id, owner in ledger.leases():
        if owner == me["runtime_id"] and (current is None or current["task_id"] != task_id):
            task = ledger.task(task_id)
            if task["source"] == me["harness"]:
                _append(ledger, task, "TaskReleased", reason="interrupted")


def _create(ledger: Ledger, me: Row, work: str, parent: str) -> Facts:
    payload: Facts = {"source": me["harness"], "external_id": work, "project": me["project"]}
    if me["task"] or me["label"]:
        payload["title"] = me["task"] or me["label"]
    above = _task(ledger, me["harness"], parent)
    if above is not None:
        payload["parent"] = above["task_id"]
    task_id = runtimes.new_id()
    ledger.append(
        {"type": "TaskCreated", "task_id": task_id, "version": 1, "surface": "hook", "payload": payload}
    )
    return ledger.task(task_id)


def finish(around: "Surroundings", me: Row, event: Event, *, report: bool) -> None:
    """The turn's task is completed, with its report if that is wanted, and a turn's cost is put down."""

    def step(ledger: Ledger) -> None:
        facts: Facts = {}
        said = event.facts.get("last_assistant_message")
        if report and isinstance(said, str) and said:
            facts["report_ref"] = ledger.put_artifact(said[:MAX_REPORT].encode("utf-8", "replace"))
        _owned(ledger, me, me["work"], "TaskCompleted", **facts)
        if not me["agent_id"]:  # a subagent's tokens are in its own transcript, and in no turn's
            _receipt(ledger, me, event)

    opened(around, step)
    with Transaction(around.db) as tx:
        turns.work_on(tx, me["runtime_id"], "", None)


def _receipt(ledger: Ledger, me: Row, event: Event) -> None:
    from coordhooks.receipts import turn_tokens

    tokens = turn_tokens(me["harness"], event.transcript, event.turn_id or me["turn_id"])
    payload = {"harness_id": me["harness"], "consumed": tokens or 0, "known": tokens is not None}
    ledger.append({"type": "QuotaReported", "surface": "hook", "payload": payload})


def give_back(around: "Surroundings", me: Row, reason: str) -> None:
    """The turn ended without a stop: its task is queued again."""
    if me["work"]:
        opened(around, lambda ledger: _owned(ledger, me, me["work"], "TaskReleased", reason=reason))


def attend(around: "Surroundings", me: Row, *, waits: bool) -> None:
    """The task needs its person's attention, or has had it."""
    if me["work"]:
        facts: Facts = (
            {"blocker": "waits at a permission dialog", "block_reason": "permission"} if waits else {}
        )
        kind = "TaskNeedsAttention" if waits else "TaskLaunchAcknowledged"
        opened(around, lambda ledger: _owned(ledger, me, me["work"], kind, **facts))


def renew(around: "Surroundings", me: Row) -> None:
    """The task's lease gets its full time again."""

    def step(ledger: Ledger) -> None:
        task = _task(ledger, me["harness"], me["work"])
        if task is not None and _owner(task) == me["runtime_id"]:
            lease: Facts = dict(task["lease"])  # type: ignore[call-overload]
            ledger.renew_lease(
                str(task["task_id"]), me["runtime_id"], str(lease["lease_epoch"]), int(str(task["version"])), turns.WORK_TTL,
                surface="hook",
            )  # fmt: skip

    opened(around, step)
    with Transaction(around.db) as tx:
        turns.work_on(tx, me["runtime_id"], me["work"], tx.now + turns.WORK_TTL)


# -- tasks whose runtime is gone --------------------------------------------------------------------------


def settle(around: "Surroundings") -> None:
    """Give back the tasks of runtimes that are gone: without a handoff, so each is one attempt older."""

    def step(ledger: Ledger) -> None:
        for task_id, owner in ledger.leases():
            reason = _gone(around, owner)
            if reason:
                _append(ledger, ledger.task(task_id), "TaskReleased", reason=reason)

    opened(around, step)


def _gone(around: "Surroundings", runtime_id: str) -> str:
    """Why a runtime can't go on with its task, or an empty text if it lives."""
    with Transaction(around.db) as tx:
        row = runtimes.get(tx, runtime_id)
        if row is not None and runtimes.condition(tx, row) == runtimes.LIVE:
            return ""
        if row is not None:
            runtimes.bury(tx, row)
            row = runtimes.get(tx, runtime_id)
        return RELEASE_REASONS.get("" if row is None else row["end_reason"], "lease_expired")


def resume(around: "Surroundings", me: Row) -> str:
    """Lease the interrupted task of a resumed conversation again; a line that names it, or an empty text.

    ``settle`` has given it back before.
    """
    with Transaction(around.db) as tx:
        old = turns.interrupted(tx, me["conversation_id"], me["runtime_id"])
    if old is None:
        return ""
    named: list[str] = []

    def step(ledger: Ledger) -> None:
        task = _task(ledger, me["harness"], old["work"])
        if task is not None and task["state"] == "queued":
            ledger.lease(str(task["task_id"]), me["runtime_id"], turns.WORK_TTL, surface="hook")
            named.append(str(task["title"] or "untitled"))

    opened(around, step)
    if not named:
        return ""
    with Transaction(around.db) as tx:
        turns.work_on(tx, me["runtime_id"], old["work"], None)
    from coordhooks import quoting

    return f"Your task {quoting.quoted(named[0], 130)} was interrupted; it is yours again."


# -- pieces -----------------------------------------------------------------------------------------------


def _owned(ledger: Ledger, row: Row, work: str, kind: str, **facts: object) -> None:
    """Append an event as the owner of the task; if somebody else owns it by now, there is nothing to say."""
    task = _task(ledger, row["harness"], work)
    if task is not None and _owner(task) == row["runtime_id"]:
        _append(ledger, task, kind, **facts)


def _append(ledger: Ledger, task: Facts, kind: str, **facts: object) -> None:
    """Append an event under the task's present lease."""
    lease: Facts = dict(task["lease"])  # type: ignore[call-overload]
    payload = {"harness_id": lease["harness_id"], "lease_epoch": lease["lease_epoch"], **facts}
    version = int(str(task["version"])) + 1
    try:
        ledger.append(
            {
                "type": kind,
                "task_id": task["task_id"],
                "version": version,
                "surface": "hook",
                "payload": payload,
            }
        )
    except Conflict:  # it changed in this moment: the other's event stands
        return


def _owner(task: Facts) -> str:
    lease = task["lease"]
    return str(lease["harness_id"]) if isinstance(lease, dict) else ""


def _task(ledger: Ledger, source: str, work: object) -> Facts | None:
    if not isinstance(work, str) or not work:
        return None
    try:
        return ledger.task_by_source(source, work)
    except NotFound:
        return None


def wants_report(tx: Transaction, project: str) -> bool:
    return settings.get(tx, project, "reports", 0) == 1
