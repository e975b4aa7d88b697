"""A notification: a permission dialog that waits, or a session that is idle and so holds nothing."""

from coordhooks.handlers import permission_request, turn
from coordhooks.handlers.attendance import attend
from coordhooks.model import Decision, Event
from coordhooks.store.db import Transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings


def handle(event: Event, around: "Surroundings") -> Decision:
    kind = event.facts.get("notification_type")
    if kind == "permission_prompt":
        return permission_request.handle(event, around)
    if kind == "idle_prompt":
        with Transaction(around.db) as tx:
            turn.finish(tx, attend(tx, event, around), "idle")
    return Decision()
