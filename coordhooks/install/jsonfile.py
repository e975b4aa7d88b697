"""Edits of a JSON text that leave everybody else's bytes alone.

Each edit replaces one span and remembers how to take that back, so that undoing all of them restores the text
byte for byte, odd white space included.
"""

import codecs
import json
import re
from typing import Any

from coordhooks.install.jsontext import Node, parse
from coordhooks.locations import MAX_CONFIG, contents

Path = tuple[str | int, ...]
Splice = tuple[int, int, str]  # text[start:end] becomes the string


def taken(path: str) -> dict[str, Any]:
    """What a harness takes from a JSON file of its own: nothing where it can't be read or is no object."""
    try:
        value = json.loads(contents(path, MAX_CONFIG).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


class Document:
    """A JSON text under edit. An empty text counts as ``{}``.

    Raises UnicodeDecodeError if the bytes are not UTF-8, and what ``jsontext.parse`` raises.
    """

    def __init__(self, content: bytes) -> None:
        self._bom = content.startswith(codecs.BOM_UTF8)
        self._text = content.removeprefix(codecs.BOM_UTF8).decode()
        self._undo: list[Splice] = []
        self._root = Node(0, 0, {})
        if self._text.strip(" \t\r\n"):
            self._root = parse(self._text)

    @property
    def content(self) -> bytes:
        return (codecs.BOM_UTF8 if self._bom else b"") + self._text.encode()

    @property
    def value(self) -> Any:
        return self._root.value

    @property
    def undo(self) -> list[Splice]:
        """What ``revert`` needs to take back the edits made so far: last edit first."""
        return self._undo[::-1]

    def position(self, path: Path) -> tuple[int, int]:
        """Line and column, from 1, of the value at ``path``."""
        before = self._text[: self._node(path).start]
        return before.count("\n") + 1, len(before) - before.rfind("\n")

    def revert(self, undo: list[Splice]) -> None:
        """Take back the edits of an earlier Document whose ``content`` this one was made of."""
        for start, end, old in undo:
            self._text = self._text[:start] + old + self._text[end:]
        self._root = parse(self._text) if self._text.strip(" \t\r\n") else Node(0, 0, {})

    def replace(self, path: Path, value: Any) -> None:
        """Put ``value`` in the place of the value at ``path``."""
        node = self._node(path)
        self._splice(node.start, node.end, self._render(value, self._line_indent(node.start)))

    def append(self, path: Path, value: Any) -> None:
        """Add an item to the array at ``path``."""
        self._insert(path, "", value)

    def put(self, path: Path, key: str, value: Any) -> None:
        """Add a member, whose key must be new, to the object at ``path``."""
        self._insert(path, json.dumps(key, ensure_ascii=False) + self._colon(), value)

    def remove(self, path: Path) -> None:
        """Drop the item or member at ``path`` with its comma; the exact inverse of adding it last."""
        parent = self._node(path[:-1])
        index = self._index(parent, path[-1])
        children = parent.children
        if index:
            self._splice(children[index - 1].node.end, children[index].node.end, "")
        elif len(children) > 1:
            self._splice(children[0].start, children[1].start, "")
        else:
            self._splice(parent.start + 1, parent.end - 1, "")

    # -- finding ------------------------------------------------------------------------------------------

    def _node(self, path: Path) -> Node:
        node = self._root
        for step in path:
            node = node.children[self._index(node, step)].node
        return node

    @staticmethod
    def _index(node: Node, step: str | int) -> int:
        if isinstance(step, int):
            return step
        return max(i for i, child in enumerate(node.children) if child.key == step)

    # -- writing ------------------------------------------------------------------------------------------

    def _splice(self, start: int, end: int, new: str) -> None:
        self._undo.append((start, start + len(new), self._text[start:end]))
        self._text = self._text[:start] + new + self._text[end:]
        self._root = parse(self._text)

    def _insert(self, path: Path, key: str, value: Any) -> None:
        if not self._root.end:
            self._splice(0, len(self._text), "{}" + self._newline())
        node = self._node(path)
        indent = self._child_indent(node)
        body = key + self._render(value, indent)
        if node.children:
            last = node.children[-1].node.end
            gap = (" " if self._spaced() else "") if indent is None else self._newline() + indent
            self._splice(last, last, "," + gap + body)
            return
        if indent is not None:
            close = self._line_indent(node.start) or ""
            body = self._newline() + indent + body + self._newline() + close
        self._splice(node.start + 1, node.end - 1, body)

    def _render(self, value: Any, indent: str | None) -> str:
        """The text of ``value``; ``indent`` is that of its first line, None keeps it all on one line."""
        if indent is None:
            spaced = self._spaced()
            separators = (", " if spaced else ",", ": " if spaced else ":")
            return json.dumps(value, ensure_ascii=False, separators=separators)
        if not isinstance(value, dict | list) or _is_flat_list(value):
            return json.dumps(value, ensure_ascii=False)
        deeper = indent + self._unit()
        if isinstance(value, dict):
            open_, close = "{}"
            parts = [
                json.dumps(k, ensure_ascii=False) + ": " + self._render(v, deeper) for k, v in value.items()
            ]
        else:
            open_, close = "[]"
            parts = [self._render(v, deeper) for v in value]
        line = self._newline()
        return open_ + line + deeper + ("," + line + deeper).join(parts) + line + indent + close

    # -- the manner of the file ---------------------------------------------------------------------------

    def _newline(self) -> str:
        found = re.search(r"\r?\n", self._text)
        return found.group() if found else "\n"

    def _unit(self) -> str:
        first = self._first_indent(self._root)
        return first or "  "

    def _spaced(self) -> bool:
        return re.search(r'":\S', self._text) is None

    def _colon(self) -> str:
        return ": " if self._spaced() else ":"

    def _first_indent(self, node: Node) -> str | None:
        """The indent of the first child, None if it stands on the line of its container."""
        gap = self._text[node.start + 1 : node.children[0].start] if node.children else ""
        return gap[gap.rfind("\n") + 1 :] if "\n" in gap else None

    def _child_indent(self, node: Node) -> str | None:
        if node.children:
            return self._first_indent(node)
        if self._root.children and self._first_indent(self._root) is None:
            return None
        return (self._line_indent(node.start) or "") + self._unit()

    def _line_indent(self, at: int) -> str | None:
        """The indent of the line of ``at``; None in a text that is all on one line."""
        if "\n" not in self._text[self._root.start : self._root.end] and self._root.children:
            return None
        line = self._text[self._text.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip(" \t"))]


def _is_flat_list(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(item, dict | list) for item in value)
