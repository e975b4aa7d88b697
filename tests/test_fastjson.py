"""fastjson behaves as json does, with the C core and without it."""

import importlib.util
import json
import sys
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coordhooks import fastjson

bounded = settings(deadline=None, max_examples=200)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)
# Nearly JSON: its own punctuation, in any order.
scraps = st.lists(
    st.sampled_from(
        ["{", "}", "[", "]", ",", ":", '"', "\\", "\\u12", "\\ud83d", "1", "-", "0.5", "e", "E+", "true",
         "nul", "NaN", "Infinity", "-Infinity", " ", "\n", "\x0b", "\x00", "\ufeff", "é", '"a"']
    ),
    max_size=8,
).map("".join)  # fmt: skip


def _without_the_c_core() -> ModuleType:
    """A second fastjson, made where neither it nor json finds ``_json``."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in sys.modules if name == "json" or name.startswith("json.")]:
            patch.delitem(sys.modules, name)
        patch.setitem(sys.modules, "_json", None)
        spec = importlib.util.spec_from_file_location("fastjson_in_python", fastjson.__file__)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


BOTH = pytest.mark.parametrize("core", [fastjson, _without_the_c_core()], ids=["c", "python"])


def _standard(text: str) -> object:
    """What json.loads says, with NaN and Infinity refused; the exception's type for a refusal."""

    def refuse(name: str) -> object:
        raise ValueError(name)

    try:
        return json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError):
        return ValueError


def _ours(core: ModuleType, text: str) -> object:
    try:
        return core.loads(text)
    except core.Malformed:
        return ValueError


def test_the_cores_are_two() -> None:
    assert "json" not in vars(fastjson)
    assert "json" in vars(_without_the_c_core())


@BOTH
@bounded
@given(value=json_values, indent=st.sampled_from([None, 0, 1]), space=st.sampled_from(["", " ", "\r\n\t"]))
def test_loads_what_json_dumps(core: ModuleType, value: object, indent: int | None, space: str) -> None:
    for ascii_only in (True, False):
        text = space + json.dumps(value, indent=indent, ensure_ascii=ascii_only) + space
        assert repr(core.loads(text)) == repr(json.loads(text))


@BOTH
@bounded
@given(text=scraps)
def test_refuses_what_json_refuses(core: ModuleType, text: str) -> None:
    assert repr(_ours(core, text)) == repr(_standard(text))


@BOTH
@pytest.mark.parametrize(
    "text",
    ["", " ", "1 2", "{}{}", "[1,]", '{"a":1,}', "{1:2}", "'a'", '"\n"', '"\\x"', "NaN", "[-Infinity]", "01",
     "+1", "\x0b1", "\ufeff{}", "tru", "truex", "1." , "1" * 5000, "[" * 5000, '{"a":1 "b"}'],
    ids=lambda text: repr(text[:12]),
)  # fmt: skip
def test_malformed(core: ModuleType, text: str) -> None:
    assert _standard(text) is ValueError
    with pytest.raises(core.Malformed):
        core.loads(text)


@BOTH
@pytest.mark.parametrize(
    "text", ["1e400", "-0", "-0.0", "1E5", '{"a":1,"a":2}', '"\\ud83d half"', '"\\ud83d\\ude00"']
)
def test_odd_but_right(core: ModuleType, text: str) -> None:
    assert repr(core.loads(text)) == repr(json.loads(text))


@BOTH
@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_nesting_is_an_answer_of_ours(core: ModuleType, opening: str) -> None:
    """a13: how deep is too deep depends on the Python."""
    text = opening * 5000 + "1" + {"[": "]"}.get(opening, "}") * 5000
    told = "JSON is nested too deeply"
    try:
        core.loads(text)
    except core.Malformed as error:
        told = str(error)
    assert told == "JSON is nested too deeply"
    with pytest.raises(core.Malformed):
        core.loads(opening * 200_000)


@BOTH
@settings(bounded, max_examples=80)
@given(
    value=st.lists(json_values, min_size=1) | st.dictionaries(st.text(), json_values, min_size=1),
    data=st.data(),
)
def test_every_beginning_is_incomplete(core: ModuleType, value: object, data: st.DataObject) -> None:
    text = json.dumps(
        value, ensure_ascii=data.draw(st.booleans()), indent=data.draw(st.sampled_from([None, 1]))
    )
    cut = data.draw(st.integers(0, len(text) - 1))
    with pytest.raises(core.Incomplete):
        core.raw_loads(text[:cut], 0)
    assert core.raw_loads(text + text[:cut], 0) == (value, len(text))


@BOTH
@pytest.mark.parametrize(
    "text", ["x", "[x", "{x", '{"a" x', '{"a":1 x', "[1 x", '["\\u1x', '["\\x', "[NaN", "[truex", "]"]
)
def test_what_no_more_text_can_mend(core: ModuleType, text: str) -> None:
    with pytest.raises(core.Malformed) as caught:
        core.raw_loads(text, 0)
    assert caught.type is core.Malformed


@BOTH
def test_raw_loads_begins_where_it_is_told(core: ModuleType) -> None:
    assert core.raw_loads('xx{"a":1}yy', 2) == ({"a": 1}, 9)


@BOTH
@pytest.mark.parametrize("text", ["SECRET", '["SECRET', '{"a":1}SECRET', '["SECRET" SECRET]', '"SECRET\n"'])
def test_errors_quote_nothing(core: ModuleType, text: str) -> None:
    with pytest.raises(core.Malformed) as caught:
        core.loads(text)
    assert "SECRET" not in str(caught.value)
    assert caught.value.__cause__ is None


@BOTH
@bounded
@given(value=json_values)
def test_dumps_as_json_does(core: ModuleType, value: object) -> None:
    text = core.dumps(value)
    assert text == json.dumps(value, separators=(",", ":"))
    assert text.isascii()


@BOTH
def test_dumps_refuses_what_is_not_json(core: ModuleType) -> None:
    for value in (b"bytes", {1, 2}, object()):
        with pytest.raises(TypeError, match="not a JSON type"):
            core.dumps({"a": [value]})
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="JSON compliant"):
            core.dumps([value])
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(RecursionError):
        core.dumps(loop)


@BOTH
def test_lone_surrogates_travel_as_escapes(core: ModuleType) -> None:
    """a05: parsed, and written so that every byte of the reply is ASCII."""
    value = core.loads('"\\ud83d half an emoji"')
    assert core.dumps(value) == '"\\ud83d half an emoji"'
