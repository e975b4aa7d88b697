"""Values for the tests of schemas: any JSON, what a schema accepts, and real payloads gone wrong."""

import json
from copy import deepcopy
from pathlib import Path

from hypothesis import strategies as st

PAYLOADS = Path(__file__).parent.parent / "payloads"
MARK = "Ω"  # in every generated text and key, and in no schema: where it turns up, the payload leaked

# Some bounds are those of the ledger; the others meet every limit of 0 or 1 from both sides.
numbers = st.integers(-2, 200) | st.sampled_from([1.0, 0.5, -0.5, 1e300])
words = st.sampled_from(["", MARK, f"{MARK} {MARK}"])
scalars = st.none() | st.booleans() | numbers | words
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words, inner, max_size=2),
    max_leaves=4,
)


def accepted(schema: dict) -> st.SearchStrategy:
    """Values that a schema of our vocabulary accepts, but for its ``dependencies``."""
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "type" not in schema:
        return anything
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return st.one_of([OF_TYPE[name](schema) for name in types])


def _objects(schema: dict) -> st.SearchStrategy:
    needed = schema.get("required", [])
    parts = {name: accepted(part) for name, part in schema.get("properties", {}).items()}
    return st.fixed_dictionaries(
        {name: parts.pop(name, anything) for name in needed},
        optional=parts
        | ({"field from the future": anything} if schema.get("additionalProperties", True) else {}),
    )


OF_TYPE = {
    "null": lambda schema: st.none(),
    "boolean": lambda schema: st.booleans(),
    "integer": lambda schema: st.integers(schema.get("minimum", -5), schema.get("maximum", 5000)),
    "number": lambda schema: st.floats(schema.get("minimum", -5), schema.get("maximum", 5000)),
    "string": lambda schema: st.text(min_size=schema.get("minLength", 0), max_size=8),
    "array": lambda schema: st.lists(accepted(schema.get("items", {})), max_size=2),
    "object": _objects,
}


def near(schema: dict) -> st.SearchStrategy:
    """Objects with the fields of a schema, of any type, some missing, some unknown."""
    fields = {name: accepted(part) | anything for name, part in schema.get("properties", {}).items()}
    return st.fixed_dictionaries({}, optional=fields | {MARK: anything}) | anything


@st.composite
def broken(draw: st.DrawFn, whole: object) -> object:
    """A copy of a value in which one or two places were dropped, replaced or joined by another."""
    value = deepcopy(whole)
    for _ in range(draw(st.integers(1, 2))):
        holders = list(_holders(value))
        if not holders:
            return draw(anything)
        holder = draw(st.sampled_from(holders))
        key = draw(st.sampled_from(list(holder) if isinstance(holder, dict) else range(len(holder))))
        if draw(st.booleans()):
            holder[key] = draw(anything)
        else:
            del holder[key]
    return value


def _holders(value: object):
    """Every object and array of a value that holds something."""
    if isinstance(value, (dict, list)) and value:
        yield value
        for part in value.values() if isinstance(value, dict) else value:
            yield from _holders(part)


def payloads(harness: str) -> dict[str, dict]:
    """The real payloads of a harness, by file name."""
    return {file.stem: json.loads(file.read_text()) for file in sorted((PAYLOADS / harness).glob("*.json"))}
