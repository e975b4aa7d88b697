"""Python code in a command, read with Python's own grammar: which files it names next to a call that writes.

A small evaluator follows literal paths through variables, ``Path``, ``os.path.join``, f-strings, loops over literal
lists and calls of functions with literal arguments. What it can't follow next to a writing call is a doubt.
"""

import ast
import posixpath
import warnings

from coordhooks.targets.shell import table_python as table
from coordhooks.targets.shell.places import elsewhere, is_folder, kind_of
from coordhooks.targets.shell.python_values import Value, Values
from coordhooks.targets.shell.scope import UNKNOWN, Scope, Word
from coordhooks.targets.shell.verdict import FILE, FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.targets.shell.walk import Shell

MAX_CODE = 100_000
MAX_DEPTH = 60
WRITERS = {*table.OPENERS, *table.FUNCTIONS, *table.SHELL_TEXT, *table.SHELL_ARGV}


def judge(shell: "Shell", code: str, scope: Scope, args: list[Word]) -> None:
    """Add what the code writes to the verdict."""
    if len(code) > MAX_CODE:
        shell.verdict.doubt("python: the code is too long to be read")
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the code that is read
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        shell.verdict.doubt("python: the code can't be read")
        return
    scope = scope.copy()
    scope.stdin = UNKNOWN
    _Reader(shell, scope, Values(tree, args, scope)).visit_all(tree.body)


class _Reader:
    """One walk over the statements, in order."""

    def __init__(self, shell: "Shell", scope: Scope, values: Values) -> None:
        self.shell = shell
        self.scope = scope
        self.values = values
        self.depth = 0
        self.called: set[ast.expr] = set()  # what is called by its name where it stands

    def visit_all(self, nodes: list[ast.stmt]) -> None:
        """Statements one after the other."""
        for node in nodes:
            self.visit(node)

    def visit(self, node: ast.AST) -> None:
        """Calls are judged, assignments remembered, the rest is looked through."""
        self.depth += 1
        self.shell.effort[0] -= 1
        if self.depth > MAX_DEPTH or self.shell.effort[0] < 0:
            self.shell.verdict.doubt("python: the code is too intricate to be followed")
        else:
            self._imports(node)
            if isinstance(node, ast.Call):
                self.called.add(node.func)
            elif (
                isinstance(node, ast.Name | ast.Attribute)
                and isinstance(node.ctx, ast.Load)
                and node not in self.called
            ):
                self._as_value(node)
            repeats = isinstance(
                node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.For | ast.While
            )
            self.values.repeated += repeats
            for child in ast.iter_child_nodes(node):
                self.visit(child)
            self.values.repeated -= repeats
            if isinstance(node, ast.Call):
                self._call(node)
            self.values.remember(node)
        self.depth -= 1

    def _as_value(self, node: ast.expr) -> None:
        """A function that writes, handed on under another name: who calls it with what can't be told."""
        name = self.values.dotted(node)
        if name in WRITERS or (name.startswith("pathlib.Path.") and name.rpartition(".")[2] in table.METHODS):
            self.shell.verdict.doubt(f"python: what becomes of {name} can't be told")

    def _imports(self, node: ast.AST) -> None:
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "."]
            if any(alias.name == "*" for alias in node.names) or node.module == "builtins":
                self.shell.verdict.doubt("python: what is imported can't be told")
        for name in names:
            if name not in table.SAFE_MODULES and name.partition(".")[0] not in (
                "email",
                "collections",
                "logging",
            ):
                self.shell.verdict.doubt(f"python: imports {name}, and what that does can't be told")

    # -- calls -----------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> None:
        name = self.values.dotted(node.func)
        if name in table.OPENERS:
            self._opened(node, name, *table.OPENERS[name])
        elif name in table.FUNCTIONS:
            self._function(node, name)
        elif name in table.SHELL_TEXT or name in table.SHELL_ARGV:
            self._program(node, name)
        elif name in table.OPAQUE or name.startswith(table.OPAQUE_STARTS):
            self.shell.verdict.doubt(f"python: what {name} does can't be told")
        elif name == "os.chdir":
            where = self.values.of(node.args[0]) if node.args else Value()
            self.scope.cwd = elsewhere(self.scope, where.word()).cwd
        elif (
            name in ("getattr", "setattr")
            and len(node.args) > 1
            and not isinstance(node.args[1], ast.Constant)
        ):
            self.shell.verdict.doubt("python: which attribute is used can't be told")
        elif isinstance(node.func, ast.Attribute):
            self._method(node, node.func)
        for keyword in node.keywords:
            if keyword.arg == "filename" and name.startswith("logging."):
                self._write(self.values.of(keyword.value), name)
            if keyword.arg == "inplace":
                self.shell.verdict.doubt(f"python: what {name} changes can't be told")

    def _opened(self, node: ast.Call, name: str, file_at: int, mode_at: int) -> None:
        mode = self._argument(node, mode_at, "mode")
        text = "r" if mode is None else mode.value if isinstance(mode, ast.Constant) else None
        if not isinstance(text, str):
            self.shell.verdict.doubt(f"python: the mode of {name} can't be told")
        elif any(letter in text for letter in "wax+"):
            target = self._argument(node, file_at, "file")
            if target is not None:
                self._write(self.values.of(target), f"{name} {text}", overwrite="w" in text)

    def _argument(self, node: ast.Call, at: int, keyword: str) -> ast.expr | None:
        if at < len(node.args):
            return node.args[at]
        return next((each.value for each in node.keywords if each.arg == keyword), None)

    def _function(self, node: ast.Call, name: str) -> None:
        for at in table.FUNCTIONS[name]:
            if at >= len(node.args):
                self.shell.verdict.doubt(f"python: the arguments of {name} can't be told")
                continue
            value = self.values.of(node.args[at])
            if name in table.INTO and at == 1:
                value = self._into(value, self.values.of(node.args[0]))
            kind = FOLDER if name in table.FOLDERS else FILE
            self._write(value, name, kind=kind, follow=name not in table.UNLINKING)

    def _into(self, target: Value, source: Value) -> Value:
        if target.texts is None or not any(
            is_folder(self.shell, Word(text), self.scope) for text in target.texts
        ):
            return target
        if source.texts is None:
            return Value(roots=tuple(target.texts))
        return Value(
            [posixpath.join(one, posixpath.basename(other)) for one in target.texts for other in source.texts]
        )

    def _method(self, node: ast.Call, func: ast.Attribute) -> None:
        name = func.attr
        if name == "open":
            self._opened_path(node, func)
        elif name in table.OPAQUE_METHODS:
            self.shell.verdict.doubt(f"python: what {name} writes can't be told")
        elif name in table.METHODS:
            owner = self.values.of(func.value)
            if name == "replace" and len(node.args) != 1:
                return  # of a text
            self._write(owner, name, follow=name not in table.UNLINKING, overwrite=name.startswith("write_"))
            for at in table.METHODS[name]:
                if at < len(node.args):
                    self._write(self.values.of(node.args[at]), name, follow=False)

    def _opened_path(self, node: ast.Call, func: ast.Attribute) -> None:
        mode = self._argument(node, 0, "mode")
        text = "r" if mode is None else mode.value if isinstance(mode, ast.Constant) else "w"
        if isinstance(text, str) and any(letter in text for letter in "wax+") and len(text) < 5:
            self._write(self.values.of(func.value), f"open {text}", overwrite="w" in text)

    def _program(self, node: ast.Call, name: str) -> None:
        """A program or a shell text that is run."""
        words = self.values.argv(node.args[0]) if node.args else None
        options = {each.arg: each.value for each in node.keywords}
        where = self.values.of(options["cwd"]).word() if "cwd" in options else None
        scope = elsewhere(self.scope, where).copy()
        if words is None:
            self.shell.verdict.doubt(f"python: what {name} runs can't be told")
        elif name in table.SHELL_TEXT or "shell" in options:
            self.shell.script(words[0].text or "", scope)
        else:
            self.shell.call(words, scope)

    # -- files -----------------------------------------------------------------------------------------------

    def _write(
        self, value: Value, name: str, *, kind: str = FILE, follow: bool = True, overwrite: bool = False
    ) -> None:
        why = f"python {name}"
        for text in value.texts or []:
            word = Word(text)
            if name in table.MAKING and is_folder(self.shell, word, self.scope):
                continue
            one = kind_of(self.shell, word, self.scope) if kind == FOLDER else FILE
            self.shell.write(word, self.scope, why, one, follow=follow, overwrite=overwrite)
        if value.texts is None:
            self.shell.write(Word(roots=value.roots), self.scope, why)
