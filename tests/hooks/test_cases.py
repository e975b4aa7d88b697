"""Every file in ``cases/`` is one case: what led up to a call, the call, and what must come of it.

``guards`` says why the case is there. ``held`` maps conversations to files that they hold beforehand; they
and ``sess-A`` live in processes of their own. Each of ``calls`` is a hook call: its ``event``, fields of its
payload, and what it must give (``expect``). In all texts $REPO, $HOME and $TMP are replaced.

``expect`` is ``silence``, ``nothing`` (no stdout, but a line on stderr), or an object: ``deny``, ``context``,
``notice`` and ``unreadable`` are lists of texts that must stand in it, ``within`` is a number of seconds.
"""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from hooks.agent import Agent
from hooks.reply import Reply
from hooks.world import World

CASES = sorted(Path(__file__).with_name("cases").glob("*.json"))
FIELDS = {"deny": "denied", "context": "context", "notice": "notice", "unreadable": "denied"}
REFUSALS = {"deny": "Not an error: ", "unreadable": "Not written: "}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(world: World, path: Path) -> None:
    case = filled_in(json.loads(path.read_text(encoding="utf-8")), world)
    assert case.pop("guards")
    agents: dict[str, Agent] = {}
    for folder in case.pop("folders", []):
        Path(folder).mkdir(parents=True)
    for name, text in case.pop("files", {}).items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    for session_id, files in case.pop("held", {}).items():
        agents[session_id] = world.agent(session_id)
        agents[session_id].prompt("Something else")
        for file in files:
            assert not agents[session_id].write(file).denied
    env = case.pop("env", {})
    for call in case.pop("calls"):
        session_id = call.pop("by", "sess-A")
        if session_id not in agents:
            agents[session_id] = world.agent(session_id, **env)
        judge(fire(agents[session_id], call), call.pop("expect"))
    after(world, case.pop("after", {}))
    assert not case, "unknown parts of a case"


def filled_in(value: Any, world: World) -> Any:
    if isinstance(value, str):
        for name, folder in (("$REPO", world.repo), ("$HOME", world.home), ("$TMP", world.home.parent)):
            value = value.replace(name, str(folder))
        return value
    if isinstance(value, list):
        return [filled_in(item, world) for item in value]
    if isinstance(value, dict):
        return {filled_in(key, world): filled_in(item, world) for key, item in value.items()}
    return value


def fire(agent: Agent, call: dict[str, Any]) -> Reply:
    """Make the payload and start the hook. ``raw`` is the payload's own text, ``prefix_hex`` stands before it."""
    event = call.pop("event", "PreToolUse")
    options = {name: call.pop(name) for name in ("keep_open", "env", "tool_class") if name in call}
    fields = call.pop("fields", {})
    payload = {**agent.payload(event, **fields), **call.pop("exactly", {})}
    for path, times in call.pop("repeat", {}).items():  # a text in the payload that is too long for a file
        *way, last = path.split(".")
        holder = payload
        for step in way:
            holder = holder[step]
        holder[last] = holder[last] * times
    for path, depth in call.pop("nest", {}).items():
        payload["tool_input"][path] = json.loads("[" * depth + "]" * depth) if depth < 500 else f"NEST{depth}"
    text = call.pop("raw", json.dumps(payload, ensure_ascii=call.pop("ascii", True)))
    for depth in (5000, 100_000):
        text = text.replace(f'"NEST{depth}"', "[" * depth + "]" * depth)
    data = bytes.fromhex(call.pop("prefix_hex", "")) + text.encode("utf-8") + call.pop("suffix", "").encode()
    options.setdefault("cwd", fields.get("cwd") or None)
    return agent.hook(event, stdin=data, tool_name=payload.get("tool_name"), **options)


def judge(reply: Reply, expect: Any) -> None:
    if expect == "silence":
        assert reply.silent, reply
        return
    if expect == "nothing":
        assert not reply.stdout, reply
        assert reply.stderr
        return
    assert reply.seconds < expect.pop("within", 5)
    for name, texts in expect.items():
        found = getattr(reply, FIELDS[name])
        assert found.startswith(REFUSALS.get(name, "")), reply
        assert all(text in found for text in texts), reply
    if not {"deny", "unreadable"} & set(expect):
        assert not reply.denied, reply


def after(world: World, facts: dict[str, Any]) -> None:
    """What must be true in the end."""
    for name in facts.pop("absent", []):
        assert not Path(name).exists()
    if "leases" in facts:
        assert world.leases() == facts.pop("leases")
    if "live" in facts:
        assert world.live() == sorted(facts.pop("live"))
    if "problems" in facts:
        assert len(world.problems()) == facts.pop("problems"), world.problems()
    for text in facts.pop("nowhere", []):
        for form in (text.encode(), base64.b64encode(text.encode())):
            assert [p for p in world.state.rglob("*") if p.is_file() and form in p.read_bytes()] == []
    if "uncovered" in facts:
        rows = world.rows("SELECT what, sum(count) AS n FROM untold GROUP BY what")
        assert {row["what"]: row["n"] for row in rows} == facts.pop("uncovered")
    assert not facts, "unknown facts"


def test_there_are_cases() -> None:
    assert len(CASES) > 25
