"""A subagent begins: a runtime of its own below its session's."""

from coordhooks.handlers.attendance import attend
from coordhooks.model import Decision, Event
from coordhooks.store.db import Transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings


def handle(event: Event, around: "Surroundings") -> Decision:
    with Transaction(around.db) as tx:
        attend(tx, event, around)
    return Decision()
