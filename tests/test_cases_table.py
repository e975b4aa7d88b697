"""The table of reported cases: all are there, each is held by tests, and the tests that it names exist."""

import ast
import functools
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
TABLE: dict[str, dict[str, Any]] = tomllib.loads((ROOT / "tests/cases.toml").read_text(encoding="utf-8"))
NODES = [(case, node) for case, row in TABLE.items() for node in row["tests"]]
NUMBERS = {
    "a": [1, 2, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17],
    "b": [1, 2, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18],
    "c": [1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 18, 19, 20, 21, 22],
    "d": [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15],
    "e": [1, 2, 3, 4, 5, 6, 7, 9, 11, 12],
    "f": [1, 2, 3, 4, 5, 6, 7, 8, 9],
    "g": [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19],
    "h": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14],
}
IDS = [f"{kind}{number:02}" for kind, numbers in NUMBERS.items() for number in numbers]


@functools.cache
def functions(file: str) -> set[str]:
    """The tests of a file, whatever their parameters."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@functools.cache
def collected() -> set[str]:
    """The tests with their parameters, of those files for which the table names any."""
    files = sorted({node.partition("::")[0] for _, node in NODES if node.endswith("]")})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines())


def test_every_case_is_there_and_no_other() -> None:
    assert list(TABLE) == IDS
    assert len(IDS) == 113


@pytest.mark.parametrize("case", TABLE)
def test_a_row_says_what_and_where(case: str) -> None:
    row = TABLE[case]
    assert set(row) - {"differs"} == {"case", "tests"}
    assert all(re.fullmatch(r"\S.{10,300}\.", row[name]) for name in row if name != "tests")
    assert row["tests"]
    assert len(set(row["tests"])) == len(row["tests"])


@pytest.mark.parametrize("case", TABLE)
def test_its_tests_exist(case: str) -> None:
    for node in TABLE[case]["tests"]:
        file, _, name = node.partition("::")
        assert name.partition("[")[0] in functions(file), node
        assert not name.endswith("]") or node in collected(), node


def test_what_bears_a_cases_name_is_in_its_row() -> None:
    """Both ways: a case that gets one more test or file gets it in the table, too."""
    named = set()
    for file in (ROOT / "tests").rglob("test_*.py"):
        path = file.relative_to(ROOT).as_posix()
        for name in functions(path):
            ids = re.match(r"test((?:_[a-h]\d\d)*)_", name)
            named |= {(case, f"{path}::{name}") for case in (ids[1].split("_")[1:] if ids else ())}
    for folder in ("tests/hooks", "tests/targets/shell"):
        for file in (ROOT / folder / "cases").glob("*.json"):
            named.add((file.stem[:3], f"{folder}/test_cases.py::test_case[{file.stem}]"))
    assert named - set(NODES) == set()
