"""A home that can't be written: nobody writes unseen, everything else goes on, and so do file tools once it can."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from hooks.agent import Agent
from hooks.reply import Reply
from hooks.world import World

from conditions import survival
from conditions.conftest import Tally


@contextmanager
def read_only(world: World) -> Iterator[None]:
    """The home on a file system that is read-only, for root as well."""
    place = str(world.home)
    if subprocess.run(["mount", "--bind", place, place], check=False, capture_output=True).returncode:
        pytest.skip("a home can be made read-only for root only by a mount")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", place], check=True)
        yield
    finally:
        subprocess.run(["umount", place], check=True)


OTHERS: dict[str, Callable[[Agent], Reply]] = {
    "shell": lambda agent: agent.bash("true"),
    "PostToolUse": lambda agent: agent.hook("PostToolUse", tool_use_id="call-1"),
    "SessionStart": lambda agent: agent.start("compact"),
    "UserPromptSubmit": Agent.prompt,
    "Stop": Agent.stop,
    "SubagentStart": lambda agent: agent.hook("SubagentStart", agent_id="sub-1"),
    "SubagentStop": lambda agent: agent.hook("SubagentStop", agent_id="sub-1"),
    "PreCompact": lambda agent: agent.hook("PreCompact"),
    "SessionEnd": lambda agent: agent.hook("SessionEnd"),
}


@pytest.mark.parametrize("state", ["with a store", "without state"])
def test_a_home_on_a_read_only_file_system(world: World, tally: Tally, state: str) -> None:
    if state == "with a store":
        a, b = world.pair()
        a.write(world.repo / "src/a.py")
    else:
        a, b = world.agent("sess-A"), world.agent("sess-B")
    with read_only(world):
        reply = survival.in_time(b.write(world.repo / "src/b.py"))
        assert reply.denied.startswith("Not written: coordhooks could not check who holds this file ("), reply
        assert str(world.home) in reply.denied
        for name, fire in OTHERS.items():
            answer = survival.in_time(fire(b))
            assert not answer.denied, name
            assert not answer.held, name
            assert bool(answer.notice) is (name in ("SessionStart", "UserPromptSubmit")), name
            assert not answer.stderr or str(world.home) in answer.stderr, name
    survival.works_as_ever(world, a, b)
    tally(f"a home on a read-only file system, {state}", 1 + len(OTHERS))
