"""A notification: a permission dialog that waits, or a session that is idle and so holds nothing."""

from coordhooks.handlers import permission_request, tasks, turn
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
            me = attend(tx, event, around)
            turn.finish(tx, me, "idle")
        if me["work_until"] is not None:  # else it is an interrupted task that waits for the first prompt
            tasks.give_back(around, me, "interrupted")
    return Decision()
