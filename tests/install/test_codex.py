"""Codex's hooks file and its trust (cases g07 to g10): what is written, asked, recorded and taken back."""

import ast
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from coordhooks.errors import ConfigRefused
from coordhooks.install import codex, codex_trust, install, safefile, uninstall
from coordhooks.install.places import Places

THEIRS = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}
CONFIGS = {
    "none": None,
    "plain": 'model = "x"\n',
    "tables": '# mine\nmodel = "x"\n\n[features]\nfoo = true # yes\n',
    "their own trust": '[hooks.state."/x:stop:0:0"]\ntrusted_hash = "sha256:1"\n',
    "a state table": '[hooks]\n[hooks.state]\n\n[zz]\na = """\n[hooks.state]\n"""\n',
    "CRLF": 'model = "x"\r\n[a]\r\nb = 1\r\n',
    "Ünïcödé": 'name = "ü"\n',
}


PAYLOAD = b'{"tool_input": {"command": "echo \\"$HOME\\" `id` \'x\'"}, "odd": "\xc3\xa9\\u0000"}\n'
NAMES = ["home", 'it\'s a "home" $x & co', "new\nline", "back\\slash", "`id`;$(id)", "Ünï %s"]
SHELLS = [path for path in map(shutil.which, ("dash", "bash", "busybox", "zsh")) if path]


def run(shell: str, command: str, path: str = "/usr/bin:/bin") -> "subprocess.CompletedProcess[bytes]":
    """As Codex does it: one string for the account's shell."""
    applet = ["sh"] if shell.endswith("busybox") else []
    environ = {"PATH": path, "HOME": "/nonexistent", "PYTHONHOME": "/x"}
    return subprocess.run(
        [shell, *applet, "-c", command], input=PAYLOAD, env=environ, capture_output=True, check=False
    )


@pytest.fixture
def folder(home: Path, places: Places, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Codex's own folder, in use."""
    monkeypatch.delenv("CODEX_HOME", raising=False)
    folder = home / ".codex"
    folder.mkdir()
    return folder


def hooks_file(folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((folder / "hooks.json").read_text())
    return value


def states() -> set[str]:
    return {hook.state for hook in codex_trust.hooks(Places.here())}


def test_g09_only_what_codex_knows_stands_in_the_file(folder: Path) -> None:
    install("user")
    value = hooks_file(folder)
    assert set(value) == {"hooks"}
    assert set(value["hooks"]) == {event for event, _ in codex.EVENTS}
    for event, groups in value["hooks"].items():
        for group in groups:
            assert set(group) <= {"matcher", "hooks"}
            for handler in group["hooks"]:
                assert set(handler) == {"type", "command", "timeout"}
                assert type(handler["timeout"]) is int
                assert handler["timeout"] == (3 if event in ("Interrupt", "SessionEnd") else 10)


def test_g07_ours_go_last_and_a_second_time_changes_nothing(folder: Path) -> None:
    path = folder / "hooks.json"
    path.write_text(json.dumps(THEIRS, indent=1))
    install("user")
    assert hooks_file(folder)["hooks"]["PreToolUse"][0] == THEIRS["hooks"]["PreToolUse"][0]
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    assert not install("user").changes
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_a_mark_for_which_codex_drops_the_file_is_refused(folder: Path) -> None:
    path = folder / "hooks.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(THEIRS).encode())
    before = path.read_bytes()
    with pytest.raises(ConfigRefused, match="byte-order mark"):
        install("user")
    assert path.read_bytes() == before


def test_g07_an_upgrade_replaces_ours_where_they_stand(folder: Path) -> None:
    path = folder / "hooks.json"
    install("user")
    value = hooks_file(folder)
    value["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "theirs"}]})
    value["hooks"]["Stop"][0]["hooks"][0]["timeout"] = 20
    path.write_text(json.dumps(value))
    install("user")
    stop = hooks_file(folder)["hooks"]["Stop"]
    assert [group["hooks"][0].get("timeout") for group in stop] == [10, None]


def test_without_codex_nothing_is_made(home: Path, places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CODEX_HOME", raising=False)
    report = install("user")
    assert not (home / ".codex").exists()
    assert any("Codex is not in use here" in warning for warning in report.warnings)


def test_a_program_on_the_path_is_use_enough(
    home: Path, places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CODEX_HOME", raising=False)
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.touch(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    install("user")
    assert (home / ".codex" / "hooks.json").exists()


def test_its_home_is_found_as_codex_finds_it(home: Path, places: Places, tmp_path: Path) -> None:
    """The variable is resolved, the default is not: trust names the file that way."""
    real = tmp_path / "real"
    real.mkdir()
    (home / "link").symlink_to(real)
    (home / ".codex").symlink_to(real)
    assert Places.here({"HOME": str(home), "CODEX_HOME": str(home / "link")}).codex_home == str(real)
    assert Places.here({"HOME": str(home), "CODEX_HOME": ""}).codex_home == str(home / ".codex")


def test_the_hash_is_the_one_that_codex_computes() -> None:
    """As it was read from the real program for this hook."""
    hook = {"type": "command", "command": "true", "timeout": 10}
    said = "sha256:e7d52e5abd8cd60a3454fd12a065a67efd6178dbce741d6d72d615fd9d5d5054"
    assert codex_trust.digest("PreToolUse", hook, "apply_patch") == said


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("home_name", NAMES)
def test_g06_the_command_runs_in_any_shell_and_home(folder: Path, places: Places, shell: str) -> None:
    install("user")
    for event, groups in list(hooks_file(folder)["hooks"].items())[:4]:
        arguments, stdin, path, isolated = ast.literal_eval(
            run(shell, groups[0]["hooks"][0]["command"]).stdout.decode()
        )
        assert arguments[:4] == ["--harness", "codex", "--event", event]
        assert (stdin, path[0], isolated) == (PAYLOAD, places.root, 1)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("end", "rc"),
    [
        ("exit 0", 0),
        ("exit 2", 2),
        ("exit 1", 2),
        ("exit 3", 2),
        ("kill -9 $$", 2),
        ("kill -SEGV $$", 2),
        ("kill -15 $$", 2),
    ],
)
def test_every_other_end_of_python_refuses_a_patch(
    folder: Path, places: Places, shell: str, end: str, rc: int
) -> None:
    Path(places.python).unlink()
    Path(places.python).write_text(
        f"#!/bin/sh\n[ \"$3\" = -c ] && exit 0\ncat >/dev/null; echo '{{}}'; {end}\n"
    )
    Path(places.python).chmod(0o755)
    install("user")
    groups = hooks_file(folder)["hooks"]["PreToolUse"]
    done = run(shell, groups[0]["hooks"][0]["command"])
    assert groups[0]["matcher"] == "apply_patch"
    assert done.returncode == rc
    assert done.stderr.startswith(b"Not written: coordhooks could not check") is (rc == 2 and end != "exit 2")
    assert run(shell, groups[1]["hooks"][0]["command"]).returncode != 2 or end == "exit 2"


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("dies", ["exit 1", "exit 127", "kill -9 $$"])
def test_where_the_interpreter_can_not_even_start_another_one_judges_a_patch(
    folder: Path, places: Places, shell: str, dies: str
) -> None:
    install("user")
    command = hooks_file(folder)["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    Path(places.python).unlink()
    Path(places.python).write_text(f"#!/bin/sh\n{dies}\n")
    Path(places.python).chmod(0o755)
    Path(places.root).with_name("bin2").mkdir()
    (Path(places.root).with_name("bin2") / "python3").symlink_to(sys.executable)
    done = run(shell, command, path=str(Path(places.root).with_name("bin2")))
    assert ast.literal_eval(done.stdout.decode())[1] == PAYLOAD
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("shell", SHELLS)
def test_without_an_interpreter_a_patch_is_refused_without_a_program_it_is_not(
    folder: Path, places: Places, shell: str
) -> None:
    install("user")
    command = hooks_file(folder)["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    Path(places.python).unlink()
    launch = Path(places.root, "coordhooks", "_hooks", "launch.sh")
    fixed = re.sub(r"(?s)for p in .*?; do", "for p in python3; do", launch.read_text())
    launch.write_text(fixed)
    done = run(shell, command, path="/nonexistent")
    assert done.returncode == 2
    assert b"no Python 3.11 or newer" in done.stderr
    shutil.rmtree(places.root)
    done = run(shell, command)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "NOTHING guards writes" in json.loads(done.stdout)["systemMessage"]


# -- trust ------------------------------------------------------------------------------------------------


def test_g10_nothing_is_trusted_unasked_and_that_is_said(folder: Path) -> None:
    report = install("user")
    assert not (folder / "config.toml").exists()
    assert states() == {codex_trust.UNTRUSTED}
    [advice] = [warning for warning in report.warnings if "Codex" in warning]
    assert "in silence" in advice
    assert "`/hooks`" in advice
    assert "--trust-codex" in advice


@pytest.mark.parametrize("yes", [True, False])
def test_g10_a_person_is_asked(folder: Path, yes: bool) -> None:
    asked: list[str] = []
    install("user", ask=lambda question: asked.append(question) or yes)  # type: ignore[func-returns-value]
    assert len(asked) == 1
    assert states() == {codex_trust.TRUSTED if yes else codex_trust.UNTRUSTED}


@pytest.mark.parametrize("text", CONFIGS.values(), ids=CONFIGS)
def test_trust_is_recorded_and_taken_back_to_the_byte(folder: Path, text: str | None) -> None:
    path = folder / "config.toml"
    if text is not None:
        path.write_bytes(text.encode())
    before = tomllib.loads(text or "")
    report = install("user", trust_codex=True)
    assert states() == {codex_trust.TRUSTED}
    assert not [warning for warning in report.warnings if "Codex skips" in warning]
    after = tomllib.loads(path.read_bytes().decode())
    ours = [key for key in after["hooks"]["state"] if key.startswith(f"{folder}/hooks.json:")]
    assert len(ours) == 15
    for key in ours:
        del after["hooks"]["state"][key]
    assert {**before, "hooks": None} == {**after, "hooks": None}
    stamp = path.stat().st_mtime_ns
    assert not install("user", trust_codex=True).changes
    assert path.stat().st_mtime_ns == stamp
    uninstall("user")
    assert (path.read_bytes().decode() if path.exists() else None) == text
    assert not (folder / "hooks.json").exists()
    assert not list(folder.glob("*.bak"))


def test_a_modified_hook_is_trusted_again_in_its_place(folder: Path) -> None:
    path = folder / "config.toml"
    install("user", trust_codex=True)
    text = path.read_text()
    key = next(hook.key for hook in codex_trust.hooks(Places.here()) if hook.event == "Stop")
    header = f'[hooks.state."{key}"]\n'
    path.write_text(text.replace(header, f'{header}trusted_hash = "sha256:old" # noted\n#', 1))
    assert codex_trust.MODIFIED in states()
    install("user", trust_codex=True)
    assert states() == {codex_trust.TRUSTED}


def test_a_disabled_hook_stays_so(folder: Path) -> None:
    install("user", trust_codex=True)
    path = folder / "config.toml"
    path.write_text(path.read_text().replace("trusted_hash", "enabled = false\ntrusted_hash", 1))
    assert states() == {codex_trust.TRUSTED, codex_trust.DISABLED}
    install("user", trust_codex=True)
    assert states() == {codex_trust.TRUSTED, codex_trust.DISABLED}


def test_what_the_user_says_of_our_hooks_stays_until_a_purge(folder: Path) -> None:
    install("user", trust_codex=True)
    path = folder / "config.toml"
    key = next(hook.key for hook in codex_trust.hooks(Places.here()) if hook.event == "Stop")
    header = f'[hooks.state."{key}"]\n'
    path.write_text(path.read_text().replace(header, f"{header}enabled = false\n"))
    report = uninstall()
    assert tomllib.loads(path.read_text()) == {"hooks": {"state": {key: {"enabled": False}}}}
    assert any(warning.startswith("1 entries of trust for our hooks stay") for warning in report.warnings)


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize(
    "own", ["enabled = true", "# undecided\nenabled = true # yes", "enabled=true\n\n# theirs\n[a]"]
)
def test_an_entry_that_was_there_is_given_back_as_it_was(folder: Path, own: str, end: str) -> None:
    install("user")
    key = codex_trust.hooks(Places.here())[3].key
    path = folder / "config.toml"
    before = f'model = "x"\n\n[hooks.state."{key}"]\n{own}\n'.replace("\n", end).encode()
    path.write_bytes(before)
    install("user", trust_codex=True)
    assert states() == {codex_trust.TRUSTED}
    uninstall()
    assert path.read_bytes() == before


def test_notes_beside_our_entries_stay(folder: Path) -> None:
    install("user", trust_codex=True)
    path = folder / "config.toml"
    path.write_text(path.read_text() + "\n# mine\n[features]\na = true\n")
    uninstall()
    assert path.read_text().lstrip() == "# mine\n[features]\na = true\n"


REFUSED = ("hooks = { state = {} }\n", "[hooks]\nstate = {}\n", "hooks.state = 1\n", "= broken\n", b"\xff")


@pytest.mark.parametrize("text", REFUSED)
def test_a_file_that_can_not_be_edited_safely_is_left_alone(folder: Path, text: str | bytes) -> None:
    path = folder / "config.toml"
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(data)
    with pytest.raises(ConfigRefused):
        install("user", trust_codex=True)
    assert not (folder / "hooks.json").exists()  # refused before anything was written
    install("user")
    assert (folder / "hooks.json").exists()
    assert path.read_bytes() == data
    assert safefile.backups(str(path)) == []


def test_a_preview_says_what_will_be_said(folder: Path) -> None:
    """Also where the hooks are there already, and where they are trusted already."""
    assert "in silence" in str(install("user", dry_run=True))
    report = install("user", dry_run=True, trust_codex=True)
    assert f"would record your trust in 15 hooks in {folder}/config.toml" in report.changes
    assert f"+++ {folder}/config.toml" in report.diff
    assert "in silence" not in str(report)
    assert not list(folder.iterdir())
    install("user")
    assert "in silence" in str(install("user", dry_run=True))
    assert len(install("user", dry_run=True, trust_codex=True).changes) == 1
    install("user", trust_codex=True)
    assert str(install("user", dry_run=True)) == "nothing to change"


def test_who_stands_after_ours_is_told_when_we_go(folder: Path) -> None:
    install("user", trust_codex=True)
    value = hooks_file(folder)
    value["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "theirs"}]})
    (folder / "hooks.json").write_text(json.dumps(value))
    [warning] = [w for w in uninstall("user").warnings if "trusted anew" in w]
    assert "(Stop)" in warning
    assert not (folder / "config.toml").exists()
