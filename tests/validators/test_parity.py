"""The generated validators agree with jsonschema, leave the payload alone and never quote it."""

import importlib
import json
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from validators import values

from coordhooks.validators.errors import ValidationError
from coordhooks.validators.explain import explain, locate
from schemas import generate

GENERATED = [
    f"{folder}/{file.stem}"
    for folder in generate.SOURCES
    for file in sorted((generate.ROOT / folder).glob("*.json"))
]
bounded = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])


def validator(name: str) -> Callable[[object], object]:
    module, function = locate(name)
    return getattr(importlib.import_module(f"coordhooks.validators.{module}"), function)


def samples(name: str) -> list[dict]:
    folder, _, event = name.rpartition("/")
    return [
        payload
        for payload in values.payloads(folder.partition("/")[0]).values()
        if payload["hook_event_name"] == event
    ]


@pytest.mark.parametrize("name", GENERATED)
def test_agrees_with_jsonschema(name: str) -> None:
    schema, validate = generate.load(name), validator(name)
    judge = Draft7Validator(schema)
    whole = values.accepted(schema) | st.sampled_from(samples(name) or [{}])

    @bounded
    @given(data=whole | whole.flatmap(values.broken) | values.near(schema))
    def agrees(data: object) -> None:
        before = json.dumps(data)
        try:
            assert validate(data) is data
            valid, told = True, ""
        except ValidationError as error:
            valid, told = False, str(error)
        assert values.MARK not in told
        assert valid == judge.is_valid(data)
        assert json.dumps(data) == before
        words = explain(name, data)
        assert bool(words) != valid
        assert values.MARK not in words
        assert len(words) <= 200

    agrees()


def test_a_message_is_a_path_and_a_rule() -> None:
    validate = validator("claude_code/input/Stop")
    with pytest.raises(ValidationError) as caught:
        validate({"session_id": "s", "background_tasks": [{"id": "a"}, {"id": 7}]})
    assert caught.value.path == "background_tasks[1].id"
    assert caught.value.message == "must be string or null"
    with pytest.raises(ValidationError, match="payload must have tool_input, tool_name"):
        validator("codex/input/PreToolUse")({"session_id": "s"})


def test_explains_without_jsonschema(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(importlib.sys.modules, "jsonschema", None)
    assert explain("codex/input/Stop", {"session_id": ""}).startswith("session_id: must be longer")
    assert explain("codex/input/Stop", {"session_id": "s"}) == ""
    assert explain("codex/output/Stop", {}) == "payload: can't be checked without jsonschema"


def test_explains_in_words() -> None:
    assert explain("codex/input/PreToolUse", {"tool_input": {}}) == "payload: must have session_id, tool_name"
    assert explain("codex/output/Stop", {"decision": "approve"}).startswith("payload: has a field that needs")
