"""Turn tasks: what an agent was asked, how it ended and what it cost, in the ledger.

A turn's task is found by its external id, so nothing has to be remembered between two hooks but that id. The
ledger is opened after the coordination transaction has ended, never before a tool call, and a failure of it is
recorded and changes nothing else.
"""

from contextlib import suppress

from coordhooks.digest import sha256
from coordhooks.errors import Conflict, Duplicate
from coordhooks.handlers.holding import by_source, held, opened, owner, tell
from coordhooks.ledger import Ledger
from coordhooks.ledger.vocabulary import NEEDS_ATTENTION, QUEUED, STARTED, TERMINAL, Record
from coordhooks.model import Event
from coordhooks.store import runtimes, settings, turns
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings

MAX_WORK = 900  # characters; the ledger takes 1000, and _again appends to it
MAX_REPORT = 64 * 1024  # characters of a final message that are kept
WAITS = {"blocker": "waits at a permission dialog", "block_reason": "permission"}


def work_of(event: Event) -> str:
    """The external id of an event's task: a turn by its prompt, a subagent by its own id.

    An id that the ledger does not take stands there by its digest: its task is found all the same.
    """
    work = f"{event.session_id}/{event.agent_id or event.turn_id or runtimes.new_id()}"
    if work.isprintable() and len(work) <= MAX_WORK:
        return work
    return sha256(work.encode("utf-8", "surrogatepass")).hexdigest()


def begin(around: "Surroundings", me: Row, event: Event, title: str, parent: str = "") -> None:
    """The turn's task is created, leased and started; what its runtime left unfinished is given back before.

    ``parent`` is the external id of the task that a subagent works for.
    """

    def step(ledger: Ledger) -> None:
        work = str(me["work"])
        task = by_source(ledger, me["harness"], work)
        if (
            task is not None and task["state"] in TERMINAL
        ):  # a stop that was cut short; a subagent that goes on
            work, task = _again(event, work), None
            with Transaction(around.db) as tx:
                turns.work_on(tx, me["runtime_id"], work, tx.now + turns.WORK_TTL)
        _give_back_others(ledger, me, work)
        if task is None:
            task = _create(ledger, me, work, title, parent)
        if task["state"] == QUEUED:
            with suppress(Conflict):  # the same hook, installed twice, was faster
                task = ledger.lease(task["task_id"], me["runtime_id"], turns.WORK_TTL, surface="hook")
        if (
            owner(task) == me["runtime_id"] and task["phase"] != STARTED
        ):  # else again the other one was faster
            tell(ledger, task, "TaskLaunchAcknowledged")

    opened(around, step)


def _again(event: Event, done: str) -> str:
    """A new external id beside one whose task is finished."""
    work = work_of(event)
    return work if work != done else f"{work}/{runtimes.new_id()}"


def _give_back_others(ledger: Ledger, me: Row, work: str) -> None:
    """A runtime has one open turn task: another one is of a turn that nobody heard the end of."""
    for task in held(ledger, me["runtime_id"]):
        if task["source"] == me["harness"] and task["external_id"] != work:
            tell(ledger, task, "TaskReleased", reason="interrupted")


def _create(ledger: Ledger, me: Row, work: str, title: str, parent: str) -> Record:
    payload = {"source": me["harness"], "external_id": work, "project": me["project"]}
    above = by_source(ledger, me["harness"], parent)
    payload |= {"title": title} if title else {}
    payload |= {"parent": above["task_id"]} if above is not None else {}
    event = {"type": "TaskCreated", "task_id": runtimes.new_id(), "version": 1, "surface": "hook"}
    with suppress(Duplicate):  # the same hook, installed twice, was faster
        ledger.append({**event, "payload": payload})
    return ledger.task_by_source(me["harness"], work)


def finish(around: "Surroundings", me: Row, event: Event, *, report: bool) -> None:
    """The turn's task is completed, with its report if that is wanted, and a turn's cost is put down."""
    receipt = None if me["agent_id"] else _receipt(around, me, event)

    def step(ledger: Ledger) -> None:
        task = by_source(ledger, me["harness"], me["work"])
        if task is not None and owner(task) == me["runtime_id"]:
            tell(ledger, task, "TaskCompleted", **_report(ledger, event) if report else {})
        if receipt is not None:
            ledger.append({"type": "QuotaReported", "surface": "hook", "payload": receipt})

    opened(around, step)
    with Transaction(around.db) as tx:
        turns.work_on(tx, me["runtime_id"], "", None)


def _report(ledger: Ledger, event: Event) -> Record:
    said = event.facts.get("last_assistant_message")
    if not isinstance(said, str) or not said:
        return {}
    return {"report_ref": ledger.put_artifact(said[:MAX_REPORT].encode("utf-8", "replace"))}


def _receipt(around: "Surroundings", me: Row, event: Event) -> Record | None:
    """What the turn has cost since its last stop; ``None`` for nothing. A subagent's tokens are in no turn's."""
    from coordhooks.receipts import turn_tokens

    tokens = turn_tokens(me["harness"], event.transcript, event.turn_id or me["turn_id"])
    if tokens is None:
        return {"harness_id": me["harness"], "consumed": 0, "known": False}
    with Transaction(around.db) as tx:
        consumed = turns.count_tokens(tx, me["runtime_id"], tokens)
    return {"harness_id": me["harness"], "consumed": consumed, "known": True} if consumed else None


def give_back(around: "Surroundings", me: Row, reason: str) -> None:
    """The turn ended without a stop: its task is queued again."""
    if me["work"]:
        _release(around, me, reason, only=me["work"])


def give_back_all(around: "Surroundings", me: Row, reason: str) -> None:
    """The session ended: its turn's task is queued again, and whatever else it had taken."""
    if me["work"] or me["assigned"]:
        _release(around, me, reason)


def _release(around: "Surroundings", me: Row, reason: str, only: str = "") -> None:
    def step(ledger: Ledger) -> None:
        for task in held(ledger, me["runtime_id"]):
            if not only or (task["source"], task["external_id"]) == (me["harness"], only):
                tell(ledger, task, "TaskReleased", reason=reason)

    opened(around, step)


def attend(around: "Surroundings", me: Row, *, waits: bool) -> None:
    """What this runtime works on needs its person's attention, or has had it. Several events may say so."""
    if not (me["work"] or me["assigned"]):
        return

    def step(ledger: Ledger) -> None:
        for task in held(ledger, me["runtime_id"]):
            if (task["state"] == NEEDS_ATTENTION) is waits:
                continue
            if waits:
                tell(ledger, task, "TaskNeedsAttention", **WAITS)
            else:
                tell(ledger, task, "TaskLaunchAcknowledged")

    opened(around, step)


def renew(around: "Surroundings", me: Row) -> None:
    """The leases of this runtime's tasks get their full time again."""

    def step(ledger: Ledger) -> None:
        for task in held(ledger, me["runtime_id"]):
            with suppress(Conflict):
                ledger.renew_lease(
                    task["task_id"], me["runtime_id"], task["lease"]["lease_epoch"], task["version"], turns.WORK_TTL,
                    surface="hook",
                )  # fmt: skip

    opened(around, step)
    with Transaction(around.db) as tx:
        turns.work_on(tx, me["runtime_id"], me["work"], tx.now + turns.WORK_TTL)


def wants_report(tx: Transaction, project: str) -> bool:
    return settings.get(tx, project, "reports", 0) == 1
