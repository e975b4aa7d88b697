"""A call that did not happen, failed or was interrupted: what it took is given back."""

from coordhooks.handlers import news, turn
from coordhooks.handlers.attendance import attend
from coordhooks.handlers.post_tool_use import end_call, look_at_head
from coordhooks.model import Decision, Event
from coordhooks.store import calls, leases, turns
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings


def handle(event: Event, around: "Surroundings") -> Decision:
    decision = Decision()
    with Transaction(around.db) as tx:
        me = attend(tx, event, around)
        head = end_call(tx, me, event, decision)
        give_back(tx, me, event)
        turns.person_answered(tx, me)
        if event.facts.get("is_interrupt") is True:
            turn.finish(tx, me, "interrupted")
        news.after_call(tx, me, decision)
    if head:
        look_at_head(around, me, head, decision)
    if event.facts.get("is_interrupt") is True or me["attention_at"] is not None:
        _tell_ledger(around, me, event)
    return decision


def _tell_ledger(around: "Surroundings", me: Row, event: Event) -> None:
    from coordhooks.handlers import tasks

    if event.facts.get("is_interrupt") is True:
        tasks.give_back(around, me, "interrupted")
    else:  # its person approved the call, and then it failed
        tasks.attend(around, me, waits=False)


def give_back(tx: Transaction, me: Row, event: Event) -> None:
    """Undo what the call took. Without its id nobody can say what that was: it goes with the turn."""
    if event.call_id:
        calls.close(tx, me["runtime_id"], event.call_id)
        kinds = (leases.AUTOMATIC, leases.CALL)
        leases.give_back(tx, me["runtime_id"], event.call_id, kinds=kinds, reason="call_failed")
