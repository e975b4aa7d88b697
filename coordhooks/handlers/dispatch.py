"""Work for idle agents: a queued task is handed out in place of a prompt. Loaded only where a person asked for it.

An agent whose turn has ended without an unread request goes on with the best task of its project that it may take:
the highest priority first, then the one that is due first, then the oldest. It ends the task itself, by a command.
"""

from contextlib import suppress

from coordhooks import quoting
from coordhooks.errors import Conflict
from coordhooks.handlers.holding import held, opened
from coordhooks.handlers.texts import HARNESSES
from coordhooks.ledger import Ledger, times
from coordhooks.ledger.vocabulary import BLOCKED, QUEUED, TERMINAL, Record
from coordhooks.model import Decision, Event
from coordhooks.store import messages, runtimes, settings, turns
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings

IN_A_ROW = 3  # tasks for one prompt of a person, unless the settings say otherwise
QUOTA_WINDOW = 5 * 3600.0  # seconds
MAX_TITLE, MAX_TEXT, MAX_ITEMS = 120, 2000, 10
SHORT_ID = 8
NEVER = float("inf")
ENDS = ("done {id}", "fail {id} --reason TEXT", "block {id} --reason TEXT", "release {id} --reason TEXT")


class Terms:
    """What this agent may take, at ``now`` (epoch seconds)."""

    __slots__ = ("can", "limit", "now", "quota_limit", "quota_window")

    def __init__(self, tx: Transaction, project: str) -> None:
        self.now = tx.now
        self.can = set(str(settings.get(tx, project, "capabilities", "")).split("\n"))
        self.limit = settings.number(tx, project, "dispatch_limit", IN_A_ROW)
        self.quota_limit = settings.number(tx, project, "quota_limit", NEVER)
        self.quota_window = settings.number(tx, project, "quota_window", QUOTA_WINDOW)


def offer(around: "Surroundings", me: Row, event: Event, decision: Decision) -> None:
    """Let the turn go on with a task, if there is one for this agent."""
    with Transaction(around.db) as tx:
        terms = Terms(tx, me["project"])
        fresh = runtimes.get(tx, me["runtime_id"])
        if fresh is None or fresh["handed_out"] >= terms.limit:
            return
        if messages.unread(tx, me["runtime_id"], messages.HOLDING):
            return
    goes_on = event.facts.get("stop_hook_active") is True

    def step(ledger: Ledger) -> None:
        if _is_free(ledger, fresh, goes_on) and not exhausted(ledger, me["harness"], terms):
            task = _take(ledger, me, terms)
            if task is not None:
                decision.hold = text(task)
                _begin(around, me, task)

    opened(around, step)


def _is_free(ledger: Ledger, me: Row, goes_on: bool) -> bool:
    """Has it nothing in hand, and ended what it was handed out, if that is what it goes on for?"""
    if any(task["source"] not in HARNESSES for task in held(ledger, me["runtime_id"])):
        return False
    if not goes_on:
        return True
    return me["handed_out"] > 0 and ledger.task(me["assigned"])["state"] in (*TERMINAL, BLOCKED)


def exhausted(ledger: Ledger, harness: str, terms: Terms) -> bool:
    """Has the harness used up what it may in the window? What is not known is not exhausted."""
    if terms.quota_limit == NEVER:
        return False
    consumed, known = ledger.quota_since(harness, terms.now - terms.quota_window)
    return known and consumed >= terms.quota_limit


def _take(ledger: Ledger, me: Row, terms: Terms) -> Record | None:
    """Lease the best task; one that another agent takes in this moment is passed over."""
    tasks = ledger.scheduling_snapshot()["tasks"]  # the oldest first
    for task in sorted((t for t in tasks if suits(t, me["project"], terms)), key=_rank):
        with suppress(Conflict):
            return ledger.lease(
                task["task_id"], me["runtime_id"], turns.WORK_TTL, expected_version=task["version"], surface="hook"
            )  # fmt: skip
    return None


def suits(task: Record, project: str, terms: Terms) -> bool:
    """May it be handed out? An interrupted turn may not: it belongs to its conversation, which alone knows it."""
    if (task["state"], task["project"]) != (QUEUED, project) or task["source"] in HARNESSES:
        return False
    retry = task["next_retry"]
    return set(task["capability"] or ()) <= terms.can and (
        retry is None or times.microseconds(retry) <= terms.now * 1e6
    )


def _rank(task: Record) -> tuple[float, float]:
    due = times.microseconds(task["due"]) if task["due"] else NEVER
    return (-(task["inherent_priority"] or 0), due)


def _begin(around: "Surroundings", me: Row, task: Record) -> None:
    with Transaction(around.db) as tx:
        turns.take_on(tx, me["runtime_id"], task["task_id"], quoting.line(task["title"] or "", MAX_TITLE))
        turns.hand_out(tx, me["runtime_id"])


def text(task: Record) -> str:
    """The task as quoted data, and the commands that end it."""
    number = task["task_id"][:SHORT_ID]
    lines = [
        f"Go on with task {number}: your user lets queued tasks of this project be handed out to idle agents, and it"
        " is leased to you now. What it is, as its author wrote it (quoted data):",
        *_quoted(task),
    ]
    if task["handoff_ref"]:
        lines.append(f"What its former owner left: `coord artifact get {task['handoff_ref']}`")
    if task["quality_gate"]:
        lines.append(
            f"`done` runs the quality gate {quoting.quoted(task['quality_gate'], 60)}, which must pass."
        )
    lines.append("When you are through with it, run one of these, and only then end your turn:")
    return "\n".join([*lines, *(f"  coord task {end.format(id=number)}" for end in ENDS)])


def _quoted(task: Record) -> list[str]:
    lines = [f"- title: {quoting.quoted(task['title'] or 'untitled', MAX_TITLE)}"]
    if task["description"]:
        lines.append(f"- description: {quoting.quoted(task['description'], MAX_TEXT)}")
    for item in (task["acceptance"] or ())[:MAX_ITEMS]:
        lines.append(f"- it is done when: {quoting.quoted(item, MAX_TITLE)}")
    if len(task["description"] or "") > MAX_TEXT or len(task["acceptance"] or ()) > MAX_ITEMS:
        lines.append(f"- (cut: `coord task show {task['task_id'][:SHORT_ID]}` has all of it)")
    return lines
