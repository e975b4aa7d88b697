"""The turn ends: what was held for it is free. An unread request holds the stop, once."""

from coordhooks.handlers import inbox, orphans, tasks, turn
from coordhooks.handlers.attendance import attend
from coordhooks.model import Decision, Event
from coordhooks.store import messages, runtimes, settings, turns
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings

MAX_HELD = 3  # stops that messages may hold for one prompt of a human


def handle(event: Event, around: "Surroundings") -> Decision:
    decision = Decision()
    left = False
    with Transaction(around.db) as tx:
        me = attend(tx, event, around)
        if event.facts.get("stop_hook_active") is not True and messages.in_hand(tx, me["runtime_id"]):
            return decision  # the same stop came twice, and the other hook of it is holding it
        messages.ack_shown(tx, me["runtime_id"])
        if event.facts.get("stop_hook_active") is not True:
            _hold(tx, me, decision)
        if not decision.hold:
            left = _end_children(tx, me, event)
            turn.finish(tx, me, "turn_over", shells=_shells_run(event))
        report = tasks.wants_report(tx, me["project"])
        dispatch = settings.get(tx, me["project"], "dispatch", 0) == 1
    if decision.hold:
        return decision
    tasks.finish(around, me, event, report=report)
    if left:
        orphans.settle(around)
    if dispatch:
        from coordhooks.handlers import dispatch as queue

        queue.offer(around, me, event, decision)
    return decision


def _hold(tx: Transaction, me: Row, decision: Decision) -> None:
    """Show what waits for an answer, and let the turn go on for it."""
    if me["stops_held"] >= MAX_HELD:
        return
    rows = messages.unread(tx, me["runtime_id"], messages.HOLDING)
    if not rows:
        return
    text, shown = inbox.compose(tx, rows)
    messages.reserve(tx, shown)
    decision.hold = text
    decision.runtime_id = me["runtime_id"]
    decision.shown = [row["message_id"] for row in shown]
    turns.hold_stop(tx, me["runtime_id"])


def _shells_run(event: Event) -> bool:
    """Does a shell command go on in the background?"""
    return any(task.get("type") != "subagent" for task in event.background or [])


def _end_children(tx: Transaction, me: Row, event: Event) -> bool:
    """Subagents that are not among the tasks still running are gone; one that runs goes on. Was there any?"""
    if event.background is None:
        return False
    running = {str(task.get("id")) for task in event.background}
    gone = [c for c in runtimes.children(tx, me["runtime_id"]) if c["agent_id"] not in running]
    for child in gone:
        runtimes.end(tx, child["runtime_id"], "parent_stopped")
    return bool(gone)
