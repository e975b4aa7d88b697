"""Imports go downward only, and SQL stays in its rooms: read from the source, also inside functions."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "coordhooks"

# What stands at the bottom and knows no room of the house.
TOOLS = {"errors", "fastjson", "locations", "model", "paths", "process", "quoting", "resources", "stdin", "titles",
         "transcripts", "receipts", "fingerprint", "digest", "git", "upkeep"}  # fmt: skip

# Each room (a folder, or a module beside them) and what it may import of ours, itself always included.
ROOMS: dict[str, set[str]] = {
    "errors": set(),
    "model": set(),
    "locations": {"errors"},
    "resources": set(),
    "digest": set(),
    "upkeep": set(),
    "fingerprint": set(),
    "bundle": set(),
    "git": {"errors"},
    "quoting": set(),
    "fastjson": set(),
    "titles": {"quoting"},
    "process": {"model"},
    "paths": {"errors", "model"},
    "stdin": {"errors", "fastjson"},
    "transcripts": {"fastjson"},
    "receipts": {"fastjson", "transcripts"},
    "validators": {"resources"},
    "store": TOOLS,
    "ledger": TOOLS | {"validators"},
    "targets": {"errors", "model", "paths"},
    "harness": TOOLS | {"validators"},
    "configuration": TOOLS | {"store"},
    "failures": TOOLS,
    "handlers": TOOLS | {"targets", "store", "ledger", "configuration", "failures"},
    "hook": TOOLS | {"handlers", "harness", "validators", "store", "failures"},
    "install": TOOLS,
    "cli": TOOLS | {"hook", "handlers", "targets", "store", "ledger", "configuration", "failures", "install", "harness", "validators"},
    "__init__": set(),
}  # fmt: skip

# Upward, on purpose: a person's own prompt is answered by the command that they could type as well.
EXCEPTIONS = {("handlers/prompt_commands.py", "cli")}

SQL_ROOMS = ("store", "ledger")
SQL_CALL = re.compile(r"\b(?:tx|transaction)\.(?:run|one|all)\(|\.execute(?:many|script)?\(")
SQL_TEXT = re.compile(r"\b(?:SELECT\b.+\bFROM|INSERT (?:OR \w+ )?INTO|DELETE FROM|UPDATE \w+ SET|PRAGMA \w)")

MODULES = sorted(PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(tree: ast.AST) -> Iterator[str]:
    """Every name of a module that is imported anywhere, also by ``__import__`` and ``import_module``.

    What only a type checker sees is no import.
    """
    for node in run_time(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif (
            isinstance(node, ast.Call) and node.args and called(node.func) in ("__import__", "import_module")
        ):
            yield text(node.args[0])


def run_time(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those below ``if TYPE_CHECKING``."""
    yield tree
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            for alternative in node.orelse:
                yield from run_time(alternative)
        else:
            yield from run_time(node)


def called(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def text(node: ast.expr) -> str:
    """The constant beginning of a string or an f-string."""
    first = node.values[0] if isinstance(node, ast.JoinedStr) else node
    return str(first.value) if isinstance(first, ast.Constant) else ""


def rooms_of(names: Iterator[str]) -> set[str]:
    """The rooms of ours among imported names."""
    ours = (name.split(".") for name in names if name.split(".")[0] == "coordhooks")
    return {parts[1] for parts in ours if len(parts) > 1 and parts[1] in ROOMS}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_downward(path: Path) -> None:
    here = room(path)
    assert here in ROOMS, "a new room: say what it may import"
    found = rooms_of(imports(ast.parse(path.read_text(encoding="utf-8")))) - {here}
    excepted = {target for name, target in EXCEPTIONS if name == str(path.relative_to(PACKAGE))}
    assert found - excepted <= ROOMS[here], f"{here} may not import {sorted(found - excepted - ROOMS[here])}"


def test_no_exception_is_kept_for_nothing() -> None:
    for name, target in EXCEPTIONS:
        assert target in rooms_of(imports(ast.parse((PACKAGE / name).read_text(encoding="utf-8"))))


def test_the_rooms_have_no_circle() -> None:
    done: set[str] = set()
    while len(done) < len(ROOMS):
        ready = {name for name, below in ROOMS.items() if below - {name} <= done} - done
        assert ready, f"a circle among {sorted(set(ROOMS) - done)}"
        done |= ready


@pytest.mark.parametrize("name", ["model.py", "errors.py"])
def test_what_everybody_imports_imports_nothing(name: str) -> None:
    assert list(imports(ast.parse((PACKAGE / name).read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize(
    "path", [p for p in MODULES if room(p) not in SQL_ROOMS], ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_there_is_no_sql_outside_its_rooms(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert SQL_CALL.findall(source) == []
    assert SQL_TEXT.findall(source) == []


@pytest.mark.parametrize("path", [p for p in MODULES if room(p) not in ("cli", "install", "validators")],
                         ids=lambda p: str(p.relative_to(PACKAGE)))  # fmt: skip
def test_third_parties_are_loaded_in_functions_only(path: Path) -> None:
    """The hooks run without site-packages: what they can do without stands inside a function, with a way out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    roots = {name.partition(".")[0] for node in top for name in imports(node)}
    assert roots - {"coordhooks"} - set(sys.stdlib_module_names) == set()
