"""The one file that a file tool writes."""

from pathlib import Path

import pytest

from coordhooks.errors import BadPath, BadPayload
from coordhooks.model import Event
from coordhooks.targets import files


def event(tool: str, cwd: str, **tool_input: object) -> Event:
    made = Event("pre_tool_use", "claude-code", "s")
    made.tool, made.cwd, made.tool_input = tool, cwd, tool_input
    return made


@pytest.mark.parametrize(
    ("tool", "key"),
    [("Write", "file_path"), ("Edit", "file_path"), ("MultiEdit", "file_path"), ("NotebookEdit", "notebook_path"),
     ("FutureEdit", "file_path"), ("FutureNotebook", "notebook_path")],
)  # fmt: skip
def test_each_tool_names_its_file(repo: Path, tool: str, key: str) -> None:
    for spelled in ("src/a.py", str(repo / "src/a.py")):
        (target,) = files.targets(event(tool, str(repo), **{key: spelled}))
        assert target.path == str(repo / "src/a.py")


@pytest.mark.parametrize(
    "tool_input",
    [
        {},
        {"file_path": None},
        {"file_path": ""},
        {"file_path": 5},
        {"file_path": ["a"]},
        {"notebook_path": "a"},
    ],
    ids=str,
)
def test_a_write_that_names_no_file_is_malformed(repo: Path, tool_input: dict) -> None:
    with pytest.raises(BadPayload, match="names no file"):
        files.targets(event("Write", str(repo), **tool_input))


@pytest.mark.parametrize("spelled", ["a\0b", "\ud800", "relative.py"])
def test_a_path_that_cannot_be_is_refused(spelled: str) -> None:
    with pytest.raises(BadPath):
        files.targets(event("Write", "", file_path=spelled))


def test_the_wrong_key_of_a_notebook_is_not_taken(repo: Path) -> None:
    with pytest.raises(BadPayload):
        files.targets(event("NotebookEdit", str(repo), file_path="src/a.py"))
