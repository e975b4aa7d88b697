"""The clock jumps between two hooks: nobody is locked out, nothing is hidden, and two never hold one file."""

import pytest
from hooks.agent import Agent
from hooks.world import World

from conditions import survival
from conditions.conftest import Tally

HOUR, DAY = 3600, 86400
JUMPS = {
    "a day back": -DAY,
    "eight hours on": 8 * HOUR,
    "nine years back": -9 * 365 * DAY,
    "a year on": 365 * DAY,
}
SHIFTED = """
import time
_jump = float(os.environ.get("JUMP", "0"))
time.time = lambda real=time.time: real() + _jump
"""
TEXT = "the parser has moved"


@pytest.fixture
def agents(world: World) -> tuple[Agent, Agent]:
    """Agents whose hooks have a clock that can be set."""
    world.tamper("hook.py", SHIFTED)
    return world.pair()


def jump(agents: tuple[Agent, Agent], seconds: int) -> None:
    for agent in agents:
        agent.env["JUMP"] = str(seconds)


@pytest.mark.parametrize("name", JUMPS)
def test_work_goes_on(world: World, agents: tuple[Agent, Agent], tally: Tally, name: str) -> None:
    """There, and back again."""
    a, b = agents
    assert a.write(world.repo / "src/a.py").silent
    for number, seconds in enumerate((JUMPS[name], 0)):
        jump(agents, seconds)
        assert survival.in_time(b.write(world.repo / "src/a.py")).denied.startswith("Not an error")
        assert not survival.in_time(a.write(world.repo / "src/a.py")).denied
        survival.works_as_ever(world, b, a, f"src/new-{number}.py")
    a.stop()
    assert not b.write(world.repo / "src/a.py").denied
    assert not world.problems()
    tally(f"the clock jumps {name}, and back", 2)


@pytest.mark.parametrize("name", JUMPS)
def test_a_message_whose_showing_was_cut_off_is_not_hidden(
    world: World, agents: tuple[Agent, Agent], name: str
) -> None:
    world.send("sess-B", "sess-A", TEXT)
    world.rows("UPDATE deliveries SET reserved_until = unixepoch() + 10")  # its hook died before it was told
    jump(agents, JUMPS[name])
    assert TEXT in agents[0].hook("PostToolUse", tool_use_id="call-1").context


def test_a_message_from_the_future_makes_no_loop_of_the_next_ones(
    world: World, agents: tuple[Agent, Agent]
) -> None:
    from coordhooks.store import messages

    world.send("sess-A", "sess-B", TEXT)
    world.send("sess-A", "sess-B", TEXT + " again")
    a, b = (world.runtime(name)["runtime_id"] for name in ("sess-A", "sess-B"))
    with world.store.transaction() as tx:
        assert messages.too_many(tx, a, b, TEXT)
        tx.now -= DAY
        assert not messages.too_many(tx, a, b, TEXT)


@pytest.mark.parametrize("name", JUMPS)
def test_a_file_for_one_call_comes_free(world: World, agents: tuple[Agent, Agent], name: str) -> None:
    """A harness that says nothing of the call's end: a minute later it is free, whatever the clock did."""
    a, b = agents
    assert a.write(world.repo / "CHANGELOG.md").silent
    jump(agents, JUMPS[name])
    b.write(world.repo / "CHANGELOG.md")
    jump(agents, JUMPS[name] + 61)
    assert not b.write(world.repo / "CHANGELOG.md").denied
