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
    if "anyOf" in schema:
        return st.one_of([accepted(form) for form in schema["anyOf"]])
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


def complete(schema: dict) -> st.SearchStrategy:
    """Accepted objects that have every field the schema knows, and something in every list."""
    if "properties" in schema:
        return st.fixed_dictionaries({name: complete(part) for name, part in schema["properties"].items()})
    if "items" in schema:
        return complete(schema["items"]).map(lambda item: [item])
    return accepted(schema)


def near(schema: dict) -> st.SearchStrategy:
    """Objects with the fields of a schema, of any type, some missing, some unknown."""
    fields = {name: accepted(part) | anything for name, part in schema.get("properties", {}).items()}
    return st.fixed_dictionaries({}, optional=fields | {MARK: anything}) | anything


# What one field may turn into: every type, and both sides of every limit.
FAULTS = (
    None, True, -1, 0, 1, 0.5, 1.0, 2**53, 2**63, 2**64, 1e300, "", MARK, [], [None], [{}], {}, {MARK: MARK},
)  # fmt: skip


def faults(whole: object):
    """Copies of a value with one place replaced, dropped or joined by another, for every place."""
    for path in _places(whole, ()):
        for fault in FAULTS:
            yield _with(
                whole, path, lambda holder, key, fault=fault: holder.__setitem__(key, deepcopy(fault))
            )
        yield _with(whole, path, lambda holder, key: holder.__delitem__(key))
        yield _with(whole, path, lambda holder, key: isinstance(holder, dict) and holder.update({MARK: 1}))


def _places(value: object, path: tuple):
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in steps:
        yield (*path, key)
        yield from _places(part, (*path, key))


def _with(whole: object, path: tuple, change) -> object:
    value = holder = deepcopy(whole)
    for step in path[:-1]:
        holder = holder[step]
    change(holder, path[-1])
    return value


def payloads(harness: str) -> dict[str, dict]:
    """The real payloads of a harness, by file name."""
    return {file.stem: json.loads(file.read_text()) for file in sorted((PAYLOADS / harness).glob("*.json"))}
