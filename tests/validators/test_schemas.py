"""What the schemas say: real payloads pass, tomorrow's pass too, and replies are what harnesses accept."""

import json

import pytest
from hypothesis import HealthCheck, assume, given, settings
from jsonschema import Draft7Validator
from validators import values

from schemas import generate

EVENTS = {
    "claude_code": {
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
        "PostToolBatch", "Notification", "PermissionRequest", "PermissionDenied", "Stop", "SubagentStart",
        "SubagentStop", "PreCompact", "SessionEnd", "ConfigChange",
    },
    "codex": {
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PermissionRequest", "Stop",
        "SubagentStart", "SubagentStop", "Interrupt", "PreCompact", "SessionEnd",
    },
}  # fmt: skip
# Events that harnesses have and no hook of ours listens to; their payloads are kept for the day one does.
UNHEARD = {
    "CwdChanged", "FileChanged", "InstructionsLoaded", "MessageDisplay", "PostCompact",
    "PreSkillShellCommand", "Setup", "UserPromptExpansion", "WorktreeCreate",
}  # fmt: skip
ALL = [
    file.relative_to(generate.ROOT).with_suffix("").as_posix()
    for file in sorted(generate.ROOT.glob("**/*.json"))
]
INPUTS = [name for name in ALL if "/input/" in name]
CODEX_OUTPUTS = [name for name in ALL if name.startswith("codex/output/")]
REAL = [
    pytest.param(harness, payload, id=f"{harness}-{name}")
    for harness in EVENTS
    for name, payload in values.payloads(harness).items()
    if payload["hook_event_name"] not in UNHEARD
]
MINIMAL = {
    "PreToolUse": {"tool_name": "Write", "tool_input": {}},
    "PostToolUse": {"tool_name": "Write", "tool_input": {}},
    "PostToolUseFailure": {"tool_name": "Write", "tool_input": {}},
    "SubagentStart": {"agent_id": "a"},
    "SubagentStop": {"agent_id": "a"},
}
DENY = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "held"}


def valid(name: str, data: object) -> bool:
    return Draft7Validator(generate.load(name)).is_valid(data)


@pytest.mark.parametrize("harness", EVENTS)
def test_every_event_has_both(harness: str) -> None:
    for side in ("input", "output"):
        files = (generate.ROOT / harness / side).glob("*.json")
        assert {file.stem for file in files} == EVENTS[harness]


@pytest.mark.parametrize("name", ALL)
def test_draft_07_and_nothing_that_is_read_in_two_ways(name: str) -> None:
    schema = generate.load(name)  # refuses every keyword outside the vocabulary
    Draft7Validator.check_schema(schema)


@pytest.mark.parametrize(
    "keyword", ["pattern", "default", "$ref", "format", "multipleOf", "prefixItems", "$id"]
)
def test_the_vocabulary_is_held(keyword: str) -> None:
    nested = {"type": "object", "properties": {"a": {"type": "array", "items": {keyword: 1}}}}
    assert keyword in set(generate.keywords(nested))
    assert keyword not in generate.REPLY_VOCABULARY


@pytest.mark.parametrize(("harness", "payload"), REAL)
def test_real_payloads_pass(harness: str, payload: dict) -> None:
    name = f"{harness}/input/{payload['hook_event_name']}"
    assert valid(name, payload)
    assert valid(name, payload | {"field_from_the_future": {"x": [1]}, "session_title": None})


@pytest.mark.parametrize("name", INPUTS)
def test_inputs_are_open_and_want_little(name: str) -> None:
    event = name.rpartition("/")[2]
    least = {"session_id": "s"} | MINIMAL.get(event, {})
    assert valid(name, least)
    assert valid(name, least | {"source": "teleport", "transcript_path": None, "tool_name": "PowerShell"})
    assert generate.load(name)["additionalProperties"] is True
    for field in least:
        assert not valid(name, {key: value for key, value in least.items() if key != field})
        assert not valid(name, least | {field: None})
    assert not valid(name, least | {"session_id": ""})


@pytest.mark.parametrize("harness", EVENTS)
def test_replies_of_pre_tool_use(harness: str) -> None:
    name = f"{harness}/output/PreToolUse"
    for special in (
        DENY,
        DENY | {"additionalContext": "c"},
        {"hookEventName": "PreToolUse", "additionalContext": "c"},
    ):
        assert valid(name, {"hookSpecificOutput": special})
        assert valid(name, {"hookSpecificOutput": special, "systemMessage": "m"})
    for wrong in (
        {"permissionDecision": "allow"},
        {"permissionDecision": "ask"},
        {"permissionDecisionReason": ""},
        {"hookEventName": "Stop"},
        {"updatedInput": {}},
    ):
        assert not valid(name, {"hookSpecificOutput": DENY | wrong})
    # Codex lets the call through when a veto has no reason, or one unknown key.
    assert not valid(name, {"hookSpecificOutput": {k: v for k, v in DENY.items() if "Reason" not in k}})
    assert not valid(name, {"hookSpecificOutput": DENY, "continue": False})


def test_codex_allows_only_what_it_rewrites() -> None:
    name = "codex/output/PreToolUse"
    special = {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"command": "x"}}
    assert valid(name, {"hookSpecificOutput": special | {"additionalContext": "c"}, "systemMessage": "m"})
    for field in special:
        assert not valid(name, {"hookSpecificOutput": {k: v for k, v in special.items() if k != field}})
    assert not valid(name, {"hookSpecificOutput": special | {"permissionDecisionReason": "r"}})


@pytest.mark.parametrize(
    "name", ["claude_code/output/Stop", "codex/output/Stop", "codex/output/SubagentStop"]
)
def test_a_stop_is_held_with_a_reason_or_not_at_all(name: str) -> None:
    assert valid(name, {"decision": "block", "reason": "unread", "systemMessage": "m"})
    assert not valid(name, {"decision": "block"})
    assert not valid(name, {"reason": "unread"})
    assert not valid(name, {"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "c"}})


@pytest.mark.parametrize("name", CODEX_OUTPUTS)
@settings(
    deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(draw=values.st.data())
def test_codex_accepts_what_we_accept(name: str, draw) -> None:
    schema = generate.load(name)
    reply = draw.draw(values.accepted(schema))
    assume(Draft7Validator(schema).is_valid(reply))
    theirs = _codex_schema(name.rpartition("/")[2])
    assert reply == {} if theirs is None else Draft7Validator(theirs).is_valid(reply)


def _codex_schema(event: str) -> dict | None:
    kebab = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in event).lstrip("-")
    file = values.PAYLOADS / "codex_schemas" / f"{kebab}.command.output.schema.json"
    return json.loads(file.read_text()) if file.exists() else None


def test_only_the_end_of_a_session_has_no_reply_in_codex() -> None:
    assert [event for event in EVENTS["codex"] if _codex_schema(event) is None] == ["SessionEnd"]
