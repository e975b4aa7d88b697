"""Branches, loops and chains: what is run for sure, what perhaps, and what the shell knows afterwards."""

from __future__ import annotations

from coordhooks.targets.shell import words
from coordhooks.targets.shell.grammar import Node
from coordhooks.targets.shell.scope import EMPTY, UNKNOWN, Scope, Stream, Value, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from coordhooks.targets.shell.walk import Shell

# Commands whose failure is an ordinary answer: what stands behind `&&` is a branch then.
TESTS = (
    "[",
    "test",
    "[[",
    "grep",
    "rg",
    "diff",
    "cmp",
    "false",
    "command",
    "which",
    "type",
    "hash",
    "git diff",
    "!",
)
LOOP_ENDS = ("break", "continue")
MAX_TURNS = 200  # of one loop over known words


# -- chains -------------------------------------------------------------------------------------------------


def chain(shell: Shell, node: Node, scope: Scope, end: Callable[[Node, Scope], Stream]) -> Stream:
    """``a && b || c``. Behind a command that is expected to succeed, ``&&`` just goes on; the rest are branches.

    ``end`` runs the last command: it may have redirections that the others have not.
    """
    first, rest = _spine(node)
    streams = [shell.run(first, scope)]
    left = first
    for at, (operator, right) in enumerate(rest, 1):
        run = end if at == len(rest) else shell.run
        if operator == "&&" and not (_is_test(shell, left) or scope.ended):
            streams.append(run(right, scope))
        else:
            streams.append(_perhaps(run, right, scope))
        left = right
    from coordhooks.targets.shell.walk import both

    return both(streams)


def _spine(node: Node) -> tuple[Node, list[tuple[str, Node]]]:
    """The grammar nests chains to the left, without end: unrolled."""
    rest: list[tuple[str, Node]] = []
    while node.type == "list":
        parts = [child for child in node.children if child.type != "comment"]
        if len(parts) < 3:
            break
        rest.append((parts[1].type, parts[2]))
        node = parts[0]
    return node, rest[::-1]


def _is_test(shell: Shell, node: Node) -> bool:
    if node.type in ("test_command", "negated_command"):
        return True
    return node.type in ("command", "redirected_statement", "pipeline") and shell.text(node).startswith(TESTS)


def _perhaps(run: Callable[[Node, Scope], Stream], node: Node, scope: Scope) -> Stream:
    """A command that may or may not run. Behind ``cd x || exit`` the shell goes on only if it did not exit."""
    if scope.ended:
        return EMPTY
    branch = scope.copy()
    stream = run(node, branch)
    scope.become([scope.copy(), branch])
    return stream


# -- branches -----------------------------------------------------------------------------------------------


def branches(shell: Shell, node: Node, scope: Scope) -> Stream:
    """``if``: the condition runs here, each body in a state of its own."""
    ends, streams = [], []
    conditions: list[Node] = []
    bodies: list[Node] = []
    into, has_else = conditions, False
    for child in node.children:
        if child.type == "then":
            into = bodies
            shell.block(conditions, scope)
        elif child.type == "elif_clause":
            branch = scope.copy()
            streams.append(branches(shell, child, branch))
            ends.append(branch)
        elif child.type == "else_clause":
            has_else = True
            branch = scope.copy()
            streams.append(shell.block(child.children, branch))
            ends.append(branch)
        else:
            into.append(child)
    branch = scope.copy()
    streams.append(shell.block(bodies, branch))
    ends.append(branch)
    scope.become(ends if has_else else [*ends, scope.copy()])
    return UNKNOWN if any(stream.text != "" for stream in streams) else EMPTY


def cases(shell: Shell, node: Node, scope: Scope) -> Stream:
    """``case``: any of the bodies, or none."""
    ends = [scope.copy()]
    streams = []
    for child in node.children:
        if child.type != "case_item":
            if child.is_named:
                words.pieces(shell, scope, child)
            continue
        branch = scope.copy()
        nodes = child.children
        start = next((at for at, each in enumerate(nodes) if each.type == ")"), -1) + 1
        streams.append(shell.block(nodes[start:], branch))
        ends.append(branch)
    scope.become(ends)
    return UNKNOWN if any(stream.text != "" for stream in streams) else EMPTY


# -- loops --------------------------------------------------------------------------------------------------


def each(shell: Shell, node: Node, scope: Scope) -> Stream:
    """``for name in words``: one turn a known word, one for all that can't be told."""
    nodes = node.children
    name = next((shell.text(child) for child in nodes if child.type == "variable_name"), "")
    body = next((child for child in nodes if child.type in ("do_group", "compound_statement")), None)
    if any(child.type == "in" for child in nodes):
        start = next(at for at, child in enumerate(nodes) if child.type == "in") + 1
        listed = [
            child for child in nodes[start:] if child.is_named and child.type not in ("comment", "do_group")
        ]
        values = words.expand_all(shell, scope, [child for child in listed if child != body])
    else:
        values = scope.args
    if len(values) > MAX_TURNS:
        values = [Word(loose=True)]
    streams = []
    for value in values:
        scope.variables[name] = [Word(value.text, head=value.head, roots=value.roots, plain=value.plain)]
        if body is not None:
            streams.append(shell.run(body, scope))
        if scope.ended in LOOP_ENDS:
            stop, scope.ended = scope.ended == "break", ""
            if stop:
                break
    from coordhooks.targets.shell.walk import both

    return both(streams)


def again(shell: Shell, node: Node, scope: Scope) -> Stream:
    """``while`` and ``for ((...))``: what the body changes can't be told, from its first turn on."""
    for name in _changed(shell, node):
        scope.forget(name)
    before = scope.cwd
    branch = scope.copy()
    parts = [child for child in node.children if child.type not in ("while", "until", "for")]
    stream = _turn(shell, parts, branch)
    if branch.cwd != before:
        branch.cwd = None
        stream = _turn(shell, parts, branch)
    scope.become([branch, scope.copy()])
    return EMPTY if stream.text == "" else UNKNOWN


def _turn(shell: Shell, parts: list[Node], scope: Scope) -> Stream:
    stream = shell.block(parts, scope)
    if scope.ended in LOOP_ENDS:
        scope.ended = ""
    return stream


def _changed(shell: Shell, node: Node) -> set[str]:
    """Every variable that is given a value below ``node``."""
    names, stack = set(), [node]
    while stack:
        one = stack.pop()
        shell.effort[0] -= 1
        if one.type in (
            "variable_assignment",
            "postfix_expression",
            "unary_expression",
            "for_statement",
            "binary_expression",
        ):
            names |= {shell.text(child) for child in one.children if child.type in ("variable_name", "word")}
        elif one.type == "subscript":
            names.add(shell.text(one.children[0]))
        if shell.effort[0] > 0:
            stack.extend(child for child in one.children if child.child_count)
    return names


# -- assignments --------------------------------------------------------------------------------------------


def assign(shell: Shell, node: Node, scope: Scope, more: list[Node]) -> None:
    """``name=value``, ``name+=value``, ``name=(a b)``, ``name[i]=value``; ``more`` is what was cut off the value."""
    if node.child_count < 2:
        return
    target, operator, *rest = node.children
    nodes = [*rest, *more]
    if target.type == "subscript":
        shell.value(nodes, scope)
        scope.forget(shell.text(target.children[0]))
        return
    name = shell.text(target)
    value = _assigned(shell, nodes, scope)
    if operator.type == "+=":
        value = _appended(scope.variables.get(name), value, array=bool(nodes) and nodes[0].type == "array")
    scope.variables[name] = value
    if name in ("BASH_ENV", "LD_PRELOAD", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        shell.verdict.doubt(f"{name} is set for the rest of the command")


def _assigned(shell: Shell, nodes: list[Node], scope: Scope) -> Value:
    if nodes and nodes[0].type == "array":
        return words.expand_all(shell, scope, [child for child in nodes[0].children if child.is_named])
    return [shell.value(nodes, scope)] if nodes else [Word("")]


def _appended(old: Value | None, new: Value, *, array: bool) -> Value:
    if old is None:
        return [Word(loose=True)]
    if array:
        return old + new
    first, last = (old or [Word("")])[0], new[0]
    if first.text is None or last.text is None or len(first.text) + len(last.text) > words.MAX_LENGTH:
        return [Word(loose=True)]
    return [Word(first.text + last.text), *old[1:]]
