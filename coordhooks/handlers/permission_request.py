"""A permission dialog is up: the holder waits for its human, and until then its leases never yield."""

from coordhooks.handlers import tasks
from coordhooks.handlers.attendance import attend
from coordhooks.model import Decision, Event
from coordhooks.store import turns
from coordhooks.store.db import Transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings


def handle(event: Event, around: "Surroundings") -> Decision:
    with Transaction(around.db) as tx:
        me = attend(tx, event, around)
        turns.wait_for_person(tx, me["runtime_id"])
        tx.audit("needs_attention", me["runtime_id"], tool=event.tool)
    tasks.attend(around, me, waits=True)
    return Decision()
