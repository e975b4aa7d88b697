"""Before a tool call: may it write what it is about to write? The hot path of the product."""

import time

from coordhooks.handlers import guard
from coordhooks.handlers.attendance import attend
from coordhooks.model import SHELL, Decision, Event, Target
from coordhooks.store import calls, waits, writes
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row
from coordhooks.targets import written_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings

PATIENCE = 3.0  # seconds to wait for a file that is only held for the length of one call
PAUSE = 0.05


def handle(event: Event, around: "Surroundings") -> Decision:
    plan = _plan(event, around)
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            decision = _decide(event, around, plan, patient=time.monotonic() < give_up)
            break
        except guard.Contended:
            time.sleep(PAUSE)
    if event.scripted and decision.deny:  # the script may catch it: the model is told beside
        decision.context = "\n".join(filter(None, (decision.context, decision.deny)))
    if event.confined and not decision.deny and _calls_coord(event):
        from coordhooks.handlers import errand

        errand.run(event, around, decision)
    return decision


def _plan(event: Event, around: "Surroundings") -> guard.Plan:
    if event.tool_class == SHELL:
        from coordhooks.handlers import shell_call

        return shell_call.plan(event, around)
    plan = guard.Plan(written_by(event))
    if not plan.targets:
        plan.untold.append("uncovered tool")
        plan.watched = True
    return plan


def _decide(event: Event, around: "Surroundings", plan: guard.Plan, *, patient: bool) -> Decision:
    targets = plan.targets
    with Transaction(around.db) as tx:
        me = attend(tx, event, around)
        if around.environ.get("COORD_OFF") == "1" or guard.switched_off(
            tx, targets[0].project if targets else me["project"]
        ):
            return Decision()
        plain = not (targets or plan.wants or plan.objection)
        decision = Decision() if plain else guard.authorize(tx, me, event, plan, patient=patient)
        if not decision.deny:
            _begin(tx, me, event, plan)
        _news(tx, me, decision)
        unlanded = (
            [] if decision.deny else [t for t in targets if writes.by_others(tx, t, me["conversation_id"])]
        )
    if unlanded:
        _warn(around, me, unlanded, decision)
    return decision


def _warn(around: "Surroundings", me: Row, targets: list[Target], decision: Decision) -> None:
    """The first write into another conversation's uncommitted changes is let through, and noted once."""
    from coordhooks.handlers import unlanded

    unlanded.warn(around, me, targets, decision)


def _begin(tx: Transaction, me: Row, event: Event, plan: guard.Plan) -> None:
    """The call is open from now on. One whose writes are not known is counted, never called checked."""
    calls.open_(tx, me["runtime_id"], event.call_id, event.tool, coord=_calls_coord(event), head=plan.head)
    if plan.untold:
        from coordhooks.store import untold

        untold.count(tx, me["runtime_id"], "shell" if event.tool_class == SHELL else "uncovered tool")
    if plan.watched:
        from coordhooks.handlers import breach

        breach.watch(tx, me, event, plan)


def _calls_coord(event: Event) -> bool:
    """A shell call of our own command: the command learns from this which subagent it belongs to."""
    return event.tool_class == SHELL and "coord" in str(event.tool_input.get("command", ""))


def _news(tx: Transaction, me: Row, decision: Decision) -> None:
    """What else this agent should hear now; mostly nothing, which one cheap look tells."""
    if waits.anything_to_tell(tx, me["runtime_id"]):
        from coordhooks.handlers import news

        news.before_call(tx, me, decision)
