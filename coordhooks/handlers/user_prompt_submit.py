"""A prompt: the turn begins. A person's own `coord …` prompt is answered here and never reaches the model."""

from coordhooks.handlers import news, notices, turn
from coordhooks.handlers.attendance import attend
from coordhooks.model import Decision, Event
from coordhooks.store import settings
from coordhooks.store.db import Transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings


def handle(event: Event, around: "Surroundings") -> Decision:
    if event.prompt.startswith("coord "):
        from coordhooks.handlers import prompt_commands

        answer = prompt_commands.answer(event, around)
        if answer:
            return Decision(hold=answer)
    decision = Decision()
    with Transaction(around.db) as tx:
        me = attend(tx, event, around)
        turn.begin(tx, me, event.turn_id, _task(event, settings.get(tx, me["project"], "titles", 1) != 0))
        notices.show(tx, me, around, decision)
        news.after_call(tx, me, decision)
    return decision


def _task(event: Event, wanted: bool) -> str:
    """What the turn is for. The notice of a background agent's completion is no task."""
    if not wanted or event.prompt.startswith("<task-notification>"):
        return ""
    from coordhooks.titles import title

    return title(event.prompt)
