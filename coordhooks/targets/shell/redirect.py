"""Redirections: where output goes, what comes in, here-documents, and the commands behind their operator."""

from __future__ import annotations

from coordhooks.targets.shell import words
from coordhooks.targets.shell.grammar import Node
from coordhooks.targets.shell.scope import EMPTY, UNKNOWN, Scope, Stream
from coordhooks.targets.shell.strings import here_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from coordhooks.targets.shell.walk import Shell

WRITING = (">", ">>", ">|", "&>", "&>>", ">&", "<>")
OVERWRITING = (">", ">|", "&>", ">&")
DESCRIPTORS = (">&", "<&", ">&-", "<&-")


def around(shell: Shell, nodes: list[Node], scope: Scope, body: Callable[[list[Node]], Stream]) -> Stream:
    """Run ``body`` with redirections around it.

    The grammar takes arguments that follow a redirection for a part of it: they are handed to ``body``.
    """
    before, quiet = scope.stdin, False
    arguments: list[Node] = []
    behind: list[Node] = []
    for node in _flat(nodes):
        if node.type == "herestring_redirect":
            scope.stdin = _here_string(shell, node, scope)
        elif node.type == "heredoc_redirect":
            scope.stdin = _here_document(shell, node, scope)
            arguments += [child for child in node.children if child.type in ARGUMENTS]
            behind.append(node)
        else:
            quiet |= _file(shell, node, scope)
            arguments += _destinations(shell, node)[1]
    stream = body(arguments)
    if quiet:
        stream = EMPTY
    scope.stdin = before
    for node in behind:
        stream = _go_on(shell, node, scope, stream)
    return stream


ARGUMENTS = (
    "word", "string", "raw_string", "concatenation", "simple_expansion", "expansion", "number", "ansi_c_string",
    "command_substitution", "process_substitution", "brace_expression",
)  # fmt: skip


def _flat(nodes: list[Node]) -> list[Node]:
    """Redirections that stand behind a here-document's operator are its children: bring them up."""
    found: list[Node] = []
    for node in nodes:
        found.append(node)
        if node.type == "heredoc_redirect":
            found += [
                child for child in node.children if child.type in ("file_redirect", "herestring_redirect")
            ]
    return found


def _destinations(shell: Shell, node: Node) -> tuple[list[Node], list[Node]]:
    """The nodes of the one destination (see ``words.grouped``), and what the grammar wrongly adds to it."""
    named = [
        child for child in node.children if child.is_named and child.type not in ("file_descriptor", "ERROR")
    ]
    first, *others = words.grouped(shell, named) or [[]]
    return first, [node for group in others for node in group]


def _file(shell: Shell, node: Node, scope: Scope) -> bool:
    """One redirection from or to a file. Is standard output gone?"""
    operator = next((child.type for child in node.children if not child.is_named), "")
    if operator == "<" and any(child.type == "ERROR" for child in node.children):
        operator = "<>"  # which the grammar does not know
    descriptor = next((shell.text(child) for child in node.children if child.type == "file_descriptor"), "")
    found = _destinations(shell, node)[0]
    if not found or found[0].is_missing:
        return False
    target = words.expand_all(shell, scope, found)
    if operator == "<":
        scope.stdin = target[0].stream or UNKNOWN if target else UNKNOWN
        return False
    for word in target:
        if operator in DESCRIPTORS and (word.text or "").rstrip("-").isdecimal():
            return descriptor in ("", "1")
        if operator in WRITING:
            shell.write(word, scope, f"redirection {operator}", overwrite=operator in OVERWRITING)
    return descriptor in ("", "1")


def _here_string(shell: Shell, node: Node, scope: Scope) -> Stream:
    word = shell.value([child for child in node.children if child.is_named], scope)
    return Stream(word.text + "\n") if word.text is not None else Stream(None, word.roots)


def _here_document(shell: Shell, node: Node, scope: Scope) -> Stream:
    """The body as text; expansions in it run, and make it unknown if they can't be told."""
    parts = {child.type: child for child in node.children}
    start, body, end = (parts.get(f"heredoc_{part}") for part in ("start", "body", "end"))
    if start is None or body is None or end is None:
        return UNKNOWN
    delimiter = shell.text(start)
    if any(char in delimiter for char in "'\"\\"):
        return Stream(_unindented(shell.slice(body.start_byte, end.start_byte), node))
    text, at, known = "", body.start_byte, True
    for child in body.children:
        if child.type in words.EXPANSIONS:
            value = shell.value([child], scope)
            text += here_document(shell.slice(at, child.start_byte)) + (value.text or "")
            known = known and value.text is not None
            at = child.end_byte
    text += here_document(shell.slice(at, end.start_byte))
    return Stream(_unindented(text, node)) if known else UNKNOWN


def _unindented(text: str, node: Node) -> str:
    if not any(child.type == "<<-" for child in node.children):
        return text
    return "".join(line.lstrip("\t") for line in text.splitlines(keepends=True))


def _go_on(shell: Shell, node: Node, scope: Scope, stream: Stream) -> Stream:
    """``| other`` and ``&& other`` behind the operator of a here-document."""
    alone = False
    for child in node.children:
        if child.type == "pipeline":
            before, scope.stdin = scope.stdin, stream
            stream = shell.block(child.children, scope)
            scope.stdin = before
        elif child.type in ("&&", "||"):
            alone = child.type == "||"
        elif (
            child.is_named
            and child.type not in ARGUMENTS
            and not child.type.startswith(("heredoc_", "file_", "herestring_"))
        ):
            shell.run(child, scope.copy() if alone else scope)
    return stream
