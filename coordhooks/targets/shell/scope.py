"""What the shell knows while it runs: words, streams between commands, variables, the directory reached."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Word:
    """One argument after expansion.

    ``text`` is ``None`` where it can't be told; then ``head`` is its known beginning, and ``roots`` (if any) the
    folders below which the files lie that it names. ``loose`` is true for an unknown word outside of quotes: it
    may be several words, or an option. ``plain`` marks an unknown part without spaces and slashes. ``unsure`` is
    true for a text that may be another one (a default that a variable of the environment overrides). ``stream``
    is what a process substitution yields.
    """

    __slots__ = ("head", "loose", "plain", "roots", "stream", "text", "unsure")

    def __init__(
        self,
        text: str | None = None,
        *,
        head: str = "",
        roots: tuple[str, ...] = (),
        loose: bool = False,
        plain: bool = False,
        unsure: bool = False,
        stream: Stream | None = None,
    ) -> None:
        self.text = text
        self.plain = plain
        self.unsure = unsure
        self.head = head if text is None else text
        self.roots = roots
        self.loose = loose
        self.stream = stream

    @property
    def is_option(self) -> bool:
        """Does it look like an option (``-`` alone is none)?"""
        return self.head.startswith("-") and self.text != "-"


class Stream:
    """What flows from one command into the next: known ``text``, or names of files below ``roots``.

    ``plain`` marks an unknown text without spaces and slashes, such as a date or a number.
    """

    __slots__ = ("plain", "roots", "text")

    def __init__(self, text: str | None = None, roots: tuple[str, ...] = (), *, plain: bool = False) -> None:
        self.text = text
        self.roots = roots
        self.plain = plain


UNKNOWN = Stream()
EMPTY = Stream("")

Value = list[Word]  # a variable: one word, or the elements of an array


class Scope:
    """The state of one shell. A subshell works on a copy.

    ``cwd`` is ``None`` once it can't be told. ``ended`` is ``""``, ``"exit"``, ``"return"``, ``"break"`` or ``"continue"``: what
    follows is not run.
    """

    __slots__ = ("args", "cwd", "ended", "frame", "functions", "globs", "home", "stack", "stdin", "variables")

    def __init__(self, cwd: str | None, home: str) -> None:
        self.cwd = cwd
        self.home = home
        self.variables: dict[str, Value] = {}
        self.functions: dict[str, tuple[Any, Any]] = {}  # name to (shell that read it, body)
        self.args: list[Word] = []
        self.stdin = UNKNOWN
        self.stack: list[str | None] = []
        self.globs = True  # false once an option changes how patterns expand
        self.ended = ""
        self.frame: dict[str, Value | None] | None = None  # what `local` names were before, in a function

    def copy(self) -> Scope:
        """A subshell's state."""
        new = Scope(self.cwd, self.home)
        new.variables = dict(self.variables)
        new.functions = dict(self.functions)
        new.args = self.args
        new.stdin = self.stdin
        new.stack = list(self.stack)
        new.globs = self.globs
        return new

    def become(self, branches: list[Scope]) -> None:
        """Go on after one of ``branches`` was taken: what they do not agree on can't be told."""
        alive = [branch for branch in branches if not branch.ended]
        if not alive:
            self.ended = branches[0].ended if branches else self.ended
            return
        first = alive[0]
        self.cwd = first.cwd if all(branch.cwd == first.cwd for branch in alive) else None
        self.globs = all(branch.globs for branch in alive)
        self.stack = first.stack
        self.args = first.args if all(branch.args is first.args for branch in alive) else [Word(loose=True)]
        names = {name for branch in alive for name in branch.variables}
        self.variables = {name: _agreed(name, alive) for name in names}
        self.functions = {name: body for branch in alive for name, body in branch.functions.items()}

    def hide(self, name: str) -> None:
        """A function makes the name its own."""
        if self.frame is not None and name not in self.frame:
            self.frame[name] = self.variables.get(name)

    def leave(self) -> None:
        """The function ends: its own names are what they were before."""
        for name, value in (self.frame or {}).items():
            if value is None:
                self.variables.pop(name, None)
            else:
                self.variables[name] = value

    def forget(self, name: str) -> None:
        """The variable has a value that can't be told."""
        self.variables[name] = [Word(loose=True)]

    def go(self, folder: str | None) -> None:
        """Change directory."""
        self.variables["OLDPWD"] = [Word(self.cwd)]
        self.cwd = folder


def _agreed(name: str, scopes: list[Scope]) -> Value:
    values = [scope.variables.get(name) for scope in scopes]
    first = values[0]
    if first is not None and all(value is first or _same(value, first) for value in values):
        return first
    return [Word(loose=True)]


def _same(one: Value | None, other: Value) -> bool:
    return (
        one is not None
        and len(one) == len(other)
        and all(
            a.text == b.text and a.text is not None and a.roots == b.roots
            for a, b in zip(one, other, strict=True)
        )
    )


def resolve(spelled: str, cwd: str | None, *, physical: bool = False) -> str | None:
    """Where ``cd spelled`` leads: ``..`` undone as text, as the shell does."""
    if not spelled.startswith("/"):
        if cwd is None:
            return None
        spelled = cwd + "/" + spelled
    return os.path.realpath(spelled) if physical else os.path.normpath(spelled)
