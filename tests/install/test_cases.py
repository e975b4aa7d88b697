"""Reported mishaps of other installers that have no place elsewhere; the other cases are named in the tests' names."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from coordhooks.errors import ConfigRefused
from coordhooks.install import codex, command, install, merge, uninstall
from coordhooks.install.places import Places

COMMENTED = (
    '// my settings\n{\n  "env": {"U": "https://x.test/a//b"}, /* keep */\n  "hooks": {"Stop": [{"hooks":'
    ' [{"type": "command", "command": "a && b > c"}]}],},\n}\n'
)
STRICT = re.sub(r"// my settings\n| /\* keep \*/", "", COMMENTED).replace("}],},\n", "}]}\n")
FOREIGN = {
    "env": {"A": "1"},
    "permissions": {"deny": ["Read(./.env)"]},
    "mcpServers": {"x": {"command": "y"}},
    "unknownKey": [1, 2.50, {"deep": None}],
    "hooks": {
        "SessionStart": [{"matcher": "compact", "hooks": [{"type": "command", "command": "remind"}]}],
        "PreToolUse": [
            {
                "matcher": "Write|Edit|MultiEdit|NotebookEdit",
                "hooks": [{"type": "command", "command": "lint", "timeout": 5}],
            }
        ],
        "UnknownEvent": [{"hooks": [{"type": "http", "url": "http://localhost/"}]}],
    },
}


def read(settings: Path) -> Any:
    return json.loads(settings.read_text())


def test_g02_comments_are_never_lost(settings: Path, places: Places) -> None:
    settings.write_text(COMMENTED)
    with pytest.raises(ConfigRefused, match="no comments"):
        install("user")
    uninstall()
    assert settings.read_text() == COMMENTED


def test_g02_texts_that_look_like_comments_are_none(settings: Path, places: Places) -> None:
    settings.write_text(STRICT)
    install("user")
    assert read(settings)["env"] == {"U": "https://x.test/a//b"}
    assert '"a && b > c"' in settings.read_text()
    uninstall()
    assert settings.read_text() == STRICT


def test_g03_hooks_of_others_in_the_same_events_stay(settings: Path, places: Places) -> None:
    before = json.dumps(FOREIGN, indent=2)
    settings.write_text(before)
    changes = install("user").changes
    assert any(str(settings) in change for change in changes)
    assert install("user").changes == []
    after = read(settings)
    assert {key: after[key] for key in FOREIGN if key != "hooks"} == {
        key: value for key, value in FOREIGN.items() if key != "hooks"
    }
    for event, groups in FOREIGN["hooks"].items():  # type: ignore[attr-defined]
        assert after["hooks"][event][: len(groups)] == groups
    assert merge.installed(after) == 20
    uninstall()
    assert settings.read_text() == before


def test_g09_a_hooks_file_that_codex_ignores_whole_is_told(home: Path, places: Places) -> None:
    path = home / ".codex" / "hooks.json"
    path.parent.mkdir()
    path.write_text('{"$schema": "x", "hooks": {}}')
    assert any("ignores" in warning and "$schema" in warning for warning in install("user").warnings)
    uninstall()
    assert path.read_text() == '{"$schema": "x", "hooks": {}}'


def test_g14_uninstalling_twice_is_calm(settings: Path, home: Path, places: Places) -> None:
    settings.write_text('{"model": "opus"}')
    install("user")
    uninstall()
    tree = sorted(home.rglob("*"))
    report = uninstall()
    assert (report.changes, report.warnings) == ([], [])
    assert sorted(home.rglob("*")) == tree


@pytest.mark.parametrize("harness", ["claude-code", "codex"])
def test_g17_backslashes_of_a_path_reach_the_program(harness: str, tmp_path: Path) -> None:
    """A place as on Windows: whatever shell runs the command, no backslash is eaten."""
    root = "C:\\Users\\u\\new tools"
    shows = ["-c", 'printf "%s" "$2"', "coordhooks"]
    if harness == "claude-code":
        entry = command.handler("python", root)
        line = [entry["command"], *shows, *entry["args"][3:]]
    else:
        words = codex.groups("python", root)["Stop"][0]["hooks"][0]["command"]
        line = ["bash", "-c", words.replace(command.one_string("python", root)["command"].split(" coordhooks ")[0],
                                            "/bin/sh -c 'printf \"%s\" \"$2\"'")]  # fmt: skip
    assert subprocess.run(line, capture_output=True, text=True, check=True).stdout == root
