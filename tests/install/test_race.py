"""Case g16: other programs write the same file while we do, and we may be killed at any moment."""

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from harness import torture

from coordhooks.errors import InstallError
from coordhooks.install import install, merge, safefile, uninstall
from coordhooks.install.exchange import exchange
from coordhooks.install.places import Places

ROUNDS = torture.count(10, 50)
KILLS = torture.count(10, 100)
CONTENT = '{\n  "model": "opus"\n}\n'

# Read, change, write beside, rename, as careful programs do; it says how often its own key went back. An edit that
# an installer meets at its own is put back by it a moment later, so only what stays away is lost.
TOGGLER = """
import json, os, sys, time
path, flag, lost, last = sys.argv[1], sys.argv[2], 0, None
while not os.path.exists(flag):
    for patience in range(500):
        with open(path) as file:
            value = json.load(file)  # whole at any moment
        if last is None or value.get("toggled") == last:
            break
        time.sleep(0.01)
    else:
        lost += 1
    last = value["toggled"] = not value.get("toggled")
    with open(path + ".toggler", "w") as file:
        json.dump(value, file, indent=2)
    os.replace(path + ".toggler", path)
    time.sleep(0.002)
print(lost)
"""


@pytest.fixture(autouse=True)
def settle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safefile, "SETTLE_SECONDS", 0.1)


def installer() -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "coordhooks.install", "install"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_g16_two_installers_and_a_third_program(settings: Path, places: Places, tmp_path: Path) -> None:
    settings.write_text(CONTENT)
    flag = tmp_path / "stop"
    toggler = subprocess.Popen(
        [sys.executable, "-c", TOGGLER, settings, flag], stdout=subprocess.PIPE, text=True
    )
    try:
        for _ in range(ROUNDS):
            both = [installer(), installer()]
            said = [process.communicate()[0] for process in both]
            assert [process.returncode for process in both] == [0, 0], said
            value = json.loads(settings.read_bytes())
            assert merge.installed(value) == 20
            assert value["model"] == "opus"
            uninstall()
            assert merge.installed(json.loads(settings.read_bytes())) == 0
            restore_program(places)
    finally:
        flag.touch()
        lost, _ = toggler.communicate(timeout=10)
    assert int(lost) == 0
    assert [n for n in os.listdir(settings.parent) if n.endswith(".tmp")] == []
    assert safefile.backups(str(settings))


def restore_program(places: Places) -> None:
    root = Path(places.versions, "1-test", "site", "coordhooks")
    root.mkdir(parents=True, exist_ok=True)
    (root / "hook.py").touch()
    if not os.path.lexists(places.current):
        os.symlink("versions/1-test", places.current)


def test_g16_killed_at_any_moment(settings: Path, places: Places) -> None:
    for number in range(KILLS):
        settings.write_text(CONTENT)
        process = installer()
        time.sleep(random.Random(number).uniform(0.02, 0.2))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert merge.installed(json.loads(settings.read_bytes())) in (0, 20)
        install("user")
        assert [n for n in os.listdir(settings.parent) if n.endswith(".tmp")] == []
        uninstall("project")  # leaves the program
        for backup in (*settings.parent.glob("*.bak"), Path(places.manifest)):
            backup.unlink()


@pytest.mark.parametrize("point", ["os.fsync", "os.replace", "coordhooks.install.safefile.exchange"])
def test_g16_killed_inside_the_write(settings: Path, places: Places, point: str) -> None:
    """At each system call of the write; the next uninstall still restores the bytes."""
    settings.write_text(CONTENT)
    for after in (False, True):
        module, name = point.rsplit(".", 1)
        code = (
            f"import importlib, os, signal, sys\nimport coordhooks.install as i\n"
            f"m = importlib.import_module({module!r}); real = m.{name}\n"
            f"def fatal(*a, **k):\n"
            f"    if {after}: real(*a, **k)\n"
            f"    os.kill(os.getpid(), signal.SIGKILL)\n"
            f"m.{name} = fatal\ni.install('user')\n"
        )
        done = subprocess.run([sys.executable, "-c", code], check=False)
        assert done.returncode == -signal.SIGKILL
        assert merge.installed(json.loads(settings.read_bytes())) in (0, 20)
        uninstall()
        assert settings.read_text() == CONTENT
        install_again(places, settings)


def install_again(places: Places, settings: Path) -> None:
    restore_program(places)
    install("user")
    uninstall()
    assert settings.read_text() == CONTENT
    assert [n for n in os.listdir(settings.parent) if n.endswith(".tmp")] == []
    restore_program(places)


def test_an_edit_in_the_last_moment_is_kept(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between our last look and the rename: the swap brings it to light."""
    settings.write_text("theirs 1")
    calls: list[int] = []

    def late(one: str, other: str) -> bool:
        if not calls:
            settings.write_text("theirs 2")
        calls.append(1)
        return exchange(one, other)

    monkeypatch.setattr(safefile, "exchange", late)
    assert safefile.change(
        str(settings), lambda old: old if old and b"ours" in old else (old or b"") + b" ours"
    )
    assert settings.read_text() == "theirs 2 ours"


def test_a_full_disk_leaves_everything_as_it_was(
    settings: Path, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(fd: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    settings.write_text(CONTENT)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="space"):
        safefile.change(str(settings), lambda old: b"new")
    assert settings.read_text() == CONTENT
    assert os.listdir(settings.parent) == ["settings.json"]


def test_works_where_files_can_not_be_swapped(
    settings: Path, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safefile, "exchange", lambda one, other: False)
    settings.write_text(CONTENT)
    install("user")
    uninstall()
    assert settings.read_text() == CONTENT


def test_gives_up_against_a_program_that_never_stops(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safefile, "SETTLE_SECONDS", 0)
    counter = iter(range(10**6))
    with pytest.raises(InstallError, match="keeps writing"):
        safefile.change(str(settings), lambda old: str(next(counter)).encode())


def test_waits_for_the_other_installer(places: Places) -> None:
    with (
        safefile.lock(places.lock),
        pytest.raises(InstallError, match="another installer"),
        safefile.lock(places.lock, timeout=0.1),
    ):
        pass
