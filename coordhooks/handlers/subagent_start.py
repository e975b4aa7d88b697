"""A subagent begins: a runtime of its own below its session's, and a task below its turn's."""

from coordhooks.handlers import tasks
from coordhooks.handlers.attendance import attend
from coordhooks.model import Decision, Event
from coordhooks.store import runtimes, settings, turns
from coordhooks.store.db import Transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings


def handle(event: Event, around: "Surroundings") -> Decision:
    with Transaction(around.db) as tx:
        runtime_id = attend(tx, event, around)["runtime_id"]
        turns.work_on(tx, runtime_id, tasks.work_of(event), tx.now + turns.WORK_TTL)
        me = runtimes.require_live(tx, runtime_id)
        parent = runtimes.get(tx, me["parent"] or "")
        title = me["label"] if settings.get(tx, me["project"], "titles", 1) else ""
    tasks.begin(around, me, event, title, "" if parent is None else parent["work"])
    return Decision()
