"""Any bytes on the standard input of every event of both harnesses: one reply that the harness takes."""

import functools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordhooks.harness import claude_code, codex
from fuzz import examples
from fuzz.line import ME, SUB, Line
from fuzz.words import PATHS, anything, paths, texts
from hooks import agent, codex_agent

SCHEMAS = Path(__file__).parents[2] / "schemas"
EVENTS = [
    (harness.NAME, event, tool_class)
    for harness in (claude_code, codex)
    for event in harness.KINDS
    for tool_class in (("file", "shell", "mcp") if event in ("PreToolUse", "PostToolUse") else ("",))
]
TOOLS = (
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "Bash",
    "apply_patch",
    "mcp__fs__write_file",
    "mcp__x__get",
    "Other",
)
KEYS = ("file_path", "notebook_path", "command", "path", "paths", "files", "content", "workdir", "edits")

sessions = st.sampled_from([ME, ME, ME, "sess-B", "sess-new"]) | texts
inputs = st.dictionaries(
    st.sampled_from(KEYS), paths | st.lists(paths, max_size=3) | anything, min_size=1, max_size=3
)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "session_id": sessions,
    "agent_id": st.sampled_from([SUB, "sub-2"]) | texts,
    "prompt": texts,
    "tool_name": st.sampled_from(TOOLS) | texts,
    "tool_input": inputs | anything,
    "cwd": paths,
    "transcript_path": paths,
    "stop_hook_active": st.booleans() | anything,
    "background_tasks": st.lists(st.fixed_dictionaries({"id": texts}) | anything, max_size=3),
    "source": st.sampled_from(["startup", "resume", "clear", "compact", "fork"]) | texts,
    "notification_type": st.sampled_from(["permission_prompt", "idle_prompt"]) | texts,
}


@functools.cache
def sample(harness: str, event: str) -> dict[str, Any]:
    return (agent if harness == "claude-code" else codex_agent).sample(event)


@functools.cache
def fields(harness: str, event: str) -> tuple[str, ...]:
    """Everything that the event may hold."""
    schema = json.loads((SCHEMAS / harness.replace("-", "_") / "input" / f"{event}.json").read_text())
    return tuple(dict.fromkeys([*sample(harness, event), *schema["properties"], *FIELDS]))


@st.composite
def payloads(draw: st.DrawFn, harness: str, event: str) -> dict[str, Any]:
    """The observed payload with a few fields gone, of another type, or hostile."""
    payload = {**sample(harness, event), "session_id": ME, "cwd": "/", "transcript_path": None}
    for name in draw(st.lists(st.sampled_from(fields(harness, event)), max_size=4, unique=True)):
        if draw(st.integers(0, 5)) == 0:
            payload.pop(name, None)
        else:
            payload[name] = draw(FIELDS.get(name, texts | anything))
    return payload


def encoded(payload: object) -> bytes:
    return json.dumps(payload).encode()


@st.composite
def damaged(draw: st.DrawFn, harness: str, event: str) -> bytes:
    """Bytes that were a payload: cut, with something put in, or never one."""
    whole = encoded(draw(payloads(harness, event)))[:50_000]
    at, end = sorted((draw(st.integers(0, len(whole))), draw(st.integers(0, len(whole)))))
    return draw(
        st.sampled_from([whole[:at], whole[at:], whole[:at] + whole[end:], whole + whole])
        | st.binary(max_size=20).map(lambda junk: whole[:at] + junk + whole[at:])
        | st.binary(max_size=60)
        | anything.map(encoded)
    )


@pytest.mark.parametrize(("harness", "event", "tool_class"), EVENTS)
@examples(15)
@given(data=st.data())
def test_a_payload_with_any_fields(
    line: Line, harness: str, event: str, tool_class: str, data: st.DataObject
) -> None:
    payload = data.draw(payloads(harness, event))
    if payload.get("cwd") == "/":
        payload["cwd"] = str(line.repo)
    line.fire(harness, event, tool_class, encoded(payload))
    line.again(harness, event, tool_class, encoded(payload))


@pytest.mark.parametrize(("harness", "event", "tool_class"), EVENTS)
@examples(10)
@given(data=st.data())
def test_any_bytes(line: Line, harness: str, event: str, tool_class: str, data: st.DataObject) -> None:
    line.fire(harness, event, tool_class, data.draw(damaged(harness, event)))


@pytest.mark.parametrize("event", ["SessionStart", "PreToolUse", "Stop"])
def test_a_transcript_of_any_name(line: Line, event: str) -> None:
    for name in PATHS:
        payload = {
            **sample("claude-code", event),
            "session_id": ME,
            "cwd": str(line.repo),
            "source": "startup",
        }
        tool_class = "file" if event == "PreToolUse" else ""
        line.fire("claude-code", event, tool_class, encoded({**payload, "transcript_path": name}))
