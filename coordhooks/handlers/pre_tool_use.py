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
    targets = written_by(event)
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            decision = _decide(event, around, targets, patient=time.monotonic() < give_up)
            break
        except guard.Contended:
            time.sleep(PAUSE)
    if event.confined and not decision.deny and _calls_coord(event):
        from coordhooks.handlers import errand

        errand.run(event, around, decision)
    return decision


def _decide(event: Event, around: "Surroundings", targets: list[Target], *, patient: bool) -> Decision:
    with Transaction(around.db) as tx:
        me = attend(tx, event, around)
        if around.environ.get("COORD_OFF") == "1" or guard.switched_off(
            tx, targets[0].project if targets else me["project"]
        ):
            return Decision()
        decision = guard.authorize(tx, me, event, targets, patient=patient) if targets else Decision()
        if not decision.deny:
            _begin(tx, me, event, covered=bool(targets))
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


def _begin(tx: Transaction, me: Row, event: Event, *, covered: bool) -> None:
    """The call is open from now on. One whose writes are not known is counted, never called checked."""
    calls.open_(tx, me["runtime_id"], event.call_id, event.tool, coord=_calls_coord(event))
    if not covered:
        from coordhooks.store import untold

        untold.count(tx, me["runtime_id"], "shell" if event.tool_class == SHELL else "uncovered tool")


def _calls_coord(event: Event) -> bool:
    """A shell call of our own command: the command learns from this which subagent it belongs to."""
    return event.tool_class == SHELL and "coord" in str(event.tool_input.get("command", ""))


def _news(tx: Transaction, me: Row, decision: Decision) -> None:
    """What else this agent should hear now; mostly nothing, which one cheap look tells."""
    if waits.anything_to_tell(tx, me["runtime_id"]):
        from coordhooks.handlers import news

        news.before_call(tx, me, decision)
