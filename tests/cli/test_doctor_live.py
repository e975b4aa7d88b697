"""``coord doctor --live`` with the real programs: a working veto is proven, a missing one is seen."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from harness.process import SYSTEM, clean_environment

from coordhooks.install import claude_code, codex, codex_trust, interpreter
from coordhooks.install.places import Places

ROOT = Path(__file__).parents[2]
COORD = "import sys; sys.argv[0] = 'coord'; from coordhooks.cli import main; sys.exit(main())"


class User:
    """A home with hooks of both harnesses, which start this checkout, and the given programs on the PATH."""

    def __init__(self, home: Path, repo: Path, **programs: Path) -> None:
        self.home, self.repo = home, repo
        self.temporary = home / "tmp"
        self.settings = home / ".claude/settings.json"
        self.hooks = home / ".codex/hooks.json"
        self.config = home / ".codex/config.toml"
        for folder in ("tmp", "bin", ".claude", ".codex"):
            (home / folder).mkdir()
        for name, path in programs.items():
            (home / "bin" / name).symlink_to(path)
        self.settings.write_text(json.dumps({"hooks": claude_code.groups(interpreter.stable(), str(ROOT))}))
        self.hooks.write_text(json.dumps({"hooks": codex.groups(interpreter.stable(), str(ROOT))}))
        places = Places.here({"HOME": str(home)}, str(repo))
        codex_trust.trust(str(self.config), codex_trust.hooks(places))

    def live(self) -> dict[str, tuple[bool | None, str]]:
        """What ``--live`` found, by harness."""
        environ = clean_environment(self.home)
        environ |= {
            "PATH": f"{self.home / 'bin'}:{SYSTEM}",
            "TMPDIR": str(self.temporary),
            "PYTHONPATH": str(ROOT),
        }
        done = subprocess.run(
            [sys.executable, "-c", COORD, "doctor", "--live", "--json"],
            cwd=self.repo, env=environ, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert not done.stderr
        report: dict[str, Any] = json.loads(done.stdout)
        assert done.returncode == (0 if report["healthy"] else 1)
        found = [f for f in report["findings"] if f["check"] == "live"]
        return {f["says"].partition(":")[0]: (f["ok"], f["says"]) for f in found}

    def files(self) -> dict[str, bytes]:
        """All that the user has, by name."""
        names = [Path(folder, name) for folder, _, names in os.walk(self.home) for name in names]
        return {str(name): name.read_bytes() for name in names if not name.is_symlink()}


@pytest.fixture
def user(home: Path, repo: Path, claude_binary: Path, codex_binary: Path) -> User:
    return User(home, repo, claude=claude_binary, codex=codex_binary)


def test_the_veto_is_proven_and_nothing_is_left(user: User) -> None:
    before = user.files()
    for ok, says in user.live().values():
        assert ok is True, says
        assert "a write of a held file was refused, a free one passed" in says
    assert user.files() == before
    assert not (user.home / ".local/state/coordhooks").exists()


def test_hooks_that_do_not_run(user: User) -> None:
    settings = json.loads(user.settings.read_text())
    user.settings.write_text(json.dumps(settings | {"disableAllHooks": True}))
    user.config.write_text("")
    for ok, says in user.live().values():
        assert ok is False
        assert "NO VETO" in says
        assert "no hook of ours fired" in says


def test_what_others_have_in_the_settings_stays_out_of_it(user: User, tmp_path: Path) -> None:
    """Neither their hooks nor a server, an account or a permission of the user's."""
    trap = tmp_path / "trap"
    touch = {"hooks": [{"type": "command", "command": f"touch {trap}"}]}
    settings = json.loads(user.settings.read_text())
    settings |= {"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}, "apiKeyHelper": f"touch {trap}"}
    settings |= {"permissions": {"deny": ["Write"]}, "model": "no-such-model"}
    for event in ("SessionStart", "PreToolUse", "Stop"):
        settings["hooks"][event].append(touch)
    user.settings.write_text(json.dumps(settings))
    hooks = json.loads(user.hooks.read_text())
    for event in ("SessionStart", "PreToolUse", "Stop"):
        hooks["hooks"][event].append(touch)
    user.hooks.write_text(json.dumps(hooks))
    assert {name: ok for name, (ok, _) in user.live().items()} == {"Claude Code": True, "Codex": True}
    assert not trap.exists()


def test_a_file_that_the_harness_drops_whole(user: User) -> None:
    user.settings.write_text("// mine\n" + user.settings.read_text())
    user.hooks.write_text(json.dumps(json.loads(user.hooks.read_text()) | {"version": 1}))
    assert {name: ok for name, (ok, _) in user.live().items()} == {"Claude Code": False, "Codex": False}


def test_a_program_that_is_gone(user: User) -> None:
    """The hooks warn and let everything pass then, and a veto that does not fire is a fault."""
    for file in (user.settings, user.hooks):
        file.write_text(file.read_text().replace(str(ROOT), "/no/such/folder"))
    places = Places.here({"HOME": str(user.home)}, str(user.repo))
    codex_trust.trust(str(user.config), codex_trust.hooks(places))
    assert all(ok is False and "NO VETO" in says for ok, says in user.live().values())


def test_a_harness_that_breaks_off(home: Path, repo: Path, tmp_path: Path) -> None:
    stub = tmp_path / "stub"
    stub.write_text('#!/bin/sh\n[ "$1" = --version ] && echo 1.0 && exit\necho no license >&2; exit 4\n')
    stub.chmod(0o755)
    found = User(home, repo, claude=stub).live()
    ok, says = found["Claude Code"]
    assert ok is False
    assert "it never asked its model" in says
    assert "exit 4; its last words: no license" in says
    assert found["Codex"][0] is None
    assert "was not tried" in found["Codex"][1]
