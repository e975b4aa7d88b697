"""A session ends, or seems to: `/clear` ends one and starts the next in the same process.

So nothing is freed while that process lives. The runtime is marked as leaving; the next session of the
process takes over, or the process's death, or ten seconds, end it.
"""

from coordhooks.handlers import tasks
from coordhooks.handlers.attendance import find
from coordhooks.model import Decision, Event
from coordhooks.process import alive
from coordhooks.store import runtimes
from coordhooks.store.db import Transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings


def handle(event: Event, around: "Surroundings") -> Decision:
    with Transaction(around.db) as tx:
        me = find(tx, event, around)
        if me is None:
            return Decision()
        if alive(runtimes.process_of(me), around.here) is True:
            runtimes.leave(tx, me["runtime_id"])
            tx.audit("session_ended", me["runtime_id"], reason=str(event.facts.get("reason", ""))[:80])
        else:
            runtimes.end(tx, me["runtime_id"], "session_end")
    tasks.give_back_all(around, me, "session_end")
    return Decision()
