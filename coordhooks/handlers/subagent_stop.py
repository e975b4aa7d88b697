"""A subagent ends: its leases go; its parent hears of what it was refused and never got."""

import os

from coordhooks import quoting
from coordhooks.handlers import tasks
from coordhooks.handlers.attendance import find
from coordhooks.model import Decision, Event
from coordhooks.store import messages, runtimes, waits
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings


def handle(event: Event, around: "Surroundings") -> Decision:
    with Transaction(around.db) as tx:
        me = find(tx, event, around)
        if me is not None and me["agent_id"]:
            _tell_parent(tx, me)
            runtimes.end(tx, me["runtime_id"], "subagent_stop")
            report = tasks.wants_report(tx, me["project"])
    if me is not None and me["agent_id"]:
        tasks.finish(around, me, event, report=report)
    return Decision()


def _tell_parent(tx: Transaction, me: Row) -> None:
    refused = [quoting.line(os.fsdecode(row["path"]), 120) for row in waits.of(tx, me["runtime_id"])]
    if refused and me["parent"] is not None:
        body = f"Your subagent {quoting.line(me['label'], 40)} was refused "
        body += f"and did not get: {', '.join(refused[:5])}. Its work there is not done."
        messages.deliver(tx, runtimes.SYSTEM, [me["parent"]], messages.Message(body))
