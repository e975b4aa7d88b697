"""Before a tool call: may it write what it is about to write? The hot path of the product."""

import time

from coordhooks.handlers import guard
from coordhooks.handlers.attendance import attend
from coordhooks.model import FILE, MCP, SHELL, Decision, Event, Target
from coordhooks.store import calls
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings

PATIENCE = 3.0  # seconds to wait for a file that is only held for the length of one call
PAUSE = 0.05


def handle(event: Event, around: "Surroundings") -> Decision:
    targets = _targets(event)
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            return _decide(event, around, targets, patient=time.monotonic() < give_up)
        except guard.Contended:
            time.sleep(PAUSE)


def _targets(event: Event) -> list[Target]:
    """What the call writes, by its class of tools; an empty list where that is unknown or nothing."""
    if event.tool_class == FILE:
        from coordhooks.targets import files

        return files.targets(event)
    if event.tool_class == MCP:
        from coordhooks.targets import mcp

        return mcp.targets(event)
    return []


def _decide(event: Event, around: "Surroundings", targets: list[Target], *, patient: bool) -> Decision:
    with Transaction(around.db) as tx:
        me = attend(tx, event, around)
        if around.environ.get("COORD_OFF") == "1" or guard.switched_off(tx, me["project"]):
            return Decision()
        decision = guard.authorize(tx, me, event, targets, patient=patient) if targets else Decision()
        if not decision.deny:
            _begin(tx, me, event, covered=bool(targets))
        _news(tx, me, decision)
    if targets and not decision.deny:
        _warn_of_unlanded(around, me, targets, decision)
    return decision


def _begin(tx: Transaction, me: Row, event: Event, *, covered: bool) -> None:
    """The call is open from now on. One whose writes are not known is counted, never called checked."""
    calls.open_(tx, me["runtime_id"], event.call_id, event.tool, coord=_calls_coord(event))
    if me["attention_at"] is not None:
        tx.run("UPDATE runtimes SET attention_at = NULL WHERE runtime_id = ?", me["runtime_id"])
    if not covered:
        what = "shell" if event.tool_class == SHELL else "uncovered tool"
        tx.run(
            "INSERT INTO untold VALUES (?, ?, 1, ?) ON CONFLICT(runtime_id, what) DO UPDATE SET"
            " count = count + 1, last_at = excluded.last_at",
            me["runtime_id"], what, tx.now,
        )  # fmt: skip


def _calls_coord(event: Event) -> bool:
    """A shell call of our own command: the command learns from this which subagent it belongs to."""
    return event.tool_class == SHELL and "coord" in str(event.tool_input.get("command", ""))


def _news(tx: Transaction, me: Row, decision: Decision) -> None:
    """Pressing messages, and the files that became free; both rare, so both are asked for cheaply first."""
    waiting = tx.one(
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM deliveries WHERE runtime_id = ? AND state = 'queued')"
        " OR EXISTS (SELECT 1 FROM waits WHERE runtime_id = ?) OR EXISTS (SELECT 1 FROM notes WHERE runtime_id = ?)",
        *[me["runtime_id"]] * 3,
    )
    if waiting is None:
        return
    from coordhooks.handlers import news

    news.before_call(tx, me, decision)


def _warn_of_unlanded(around: "Surroundings", me: Row, targets: list[Target], decision: Decision) -> None:
    """The first write into another conversation's uncommitted changes is let through, and noted once."""
    with Transaction(around.db, readonly=True) as tx:
        keys = [target for target in targets if _others_wrote(tx, me, target)]
    if keys:
        from coordhooks.handlers import unlanded

        unlanded.warn(around, me, keys, decision)


def _others_wrote(tx: Transaction, me: Row, target: Target) -> bool:
    from coordhooks.store import writes

    return bool(writes.others(tx, target, me["conversation_id"]))
