"""Where each value of a JSON text stands.

The standard library says what a text means, not where; a tree with positions lets an edit touch its own bytes
only. Written here rather than taken from PyPI because uninstalling must work with a bare interpreter.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

_SPACE = re.compile(r"[ \t\n\r]*")


@dataclass(slots=True)
class Node:
    """One value: ``text[start:end]``. ``children`` are the items of an array or the members of an object."""

    start: int
    end: int
    value: Any
    children: "list[Child]" = field(default_factory=list)


@dataclass(slots=True)
class Child:
    """One item or member; ``start`` is where its key begins, or the value where there is no key."""

    key: str | None
    start: int
    node: Node


def parse(text: str) -> Node:
    """The tree of a strict JSON text.

    Raises json.JSONDecodeError with line and column; ValueError for what JSON.parse of JavaScript, and so the
    harness, would not take either; RecursionError for absurd nesting.
    """
    json.loads(text, parse_constant=_refuse)  # all checks are made here: below, the text is known to be valid
    return _node(text, _skip(text, 0))


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None  # the pattern matches the empty text
    return match.end()


_SCALAR = json.JSONDecoder().raw_decode


def _node(text: str, at: int) -> Node:
    if text[at] not in "[{":
        value, end = _SCALAR(text, at)
        return Node(at, end, value)
    keyed = text[at] == "{"
    children: list[Child] = []
    here = _skip(text, at + 1)
    while text[here] not in "]}":
        child, here = _child(text, here, keyed)
        children.append(child)
        here = _skip(text, here)
        if text[here] == ",":
            here = _skip(text, here + 1)
    # The last of two equal keys counts, as in JavaScript.
    value = {c.key: c.node.value for c in children} if keyed else [c.node.value for c in children]
    return Node(at, here + 1, value, children)


def _child(text: str, at: int, keyed: bool) -> tuple[Child, int]:
    if not keyed:
        node = _node(text, at)
        return Child(None, at, node), node.end
    key, after = _SCALAR(text, at)
    colon = _skip(text, after)
    node = _node(text, _skip(text, colon + 1))
    return Child(key, at, node), node.end
