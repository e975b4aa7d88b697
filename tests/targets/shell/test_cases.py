"""Commands from public bug reports, one file a case: what they write, and what they do not."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from harness.git import make_repository

from coordhooks.targets import patch, shell
from coordhooks.targets.shell.verdict import FOLDER, TREE, Verdict

CASES = sorted((Path(__file__).parent / "cases").glob("*.json"))
HOME = "/home/somebody"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo")


def written(verdict: Verdict, repo: Path) -> list[str]:
    """Paths as the cases spell them: relative to the repository, folders with a slash, the home as ``$HOME``."""
    found = set()
    for write in verdict.targets:
        path = os.path.normpath(write.absolute).replace(HOME, "$HOME")
        name = path if path.startswith("$") else os.path.relpath(path, repo)
        found.add(name + "/" * (write.kind in (FOLDER, TREE)))
    return sorted(found)


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_case(file: Path, repo: Path) -> None:
    case: dict[str, Any] = json.loads(file.read_text())
    cwd = str(repo / case.get("folder", ""))
    commands: dict[str, list[str]] = case.get("each", {})
    if "command" in case:
        commands = {case["command"]: case["writes"]}
    for command, writes in commands.items():
        verdict = shell.judge(command, cwd, home=HOME)
        assert written(verdict, repo) == sorted(writes), command
        assert not verdict.untold, command
        assert verdict.nothing == (not writes), command
    for command in case.get("commands", []):
        verdict = shell.judge(command.replace("$REPO", str(repo)), cwd, home=HOME)
        assert bool(verdict.untold) == case.get("untold", False), (command, verdict.untold)
        assert verdict.targets or verdict.untold, command
    for command in case.get("read_only", []):
        assert not shell.judge(command, cwd, home=HOME).targets, command
    if "patch" in case:
        assert [header.path for header in patch.headers(case["patch"])] == case["writes"]
