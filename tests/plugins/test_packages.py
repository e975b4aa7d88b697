"""What a plugin has besides its own files: without packages it says so once, with them it does all."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest
from harness.process import clean_environment

from coordhooks import __version__
from coordhooks.install import packages
from coordhooks.install.places import Places
from plugins.conftest import CHECKOUT


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The folder that a harness keeps for the plugin."""
    folder = tmp_path / "plug's data"
    folder.mkdir()
    return folder


@pytest.fixture
def environment(places: Places) -> None:
    """What `coord setup` makes, but for the network: the packages are those of the tests."""
    version = Path(places.versions, "1-test")
    venv.create(version)
    site = next((version / "lib").glob("python*/site-packages"))
    ours = next(path for path in sys.path if Path(path, "tree_sitter").is_dir())
    for package in Path(ours).iterdir():
        if package.name not in ("__pycache__",) and not (site / package.name).exists():
            (site / package.name).symlink_to(package)
    (version / "site").symlink_to(site)
    Path(places.current).symlink_to("versions/1-test")


def entry(event: str, clone: Path, data: Path, tool_class: str = "", start: bool = False) -> list[str]:
    """The command of an entry in the checked-in file, filled in as Claude Code does it."""
    groups = json.loads((clone / "hooks/hooks.json").read_text())["hooks"][event]
    commands = [hook for group in groups for hook in group["hooks"]]
    [found] = [
        c for c in commands
        if ("PluginStart" in c["args"]) == start and (not tool_class or tool_class in c["args"])
    ]  # fmt: skip
    words = [found["command"], *found["args"]]
    folders = {"${CLAUDE_PLUGIN_ROOT}": str(clone), "${CLAUDE_PLUGIN_DATA}": str(data)}
    for name, folder in folders.items():
        words = [word.replace(name, folder) for word in words]
    return words


def run(words: list[str], home: Path, repo: Path, payload: object = None, **more: str) -> dict[str, Any]:
    done = subprocess.run(
        words, env=clean_environment(home) | more, cwd=repo, capture_output=True, check=False,
        input=json.dumps(payload).encode(),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout) if done.stdout.strip() else {}


def coord(clone: Path, home: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(clone / "bin/coord"), *words], env=clean_environment(home), cwd=home, check=False,
        capture_output=True, text=True,
    )  # fmt: skip


def test_what_is_missing_is_said_once(clone: Path, data: Path, home: Path, repo: Path) -> None:
    start = entry("SessionStart", clone, data, start=True)
    said = run(start, home, repo)["systemMessage"]
    assert f"{clone}/bin/coord".replace("'", "'\"'\"'") in said
    assert said.endswith(" setup")
    assert run(start, home, repo) == {}
    assert os.access(data / "env/bin/python3", os.X_OK)
    done = coord(clone, home, "status")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("coord: the `coord` command and the check of shell commands need")


def test_with_packages_nothing_is_missing(
    clone: Path, data: Path, home: Path, repo: Path, environment: None
) -> None:
    env_file = data / "env file"
    assert (
        run(entry("SessionStart", clone, data, start=True), home, repo, CLAUDE_ENV_FILE=str(env_file)) == {}
    )
    done = coord(clone, home, "status", "--json")
    assert done.returncode == 0, done.stderr
    shell = f'. "{env_file}"; command -v coord'
    found = subprocess.run(
        ["/bin/sh", "-c", shell], env=clean_environment(home), capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == str(clone / "bin/coord")
    assert not list(clone.rglob("__pycache__"))


def test_packages_that_went_leave_what_needs_none(
    clone: Path, data: Path, home: Path, repo: Path, places: Places, environment: None
) -> None:
    start = entry("SessionStart", clone, data, start=True)
    assert run(start, home, repo) == {}
    os.unlink(places.current)
    assert "setup" in run(start, home, repo)["systemMessage"]
    assert os.access(data / "env/bin/python3", os.X_OK)
    assert coord(clone, home, "status").returncode == 1


@pytest.mark.parametrize("packages_are_there", [True, False])
def test_the_shell_is_read_where_the_grammar_is(
    clone: Path, data: Path, home: Path, repo: Path, request: pytest.FixtureRequest, packages_are_there: bool
) -> None:
    if packages_are_there:
        request.getfixturevalue("environment")
    request.getfixturevalue("held")
    run(entry("SessionStart", clone, data, start=True), home, repo)
    payload = {
        "session_id": "s", "transcript_path": "", "cwd": str(repo), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "cd src && echo 2 > a.py"},
    }  # fmt: skip
    words = entry("PreToolUse", clone, data, "shell")
    reply = run(words, home, repo, payload, CLAUDE_PID=str(os.getpid()))
    assert ("src/a.py is being edited by" in json.dumps(reply)) is packages_are_there


def test_a_link_is_changed_in_one_step_and_left_alone_when_right(data: Path, places: Places) -> None:
    assert packages.prepare(str(data), places) is False
    before = os.lstat(data / "env").st_ino
    assert packages.prepare(str(data), places) is False
    assert os.lstat(data / "env").st_ino == before
    assert sorted(os.listdir(data)) == ["bare", "compiled", "env"]


def test_the_hooks_files_are_current() -> None:
    done = subprocess.run(
        [sys.executable, CHECKOUT / "hooks/generate.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("manifest", [".claude-plugin/plugin.json", ".codex-plugin/plugin.json"])
def test_the_versions_agree(manifest: str) -> None:
    assert json.loads((CHECKOUT / manifest).read_text())["version"] == __version__
