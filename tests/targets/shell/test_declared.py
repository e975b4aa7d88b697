"""Commands of programs that need not be here: what they are declared to write is what is said of them."""

import os
import tomllib
from pathlib import Path

import pytest
from harness.git import make_repository

from coordhooks.targets import shell
from coordhooks.targets.shell.verdict import FOLDER, TREE, Write

DECLARED: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("declared.toml").read_text())
UNTOLD = ["?"]


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = make_repository(tmp_path_factory.mktemp("declared") / "repo")
    for name in ("gen", "backup", "node_modules"):
        (made / name).mkdir()
    return made


def spelled(write: Write, repo: Path) -> str:
    """Relative to the repository, a folder with a slash, the whole tree as ``/``."""
    name = os.path.relpath(os.path.normpath(write.absolute), repo)
    if write.kind == TREE or name == ".":
        return "/"
    return name + "/" * (write.kind == FOLDER)


@pytest.mark.parametrize("command", DECLARED)
def test_what_a_command_writes(command: str, repo: Path) -> None:
    verdict = shell.judge(command, str(repo), home="/h")
    said = sorted({spelled(write, repo) for write in verdict.targets})
    assert (UNTOLD if verdict.untold else said) == sorted(DECLARED[command])
    assert verdict.nothing == (not DECLARED[command])
