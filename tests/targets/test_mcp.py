"""What a call to an MCP server's tool writes, as far as its name and keys tell."""

from pathlib import Path

import pytest

from coordhooks.model import Event
from coordhooks.targets import mcp


def names(repo: Path, tool: str, **tool_input: object) -> list[str]:
    made = Event("pre_tool_use", "claude-code", "s")
    made.tool, made.cwd, made.tool_input = tool, str(repo), tool_input
    return [target.name for target in mcp.targets(made)]


@pytest.mark.parametrize(
    ("tool", "writes"),
    [
        ("mcp__filesystem__write_file", True), ("mcp__fs__edit-file", True), ("mcp__fs__createFile", True),
        ("mcp__fs__moveFile", True), ("mcp__my__server__delete", True), ("mcp__fs__WriteFile", True),
        ("mcp__filesystem__read_file", False), ("mcp__fs__list", False), ("mcp__writer__read", False),
        ("mcp__fs__reset_view", False), ("mcp__fs__", False), ("", False),
    ],
)  # fmt: skip
def test_the_name_says_whether_it_writes(repo: Path, tool: str, writes: bool) -> None:
    assert mcp.writes(tool) is writes
    assert names(repo, tool, path="src/a.py") == ["src/a.py"] * writes


@pytest.mark.parametrize("key", ["path", "file_path", "filename", "target", "destination", "output_path"])
def test_path_like_keys_are_looked_at(repo: Path, key: str) -> None:
    assert names(repo, "mcp__fs__write", **{key: "src/a.py"}, content="lib/a.py") == ["src/a.py"]


def test_lists_and_several_keys(repo: Path) -> None:
    found = names(
        repo, "mcp__fs__move_file", source="src/a.py", destination="lib/a.py", paths=["x", "y", 5, None]
    )
    assert sorted(found) == ["lib/a.py", "src/a.py", "x", "y"]


@pytest.mark.parametrize("value", [None, "", 5, {}, [], "https://example.com/a", "a\0b", "\ud800"], ids=repr)
def test_what_is_no_path_is_not_ours(repo: Path, value: object) -> None:
    assert names(repo, "mcp__fs__write_file", path=value) == []
