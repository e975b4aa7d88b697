"""The generated validators agree with jsonschema, leave the payload alone and never quote it."""

import importlib
import json
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
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
bounded = settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])


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


def check(name: str, data: object, judge: Draft7Validator) -> None:
    before = json.dumps(data)
    try:
        assert validator(name)(data) is data
        valid, told = True, ""
    except ValidationError as error:
        valid, told = False, str(error)
    assert valid == judge.is_valid(data), data
    assert values.MARK not in told
    assert json.dumps(data) == before


@pytest.mark.parametrize("name", GENERATED)
def test_agrees_with_jsonschema(name: str) -> None:
    schema = generate.load(name)
    judge = Draft7Validator(schema)

    @bounded
    @given(data=values.accepted(schema) | values.near(schema))
    def agrees(data: object) -> None:
        check(name, data, judge)

    agrees()


@pytest.mark.parametrize("name", GENERATED)
def test_agrees_on_every_single_fault(name: str) -> None:
    schema = generate.load(name)
    judge = Draft7Validator(schema)

    @settings(bounded, max_examples=3)
    @given(whole=values.complete(schema))
    def agrees(whole: object) -> None:
        assert judge.is_valid(whole)
        for data in (whole, *values.faults(whole)):
            check(name, data, judge)

    agrees()
    for whole in samples(name):
        for data in (whole, *values.faults(whole)):
            check(name, data, judge)


@pytest.mark.parametrize("name", GENERATED)
def test_explains_what_is_wrong_without_quoting_it(name: str) -> None:
    schema = generate.load(name)
    judge = Draft7Validator(schema)

    @settings(bounded, max_examples=10)
    @given(data=values.accepted(schema) | values.near(schema))
    def explains(data: object) -> None:
        words = explain(name, data)
        assert bool(words) != judge.is_valid(data)
        assert values.MARK not in words
        assert len(words) <= 200

    explains()


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
