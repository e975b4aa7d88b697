"""The harness itself refused a call: what it took is given back. No reply to this event reaches the model."""

from coordhooks.handlers.attendance import attend
from coordhooks.handlers.post_tool_use_failure import give_back
from coordhooks.model import Decision, Event
from coordhooks.store.db import Transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings


def handle(event: Event, around: "Surroundings") -> Decision:
    with Transaction(around.db) as tx:
        give_back(tx, attend(tx, event, around), event)
    return Decision()
