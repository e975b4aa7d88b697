"""The same bytes for the installed command, as a process: a traceback, a hang or a bare end would show only here."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness.git import make_repository
from hooks.agent import Agent
from hooks.codex_agent import CodexAgent, CodexReply
from hooks.world import World
from hypothesis import example, given
from hypothesis import strategies as st

from fuzz import examples
from fuzz.line import harmless
from fuzz.test_events import EVENTS, damaged, encoded, payloads


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Agent]]:
    folder = tmp_path_factory.mktemp("processes")
    (folder / "home").mkdir()
    world = World(folder / "home", make_repository(folder / "repo"))
    yield {"claude-code": world.agent(), "codex": CodexAgent(world)}
    world.close()


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, str, str, bytes]:
    harness, event, tool_class = draw(st.sampled_from(EVENTS))
    raw = draw(payloads(harness, event).map(encoded) | damaged(harness, event))
    return harness, event, tool_class, raw


@examples(40)
@given(call=calls())
@example(call=("codex", "PreToolUse", "file", b""))
@example(call=("claude-code", "PreToolUse", "file", b"[" * 200_000))
def test_every_process_ends_with_one_reply(
    agents: dict[str, Agent], call: tuple[str, str, str, bytes]
) -> None:
    harness, event, tool_class, raw = call
    running = agents[harness].begin(event, tool_class=tool_class, stdin=raw)
    if harness == "codex":
        answer: Any = CodexReply(event, running.wait())
        assert (answer.rc, "Traceback" in answer.stderr) == (0, False), answer.stderr
    else:
        answer = running.reply()
    assert harmless(answer.denied)
    assert harmless(answer.context)


def test_the_machine_is_whole_afterwards(agents: dict[str, Agent]) -> None:
    agent = agents["claude-code"]
    assert not agent.write(Path(agent.cwd, "src/a.py")).denied
