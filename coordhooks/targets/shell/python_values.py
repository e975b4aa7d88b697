"""Values of Python expressions, as far as they are literal: the texts that an expression can be."""

from __future__ import annotations

import ast
import posixpath

from coordhooks.targets.shell.scope import Scope, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MAX_TEXTS = 50  # that one expression can be
MAX_PASSES = 3  # to learn what names can be before they are used


class Value:
    """``texts``: all that it can be (``None``: not told), or names of files below ``roots``."""

    __slots__ = ("roots", "texts")

    def __init__(self, texts: list[str] | None = None, roots: tuple[str, ...] = ()) -> None:
        self.texts = texts if texts is None or len(texts) <= MAX_TEXTS else None
        self.roots = roots

    def word(self) -> Word:
        """One word, if it is one text."""
        return Word(self.texts[0]) if self.texts and len(self.texts) == 1 else Word(roots=self.roots)

    def mapped(self, change: Callable[[str], str]) -> Value:
        """Each text changed; names below a folder stay below it."""
        return (
            Value([change(text) for text in self.texts])
            if self.texts is not None
            else Value(roots=self.roots)
        )


def joined(values: list[Value], glue: Callable[[str, str], str]) -> Value:
    """Every combination of the texts. Below a root stays below it."""
    found = Value([""])
    for at, value in enumerate(values):
        if value.texts is None or found.texts is None:
            return Value(roots=values[0].roots)
        found = Value([glue(one, other) if at else other for one in found.texts for other in value.texts])
    return found


def either(values: list[Value]) -> Value:
    """One of these."""
    if all(value.texts is not None for value in values):
        return Value(sorted({text for value in values for text in value.texts or []}))
    if all(value.texts is not None or value.roots for value in values):
        return Value(roots=tuple(root for value in values for root in (value.roots or value.texts or ())))
    return Value()


class Values:
    """What names stand for: in order at the top, and all they are ever given inside of loops and functions."""

    def __init__(self, tree: ast.Module, args: list[Word], scope: Scope) -> None:
        self.args = args
        self.scope = scope
        self.repeated = 0
        self.now: dict[str, Value] = {}
        self.ever: dict[str, Value] = {}
        self.aliases: dict[str, str] = {}
        nodes = list(ast.walk(tree))
        for node in nodes:
            self._alias(node)
        parameters = _parameters(nodes)
        for _ in range(MAX_PASSES):
            self._learn(nodes, parameters)
        self.now = {}

    def _learn(self, nodes: list[ast.AST], parameters: dict[str, list[str]]) -> None:
        """One round over all assignments, loops and calls: what each name can be."""
        given: dict[str, list[Value]] = {}
        for node in nodes:
            for name, value in self._given(node):
                given.setdefault(name, []).append(value)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                for name, argument in zip(parameters.get(node.func.id, []), node.args, strict=False):
                    given.setdefault(name, []).append(self.of(argument))
        self.ever = self.now = {name: either(values) for name, values in given.items()}

    def remember(self, node: ast.AST) -> None:
        """A statement was passed: its names have new values."""
        for name, value in self._given(node):
            self.now[name] = value if not self.repeated else self.ever.get(name, Value())

    def _given(self, node: ast.AST) -> list[tuple[str, Value]]:
        if isinstance(node, ast.Assign):
            return [(name, self.of(node.value)) for target in node.targets for name in _names(target)]
        if isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            return [(name, self.of(node.value)) for name in _names(node.target)]
        if isinstance(node, ast.AugAssign):
            return [(name, Value()) for name in _names(node.target)]
        if isinstance(node, ast.For | ast.comprehension):
            return [(name, self.of(node.iter)) for name in _names(node.target)]
        if isinstance(node, ast.withitem) and node.optional_vars is not None:
            return [(name, Value()) for name in _names(node.optional_vars)]
        return []

    def _alias(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                self.aliases[alias.asname or alias.name] = alias.name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                self.aliases[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    # -- expressions -----------------------------------------------------------------------------------------

    def dotted(self, node: ast.expr) -> str:
        """``os.path.join`` for that, whatever the names were imported as; empty for other expressions."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        return ".".join([self.aliases.get(node.id, node.id), *reversed(parts)])

    def of(self, node: ast.expr) -> Value:
        """What an expression can be."""
        found = Value()
        if isinstance(node, ast.Constant):
            found = Value([node.value]) if isinstance(node.value, str) else Value()
        elif isinstance(node, ast.Name):
            found = (self.ever if self.repeated else self.now).get(node.id, self.ever.get(node.id, Value()))
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            found = either([self.of(each) for each in node.elts]) if node.elts else Value([])
        elif isinstance(node, ast.IfExp):
            found = either([self.of(node.body), self.of(node.orelse)])
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Div):
            glue = posixpath.join if isinstance(node.op, ast.Div) else lambda one, other: one + other
            found = joined([self.of(node.left), self.of(node.right)], glue)
        elif isinstance(node, ast.JoinedStr):
            parts = [
                self.of(each.value if isinstance(each, ast.FormattedValue) else each) for each in node.values
            ]
            found = joined(parts, lambda one, other: one + other)
        elif isinstance(node, ast.Attribute):
            found = self.of(node.value).mapped(posixpath.dirname) if node.attr == "parent" else Value()
        elif isinstance(node, ast.Subscript):
            found = self._argv_item(node)
        elif isinstance(node, ast.Dict):
            found = either([self.of(key) for key in node.keys if key]) if node.keys else Value([])
        elif isinstance(node, ast.Call):
            found = self._call(node)
        return found

    def _argv_item(self, node: ast.Subscript) -> Value:
        at = node.slice
        if (
            self.dotted(node.value) == "sys.argv"
            and isinstance(at, ast.Constant)
            and isinstance(at.value, int)
        ):
            if 0 < at.value <= len(self.args):
                word = self.args[at.value - 1]
                return Value([word.text]) if word.text is not None else Value(roots=word.roots)
            return Value()
        if isinstance(node.slice, ast.Slice) and self.dotted(node.value) == "sys.argv":
            texts = [word.text for word in self.args]
            return Value([text for text in texts if text is not None]) if None not in texts else Value()
        return Value()

    def argv(self, node: ast.expr) -> list[Word] | None:
        """A program's arguments, in order; a text is one of them."""
        if isinstance(node, ast.List | ast.Tuple):
            return [self.of(each).word() for each in node.elts] or None
        word = self.of(node).word()
        return [word] if word.text is not None else None

    def _call(self, node: ast.Call) -> Value:
        name = self.dotted(node.func)
        arguments = [self.of(each) for each in node.args]
        found = Value()
        if name in JOINING:
            found = joined(arguments, posixpath.join) if arguments else Value(["."])
        elif name in SAME:
            found = arguments[0] if arguments else Value([])
        elif name in CURRENT:
            found = Value(["."])
        elif name in HOMES:
            found = arguments[0].mapped(self._expanded) if arguments else Value([self.scope.home])
        elif name == "os.path.dirname" and arguments:
            found = arguments[0].mapped(posixpath.dirname)
        elif name in LISTING and arguments:
            found = Value(roots=tuple(_folder(text) for text in arguments[0].texts or []))
        elif name.startswith("tempfile."):
            found = Value(["/tmp/python"])
        elif isinstance(node.func, ast.Attribute):
            found = self._method(node.func.attr, self.of(node.func.value), arguments)
        return found

    def _method(self, name: str, owner: Value, arguments: list[Value]) -> Value:
        found = Value()
        if name in ("resolve", "absolute", "as_posix", "items", "keys"):
            found = owner
        elif name == "expanduser":
            found = owner.mapped(self._expanded)
        elif name in ("glob", "rglob", "iterdir", "walk"):
            found = Value(roots=tuple(owner.texts or owner.roots))
        elif name == "joinpath":
            found = joined([owner, *arguments], posixpath.join)
        elif name == "with_suffix" and arguments:
            stem = owner.mapped(lambda text: posixpath.splitext(text)[0])
            found = joined([stem, arguments[0]], lambda one, other: one + other)
        elif name == "with_name" and arguments:
            found = joined([owner.mapped(posixpath.dirname), arguments[0]], posixpath.join)
        return found

    def _expanded(self, text: str) -> str:
        return self.scope.home + text[1:] if text == "~" or text.startswith("~/") else text


HOMES = ("pathlib.Path.home", "os.path.expanduser", "posixpath.expanduser")
LISTING = ("glob.glob", "glob.iglob", "os.walk", "os.scandir", "os.listdir")
JOINING = ("os.path.join", "posixpath.join", "pathlib.Path", "pathlib.PosixPath", "pathlib.PurePath")
SAME = (
    "str",
    "sorted",
    "list",
    "set",
    "tuple",
    "reversed",
    "os.fspath",
    "os.path.abspath",
    "os.path.realpath",
    "os.path.normpath",
    "enumerate",
    "iter",
)
CURRENT = ("os.getcwd", "pathlib.Path.cwd")


def _names(target: ast.expr) -> list[str]:
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, ast.Tuple | ast.List):
        return [name for each in target.elts for name in _names(each)]
    return _names(target.value) if isinstance(target, ast.Starred) else []


def _parameters(nodes: list[ast.AST]) -> dict[str, list[str]]:
    """Function names and the names of their positional parameters."""
    return {
        node.name: [each.arg for each in node.args.args]
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def _folder(pattern: str) -> str:
    """The folder that all matches lie in."""
    parts = pattern.split("/")
    known = []
    for part in parts:
        if any(char in part for char in "*?["):
            break
        known.append(part)
    return "/".join(known) or ("/" if pattern.startswith("/") else ".")
