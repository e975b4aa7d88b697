"""The bash grammar, loaded only here: text in, syntax tree out, in bounded time.

The grammar's error recovery and some of its scanners are quadratic in the text, so what is handed to it is
bounded: by its size without the bodies of here-documents that are plain data, by the number of steps, and in the
last resort by the clock.
"""

from __future__ import annotations

import time

from coordhooks.targets.shell import bindings
from coordhooks.targets.shell.verdict import Untellable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Node = Any  # tree_sitter.Node: nobody but the walk knows its shape
else:
    Node = object

MAX_TEXT = 2_000_000  # characters in all
MAX_CODE = 16_000  # characters outside of plain here-documents
MAX_STEPS = 4000  # times the parser asks whether to go on; it asks every hundred operations
MAX_SECONDS = 0.4

# The grammar's scanner reads beyond its tables on some characters outside of ASCII, and the process dies. To the
# shell they are plain parts of words, so the grammar sees letters in their place; texts are cut from the source.
ASCII = bytes(range(128)) + b"x" * 128

_parser: Any = None


def parse(source: bytes) -> Node:
    """The root of the syntax tree. Raises ``Untellable`` if there is no grammar, or the text is too much for it."""
    if len(source) > MAX_TEXT or _code_size(source) > MAX_CODE:
        raise Untellable("the command is too long to be read")
    if b"\0" in source:
        raise Untellable("the command holds a NUL character")
    parser, readable = _load(), source.translate(ASCII)
    steps, until = 0, time.monotonic() + MAX_SECONDS

    def stop(_offset: int, _error: bool) -> bool:
        nonlocal steps
        steps += 1
        return steps > MAX_STEPS or time.monotonic() > until

    try:
        return parser.parse(lambda at, _: readable[at : at + 65536], progress_callback=stop).root_node
    except ValueError:  # it was stopped
        parser.reset()
        raise Untellable("the command is too intricate to be read") from None


def _load() -> Any:
    global _parser  # noqa: PLW0603 - one parser a process
    if _parser is None:
        try:
            _parser = bindings.parser()
        except ImportError as error:
            raise Untellable("the shell grammar is not installed (tree-sitter, tree-sitter-bash)") from error
    return _parser


def _code_size(source: bytes) -> int:
    """Bytes outside of here-documents whose body is quoted, or expands nothing. Only a measure of the effort."""
    if len(source) <= MAX_CODE:
        return len(source)
    size, lines = 0, iter(source.split(b"\n"))
    for line in lines:
        size += len(line) + 1
        opener = line.rpartition(b"<<")[2].lstrip(b"-").split()
        if b"<<" in line and opener:
            quoted = opener[0][:1] in (b"'", b'"', b"\\")
            size += _body_size(lines, opener[0].strip(b"'\"\\;)|&"), quoted)
    return size


def _body_size(lines: Iterator[bytes], end: bytes, quoted: bool) -> int:
    size = 0
    for line in lines:
        if line.strip(b"\t") == end:
            break
        if not quoted and (b"$" in line or b"`" in line):
            size += len(line) + 1
    return size


def first_error(root: Node, source: bytes) -> int:
    """The byte at which the grammar first lost the thread, or the end of the text."""
    stack, end, seen = [root], len(source), 0
    while stack:
        node = stack.pop()
        seen += 1
        if seen > MAX_STEPS:
            return 0
        for child in node.children:
            if child.is_error or child.is_missing:
                if not _harmless(child, node, source):
                    end = min(end, child.start_byte - child.is_missing)  # a quote that is missing at the end
            elif child.has_error and child.start_byte < end:
                stack.append(child)
    return end


def _harmless(node: Node, parent: Node, source: bytes) -> bool:
    """Two gaps of the grammar that mean nothing: ``<>``, and ``A=1 > file`` without a command."""
    if node.is_missing:
        return bool(parent.type == "command_name")
    return source[node.start_byte - 1 : node.end_byte] == b"<>"
