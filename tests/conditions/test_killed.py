"""A hook that is killed at every system call: nothing is half done, nothing is lost, and the next one goes on."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from harness import torture
from hooks.agent import Agent, Running
from hooks.tasklog import tasks
from hooks.world import World

from conditions import survival, syscalls
from conditions.conftest import Tally
from conditions.survival import Snapshot

KILLED = -9
TEXT = "the parser has moved"


class Moment(NamedTuple):
    """One hook of ``sess-A``: what led up to it, how it is begun, and what must hold after its death."""

    before: Callable[[World, Agent, Agent], object]
    begin: Callable[..., Running]
    after: Callable[[World, Agent, Agent], object]


def nothing(world: World, a: Agent, b: Agent) -> None:
    return None


def a_message(world: World, a: Agent, b: Agent) -> None:
    world.send("sess-B", "sess-A", TEXT)


def is_shown(world: World, a: Agent, b: Agent) -> None:
    """Once the reservation has ended, and unless the store has it as shown already: at least once, never lost."""
    before = world.states("sess-A")
    world.pass_time(11)
    shown = survival.in_time(a.hook("PostToolUse", tool_use_id="call-later"))
    assert before in (["queued"], ["delivered"])
    assert (TEXT in shown.context) is (before == ["queued"])
    assert world.states("sess-A") == (["delivered"] if before == ["queued"] else ["acked"])


def is_retried(world: World, a: Agent, b: Agent) -> None:
    """The harness refuses the call whose hook died; the model tries again."""
    assert survival.in_time(a.write(world.repo / "src/a.py", tool_use_id="again")).silent
    assert b.write(world.repo / "src/a.py").denied.startswith("Not an error")


def is_still_vetoed(world: World, a: Agent, b: Agent) -> None:
    assert a.write(world.repo / "src/a.py").denied.startswith("Not an error")


def b_holds(world: World, a: Agent, b: Agent) -> None:
    assert b.write(world.repo / "src/a.py").silent


def no_store(world: World, a: Agent, b: Agent) -> None:
    for path in world.state.rglob("*"):
        if not path.is_dir():
            path.unlink()


def owned(world: World, session_id: str) -> list[str | None]:
    """The titles of the tasks that a conversation's runtimes have leased."""
    rows = world.rows("SELECT runtime_id FROM runtimes WHERE conversation_id = ?", session_id)
    mine = {row["runtime_id"] for row in rows}
    return [task["title"] for task in tasks(world) if (task["lease"] or {}).get("harness_id") in mine]


def turn_ends(world: World, a: Agent, b: Agent) -> None:
    assert not survival.in_time(a.stop()).stdout
    assert "sess-A" not in world.leases().values()
    next_turn_begins(world, a, b)


def next_turn_begins(world: World, a: Agent, b: Agent) -> None:
    """Nobody fires a Stop twice: the next prompt settles what the dead hook left."""
    assert not survival.in_time(a.prompt("Next")).stdout
    assert owned(world, "sess-A") == ["Next"]


def session_is_over(world: World, a: Agent, b: Agent) -> None:
    """The harness ends after its hook, however that ended; then nothing of it is left."""
    world.rows("UPDATE runtimes SET pid_start = '1' WHERE conversation_id = 'sess-A'")
    assert survival.in_time(b.write(world.repo / "src/a.py")).silent
    assert b.start("compact").rc == 0  # gives back the tasks of the dead
    assert world.live() == ["sess-B"]
    assert owned(world, "sess-A") == []


def a_holds(world: World, a: Agent, b: Agent) -> None:
    assert a.write(world.repo / "src/a.py").silent


def write_a(world: World, a: Agent, **options: object) -> Running:
    return a.begin_write(world.repo / "src/a.py", **options)


def event(name: str, **fields: object) -> Callable[..., Running]:
    return lambda world, a, **options: a.begin(name, **fields, **options)


MOMENTS = {
    "a claim": Moment(nothing, write_a, is_retried),
    "a veto": Moment(b_holds, write_a, is_still_vetoed),
    "a claim on a machine without state": Moment(no_store, write_a, is_retried),
    "showing a message": Moment(a_message, event("PostToolUse", tool_use_id="call-1"), is_shown),
    "a prompt with its ledger appends": Moment(nothing, event("UserPromptSubmit", prompt="Fix", prompt_id="p-9"), turn_ends),
    "a session's start": Moment(a_message, event("SessionStart", source="compact"), is_shown),
    "a turn's end": Moment(a_holds, event("Stop", background_tasks=[]), next_turn_begins),
    "a session's end": Moment(a_holds, event("SessionEnd"), session_is_over),
}  # fmt: skip


@syscalls.needs_strace
@pytest.mark.parametrize("name", MOMENTS)
def test_killed_at_every_system_call(world: World, tmp_path: Path, tally: Tally, name: str) -> None:
    before, begin, after = MOMENTS[name]
    a, b = world.pair()
    before(world, a, b)
    start, out = Snapshot(world), tmp_path / "trace"
    assert begin(world, a, prefix=syscalls.prefix(out)).reply().rc == 0
    calls = syscalls.at_the_store(syscalls.read(out), world.state)
    calls = syscalls.sample(calls, torture.count(10, len(calls)))
    killed = 0
    for call in calls:
        print(call)
        start.restore()
        killed += begin(world, a, prefix=syscalls.kill_at(out, call)).wait()["rc"] == KILLED
        survival.goes_on(world, b, a)
        after(world, a, b)
        survival.whole(world)
    tally(f"the hook is killed at every system call of {name}", killed)
    assert killed >= len(calls) * 0.7, "the calls differ too much from run to run"
