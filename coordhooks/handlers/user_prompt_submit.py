"""A prompt: the turn begins. A person's own `coord …` prompt is answered here and never reaches the model."""

from coordhooks.handlers import news, notices, tasks, turn
from coordhooks.handlers.attendance import attend
from coordhooks.model import Decision, Event
from coordhooks.store import runtimes, settings, turns
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings


COMPLETION_NOTICE = "<task-notification>"  # how a background agent's end comes as a prompt


def handle(event: Event, around: "Surroundings") -> Decision:
    if event.prompt.startswith("coord "):
        from coordhooks.handlers import prompt_commands

        answer = prompt_commands.answer(event, around)
        if answer:
            return Decision(hold=answer)
    decision = Decision()
    with Transaction(around.db) as tx:
        before = attend(tx, event, around)
        work = _work(event, before)
        turn.begin(tx, before, event.turn_id, _title(tx, event, before))
        if not event.prompt.startswith(COMPLETION_NOTICE):
            turns.person_spoke(tx, before["runtime_id"])
        turns.work_on(tx, before["runtime_id"], work, tx.now + turns.WORK_TTL)
        me = runtimes.require_live(tx, before["runtime_id"])
        notices.show(tx, me, around, decision)
        news.after_call(tx, me, decision)
    if work:
        tasks.begin(around, me, event, me["task"])
    return decision


def _work(event: Event, before: Row) -> str:
    """The task of this turn: a new one, or the interrupted one that a resumed conversation goes on with."""
    if event.prompt.startswith(COMPLETION_NOTICE):
        return str(before["work"])
    if before["work"] and before["work_until"] is None:
        return str(before["work"])
    return tasks.work_of(event)


def _title(tx: Transaction, event: Event, before: Row) -> str:
    """What the turn is for, if that may be kept. The notice of a background agent's end says nothing new."""
    if event.prompt.startswith(COMPLETION_NOTICE):
        return str(before["task"])
    if settings.get(tx, before["project"], "titles", 1) == 0:
        return ""
    from coordhooks.titles import title

    return title(event.prompt)
