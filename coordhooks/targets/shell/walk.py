"""The walk over the syntax tree: lists, pipes, subshells, functions, and what each does to the shell's state.

Compound commands (``if``, loops, ``case``) are in ``compound``, redirections in ``redirect``, programs in
``programs``.
"""

from __future__ import annotations

from coordhooks.targets.shell import compound, programs, redirect, words
from coordhooks.targets.shell.grammar import Node, first_error, parse
from coordhooks.targets.shell.scope import EMPTY, UNKNOWN, Scope, Stream, Word
from coordhooks.targets.shell.verdict import FILE, FOLDER, MAX_TARGETS, Git, Untellable, Verdict, Write
from coordhooks.targets.shell.world import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MAX_DEPTH = 40  # of nesting in all: groups, functions, scripts in scripts

# Targets that are no files: nobody holds a device.
DEVICES = ("/dev/", "/proc/self/fd/")
SHARED_MEMORY = "/dev/shm/"

# Variables that make the next program run something else, or write somewhere else.
DANGEROUS = ("BASH_ENV", "ENV", "LD_PRELOAD", "PAGER", "EDITOR", "VISUAL", "PYTHONSTARTUP", "NODE_OPTIONS")
HARMLESS_GIT = (
    "GIT_PAGER",
    "GIT_AUTHOR",
    "GIT_COMMITTER",
    "GIT_TERMINAL_PROMPT",
    "GIT_OPTIONAL_LOCKS",
    "GIT_EDITOR",
)


class Shell:
    """One text being read: its source, what it adds to the verdict, and how much effort is left."""

    __slots__ = ("depth", "effort", "error", "source", "verdict", "world")

    def __init__(self, verdict: Verdict, world: World, effort: list[int], depth: int) -> None:
        self.verdict = verdict
        self.world = world
        self.effort = effort  # one number, shared by all texts of one command
        self.depth = depth
        self.source = b""
        self.error = 0

    def text(self, node: Node) -> str:
        """The source of a node."""
        return self.slice(node.start_byte, node.end_byte)

    def slice(self, start: int, end: int) -> str:
        """A piece of the source."""
        return self.source[start:end].decode("utf-8", "surrogateescape")

    # -- running ---------------------------------------------------------------------------------------------

    def script(self, text: str, scope: Scope) -> Stream:
        """A whole text in this scope: the command itself, or one nested in it."""
        shell = Shell(self.verdict, self.world, self.effort, self.depth + 1)
        self.effort[0] -= len(text) // 6 if self.depth else 0  # texts in texts are read again and again
        if self.effort[0] < 0:
            raise Untellable("the command does too much to be followed")
        shell.source = _encoded(text)
        root = parse(shell.source)
        shell.error = first_error(root, shell.source)
        if shell.error < len(shell.source):
            self.verdict.doubt("a part of the command can't be parsed")
        return shell.block(root.children, scope)

    def run(self, node: Node, scope: Scope) -> Stream:
        """One statement. What it writes goes to the verdict, its standard output is returned."""
        self.effort[0] -= 1
        if self.effort[0] < 0 or len(self.verdict.targets) > MAX_TARGETS:
            raise Untellable("the command does too much to be followed")
        if self.depth > MAX_DEPTH:
            raise Untellable("the command is nested too deeply to be followed")
        if scope.ended or node.start_byte > self.error:
            return EMPTY
        self.depth += 1
        try:
            return STATEMENTS.get(node.type, _other)(self, node, scope)
        finally:
            self.depth -= 1

    def block(self, nodes: list[Node], scope: Scope) -> Stream:
        """Statements one after the other; one before ``&`` runs in a shell of its own."""
        found = [node for node in nodes if node.is_named or node.type in ("&", ";;&")]
        streams = []
        for at, node in enumerate(found):
            if node.is_named:
                behind = at + 1 < len(found) and found[at + 1].type == "&"
                streams.append(self.run(node, scope.copy() if behind else scope))
        return both(streams)

    def inner(self, node: Node, scope: Scope) -> Stream:
        """The inside of a substitution, in a shell of its own."""
        return self.block(node.children, scope.copy())

    def look_into(self, node: Node, scope: Scope) -> None:
        """Run the substitutions inside of a node whose own value does not matter."""
        for child in node.children:
            if child.type in ("command_substitution", "process_substitution"):
                self.run(child, scope)
            elif child.is_named and child.child_count:
                self.effort[0] -= 1
                self.depth += 1
                if self.effort[0] < 0 or self.depth > MAX_DEPTH:
                    raise Untellable("the command is nested too deeply to be followed")
                self.look_into(child, scope)
                self.depth -= 1

    def value(self, nodes: list[Node], scope: Scope) -> Word:
        """Nodes as one word."""
        return words.value(self, scope, nodes)

    def call(self, argv: list[Word], scope: Scope) -> Stream:
        """One program with its arguments."""
        self.depth += 1
        try:
            if self.depth > MAX_DEPTH:
                raise Untellable("the command is nested too deeply to be followed")
            return programs.call(self, argv, scope)
        finally:
            self.depth -= 1

    # -- what is found ---------------------------------------------------------------------------------------

    def write(
        self,
        word: Word,
        scope: Scope,
        why: str,
        kind: str = FILE,
        *,
        follow: bool = True,
        overwrite: bool = False,
    ) -> None:
        """Something is written; a name that can't be told is a doubt."""
        if word.text is None:
            for root in word.roots:
                self.write(Word(root), scope, why, FOLDER, follow=follow)
            if not word.roots:
                self.verdict.doubt(f"{why}: the name can't be told")
            return
        path = word.text
        if word.unsure:
            self.verdict.doubt(f"{why}: the name may be another one")
        if not path or "\0" in path or (path.startswith(DEVICES) and not path.startswith(SHARED_MEMORY)):
            return
        if scope.cwd is None and not path.startswith("/"):
            self.verdict.doubt(f"{why}: the directory reached can't be told")
            return
        self._add(Write(path, scope.cwd or "/", kind, why, follow=follow, overwrite=overwrite))

    def _add(self, write: Write) -> None:
        self.verdict.targets.append(write)
        if write.kind == FILE and len(self.world.files) < MAX_TARGETS:
            self.world.files.add(write.absolute)

    def git(
        self, operation: str, scope: Scope, paths: tuple[str, ...], options: tuple[str, ...]
    ) -> Git | None:
        """An operation on a repository; ``None`` if nobody knows on which."""
        if scope.cwd is None:
            self.verdict.doubt(f"git {operation}: the directory reached can't be told")
            return None
        self.verdict.git.append(Git(operation, scope.cwd, paths, options))
        return self.verdict.git[-1]


def both(streams: list[Stream]) -> Stream:
    """The output of several commands one after the other."""
    loud = [stream for stream in streams if stream.text != ""]
    if len(loud) == 1:
        return loud[0]
    if all(stream.text is not None for stream in loud):
        return Stream("".join(stream.text or "" for stream in loud))
    if all(stream.roots for stream in loud):
        return Stream(None, tuple(root for stream in loud for root in stream.roots))
    return UNKNOWN


def _encoded(text: str) -> bytes:
    """The bytes of a command. Half a surrogate pair is no byte of any file name, but must not stop the reading."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


# -- statements ---------------------------------------------------------------------------------------------


def _block(shell: Shell, node: Node, scope: Scope) -> Stream:
    return shell.block(node.children, scope)


def _subshell(shell: Shell, node: Node, scope: Scope) -> Stream:
    return shell.block(node.children, scope.copy())


def _other(shell: Shell, node: Node, scope: Scope) -> Stream:
    """Tests, arithmetic and whatever else only holds substitutions."""
    shell.look_into(node, scope)
    return EMPTY


def _error(shell: Shell, node: Node, scope: Scope) -> Stream:
    shell.verdict.doubt("a part of the command can't be parsed")
    return shell.block(node.children, scope)


def _command(shell: Shell, node: Node, scope: Scope) -> Stream:
    """A simple command: assignments and redirections around a program."""
    outside = [child for child in node.children if child.type.endswith("_redirect")]
    if outside:
        return redirect.around(shell, outside, scope, lambda more: _simple(shell, node, scope, more))
    return _simple(shell, node, scope, [])


def _simple(shell: Shell, node: Node, scope: Scope, more: list[Node]) -> Stream:
    parts = [
        child
        for child in node.children
        if child.is_named
        and not child.type.endswith("_redirect")
        and not child.is_missing
        and child.start_byte < child.end_byte
    ]
    groups = words.grouped(shell, [part for part in parts if not _names_descriptor(shell, part, scope)])
    assignments = [group for group in groups if group[0].type == "variable_assignment"]
    rest = [each for group in groups if group not in assignments for each in group]
    argv = words.expand_all(shell, scope, [*rest, *more])
    while assignments and argv and _is_assignment(argv[0]):  # the grammar lost count behind the first
        name, _, text = argv[0].head.partition("=")
        scope.variables[name] = [Word(text) if argv.pop(0).text is not None else Word(loose=True)]
    for group in assignments:
        if argv:
            _beside(shell, group, scope)
        else:
            compound.assign(shell, group[0], scope, group[1:])
    return shell.call(argv, scope) if argv else EMPTY


def _names_descriptor(shell: Shell, node: Node, scope: Scope) -> bool:
    """``{name}`` right before a redirection: a variable for its descriptor, which the grammar takes for a word."""
    text = shell.text(node)
    if shell.source[node.end_byte : node.end_byte + 1] not in (b"<", b">") or text[:1] + text[-1:] != "{}":
        return False
    scope.variables[text[1:-1]] = [Word("10")]
    return True


def _is_assignment(word: Word) -> bool:
    name, equals, _ = word.head.partition("=")
    return bool(equals) and name.isidentifier()


def _beside(shell: Shell, group: list[Node], scope: Scope) -> None:
    """An assignment in front of a program counts for that program only."""
    name = shell.text(group[0].children[0])
    shell.value([*group[0].children[2:], *group[1:]], scope)
    if name in DANGEROUS or (name.startswith("GIT_") and not name.startswith(HARMLESS_GIT)):
        shell.verdict.doubt(f"{name} is set for a program")


def _assignment(shell: Shell, node: Node, scope: Scope) -> Stream:
    compound.assign(shell, node, scope, [])
    return EMPTY


def _declaration(shell: Shell, node: Node, scope: Scope) -> Stream:
    local = node.children[0].type in ("local", "declare", "typeset")
    for group in words.grouped(shell, [child for child in node.children[1:] if child.is_named]):
        named = group[0].children[0] if group[0].type == "variable_assignment" else group[0]
        if local and named.type == "variable_name":
            scope.hide(shell.text(named))
        if group[0].type == "variable_assignment":
            compound.assign(shell, group[0], scope, group[1:])
        else:
            for child in group:
                shell.look_into(child, scope)
    return UNKNOWN if node.child_count == 1 else EMPTY


def _unset(shell: Shell, node: Node, scope: Scope) -> Stream:
    for child in node.children:
        if child.type == "variable_name":
            scope.variables[shell.text(child)] = [Word("")]
    return EMPTY


def _redirected(shell: Shell, node: Node, scope: Scope) -> Stream:
    body = [child for child in node.children if child.is_named and not child.type.endswith("_redirect")]
    outside = [child for child in node.children if child.type.endswith("_redirect")]
    if len(body) == 1:
        return _run_inside(shell, body[0], scope, outside)
    return redirect.around(shell, outside, scope, lambda more: _bare(shell, body, scope, more))


def _bare(shell: Shell, body: list[Node], scope: Scope, more: list[Node]) -> Stream:
    """Redirections without a command, or (as the grammar has it) with the command behind them."""
    argv = words.expand_all(shell, scope, more)
    return shell.call(argv, scope) if argv else shell.block(body, scope)


def _run_inside(shell: Shell, node: Node, scope: Scope, outside: list[Node]) -> Stream:
    """A statement with redirections around it. The grammar gives those of ``a && b > c`` to the whole chain: they
    belong to its last command.
    """
    if node.type == "list":
        return compound.chain(
            shell, node, scope, lambda last, inner: _run_inside(shell, last, inner, outside)
        )
    if node.type == "pipeline":
        return _piped(shell, node, scope, outside)
    if node.type == "command" and not any(child.type.endswith("_redirect") for child in node.children):
        return redirect.around(shell, outside, scope, lambda more: _simple(shell, node, scope, more))
    return redirect.around(shell, outside, scope, lambda _more: shell.run(node, scope))


def _pipeline(shell: Shell, node: Node, scope: Scope) -> Stream:
    return _piped(shell, node, scope, [])


def _piped(shell: Shell, node: Node, scope: Scope, outside: list[Node]) -> Stream:
    """Each part in a shell of its own, reading what the one before it says."""
    stages = [child for child in node.children if child.is_named and child.type != "comment"]
    stream = scope.stdin
    for stage in stages:
        inside = scope.copy()
        inside.stdin = stream
        last = stage is stages[-1] and outside
        stream = _run_inside(shell, stage, inside, outside) if last else shell.run(stage, inside)
    return stream


def _list(shell: Shell, node: Node, scope: Scope) -> Stream:
    return compound.chain(shell, node, scope, shell.run)


def _function(shell: Shell, node: Node, scope: Scope) -> Stream:
    named = [child for child in node.children if child.is_named]
    if len(named) >= 2:
        scope.functions[shell.text(named[0])] = (shell, named[1:])
    return EMPTY


def _substitution(shell: Shell, node: Node, scope: Scope) -> Stream:
    return shell.inner(node, scope)


STATEMENTS: dict[str, Callable[[Shell, Node, Scope], Stream]] = {
    "program": _block,
    "compound_statement": _block,
    "do_group": _block,
    "subshell": _subshell,
    "command": _command,
    "redirected_statement": _redirected,
    "file_redirect": lambda shell, node, scope: redirect.around(
        shell, [node], scope, lambda more: _bare(shell, [], scope, more)
    ),
    "pipeline": _pipeline,
    "list": _list,
    "negated_command": _block,
    "if_statement": compound.branches,
    "case_statement": compound.cases,
    "for_statement": compound.each,
    "c_style_for_statement": compound.again,
    "while_statement": compound.again,
    "function_definition": _function,
    "variable_assignment": _assignment,
    "variable_assignments": _block,
    "declaration_command": _declaration,
    "unset_command": _unset,
    "command_substitution": _substitution,
    "process_substitution": _substitution,
    "ERROR": _error,
}
