"""A person interrupted the turn: it ends here, without a stop."""

from coordhooks.handlers import tasks, turn
from coordhooks.handlers.attendance import attend
from coordhooks.model import Decision, Event
from coordhooks.store.db import Transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings


def handle(event: Event, around: "Surroundings") -> Decision:
    with Transaction(around.db) as tx:
        me = attend(tx, event, around)
        turn.finish(tx, me, "interrupted")
    tasks.give_back(around, me, "interrupted")
    return Decision()
