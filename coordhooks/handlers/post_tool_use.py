"""After a tool call: who wrote what is recorded, what was held for the call is given back, news is told."""

from coordhooks.errors import BadPath, BadPayload
from coordhooks.handlers import news
from coordhooks.handlers.attendance import attend
from coordhooks.model import FILE, Decision, Event, Target
from coordhooks.store import calls, leases, turns, writes
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row
from coordhooks.targets import written_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings


def handle(event: Event, around: "Surroundings") -> Decision:
    targets = _written(event)
    decision = Decision()
    with Transaction(around.db) as tx:
        me = attend(tx, event, around)
        if event.tool_input.get("run_in_background") is True:
            leases.go_on(tx, me["runtime_id"], event.call_id)
        head = end_call(tx, me, event, decision)
        turns.person_answered(tx, me)
        for target in targets:
            writes.record(tx, me, target)
        leases.give_back(tx, me["runtime_id"], event.call_id, kinds=(leases.CALL,), reason="call_over")
        news.after_call(tx, me, decision)
        stale = me["work_until"] is not None and me["work_until"] - tx.now < turns.WORK_TTL / 2
    if head:
        look_at_head(around, me, head, decision)
    if stale or me["attention_at"] is not None:
        _tell_ledger(around, me, stale=stale)
    return decision


def end_call(tx: Transaction, me: Row, event: Event, decision: Decision) -> str:
    """The call is over. What it may have changed unseen is looked at; returns where HEAD was, if that may have moved."""
    if event.tool_class == FILE:
        calls.close(tx, me["runtime_id"], event.call_id)
        return ""
    row = calls.get(tx, me["runtime_id"], event.call_id)
    calls.close(tx, me["runtime_id"], event.call_id)
    if calls.watched(tx, me["runtime_id"], event.call_id):
        from coordhooks.handlers import breach

        breach.check(tx, me, decision, event.call_id)
    return "" if row is None else str(row["head"])


def look_at_head(around: "Surroundings", me: Row, head: str, decision: Decision) -> None:
    from coordhooks.handlers import heads

    heads.after(around, me, head, decision)


def _tell_ledger(around: "Surroundings", me: Row, *, stale: bool) -> None:
    """Rarely: the task's lease is half gone, or its person has answered."""
    from coordhooks.handlers import tasks

    if me["attention_at"] is not None:
        tasks.attend(around, me, waits=False)
    if stale:
        tasks.renew(around, me)


def _written(event: Event) -> list[Target]:
    """What the call wrote, as far as its input says; a path that can't be read was not covered before either."""
    try:
        return written_by(event)
    except (BadPath, BadPayload):
        return []
