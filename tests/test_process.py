"""Which process is it, and does it live? Real children, killed; fields that can't be compared."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from coordhooks import process
from coordhooks.model import Identity
from coordhooks.process import Here, alive, identity

HERE = Here()
linux = pytest.mark.skipif(not process.LINUX, reason="reads /proc")


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen]:
    started = subprocess.Popen(["sleep", "600"])
    yield started
    started.kill()
    started.wait()


def changed(who: Identity, **fields: object) -> Identity:
    known = {name: getattr(who, name) for name in ("pid", "start", "boot", "pid_ns", "host")}
    return Identity(**{**known, **fields})


def test_a_running_child_is_alive_and_a_killed_one_is_not(sleeper: subprocess.Popen) -> None:
    who = identity(sleeper.pid, HERE)
    assert alive(who, HERE) is True
    sleeper.kill()
    sleeper.wait()
    assert alive(who, HERE) is False
    assert process.start_of(sleeper.pid) is None


def test_a_zombie_is_gone(sleeper: subprocess.Popen) -> None:
    who = identity(sleeper.pid, HERE)
    sleeper.kill()
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
    assert alive(who, HERE) is False


def test_a_stopped_process_is_alive(sleeper: subprocess.Popen) -> None:
    import signal

    who = identity(sleeper.pid, HERE)
    sleeper.send_signal(signal.SIGSTOP)
    os.waitpid(sleeper.pid, os.WUNTRACED)
    assert alive(who, HERE) is True


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        ({"start": "1"}, False),
        ({"boot": "another-boot"}, False),
        ({"boot": None}, None),
        ({"pid_ns": 1}, None),
        ({"pid_ns": None}, None),
        ({"host": "another"}, None),
        ({"host": None}, None),
        ({"host": "another", "start": "1"}, None),
        ({"start": None}, None),
        ({"pid": None}, None),
        ({"pid": 2**22 + 1}, False),
        ({"pid": 2**70}, None),
        ({"pid": 2**22 + 1, "pid_ns": 1}, None),
    ],
    ids=str,
)
def test_unknown_is_never_guessed(sleeper: subprocess.Popen, fields: dict, answer: bool | None) -> None:
    assert alive(changed(identity(sleeper.pid, HERE), **fields), HERE) is answer


def test_gone_needs_no_start(sleeper: subprocess.Popen) -> None:
    who = changed(identity(sleeper.pid, HERE), start=None)
    sleeper.kill()
    sleeper.wait()
    assert alive(who, HERE) is False


@linux
def test_a_process_that_proc_hides_is_not_gone(
    sleeper: subprocess.Popen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under ``hidepid`` the processes of other users are not to be seen, but they answer to a signal."""
    who = identity(sleeper.pid, HERE)
    monkeypatch.setattr(process, "_stat", lambda pid: None)
    assert alive(who, HERE) is None

    def forbidden(pid: int, number: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", forbidden)
    assert alive(who, HERE) is None


@linux
@pytest.mark.parametrize("name", ["plain", "a b", "a) S 1 (b", "((("])
def test_a_programs_name_does_not_confuse(tmp_path: Path, name: str) -> None:
    import shutil

    program = tmp_path / name
    shutil.copy(shutil.which("sleep"), program)
    one = subprocess.Popen([program, "600"])
    try:
        assert process.parent_of(one.pid) == os.getpid()
        assert process.executable(one.pid) == name
        assert process.start_of(one.pid).isdigit()
        program.unlink()
        assert process.executable(one.pid) == name
    finally:
        one.kill()
        one.wait()


def test_ancestors_are_nearest_first_and_end_before_init() -> None:
    script = (
        "import os; from coordhooks.process import ancestors; print(os.getppid(), *ancestors(os.getpid()))"
    )
    done = subprocess.run(
        ["sh", "-c", '"$0" -c "$1"; true', sys.executable, script], capture_output=True, text=True, check=True
    )
    shell, *found = map(int, done.stdout.split())
    assert found[:2] == [shell, os.getpid()]
    assert found[2:] == process.ancestors(os.getpid())
    assert not {0, 1} & set(found)
    assert len(found) <= process.MAX_ANCESTORS


def test_the_ancestors_of_nobody(sleeper: subprocess.Popen) -> None:
    sleeper.kill()
    sleeper.wait()
    assert process.ancestors(sleeper.pid) == []
    assert process.executable(sleeper.pid) == ""
    assert process.parent_of(sleeper.pid) is None


def test_starts_tell_two_processes_apart() -> None:
    """The start is opaque, equal only for the same process."""
    mine = process.start_of(os.getpid())
    assert mine
    assert mine == process.start_of(os.getpid())
    assert mine != process.start_of(1)


@linux
def test_another_pid_namespace_has_another_number() -> None:
    script = "from coordhooks.process import Here; h = Here(); print(h.boot, h.pid_ns, h.host)"
    command = [sys.executable, "-c", script]
    try:
        inside = subprocess.run(
            ["unshare", "--pid", "--fork", "--mount-proc", *command],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
    except (subprocess.CalledProcessError, FileNotFoundError):
        pytest.skip("no namespace can be made here")
    assert inside[0] == HERE.boot
    assert int(inside[1]) != HERE.pid_ns


def test_psutil_agrees(sleeper: subprocess.Popen, monkeypatch: pytest.MonkeyPatch) -> None:
    """What other systems use, on this one."""
    monkeypatch.setattr(process, "LINUX", False)
    here = Here()
    who = identity(sleeper.pid, here)
    assert alive(who, here) is True
    assert process.parent_of(sleeper.pid) == os.getpid()
    assert process.parent_of(os.getpid()) == os.getppid()
    assert process.executable(sleeper.pid)
    assert alive(changed(who, start="1.000"), here) is False
    sleeper.kill()
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
    assert alive(who, here) is False
    sleeper.wait()
    assert alive(who, here) is False
    assert process.parent_of(sleeper.pid) is None
    assert process.executable(sleeper.pid) == ""


def test_without_psutil_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "LINUX", False)
    monkeypatch.setitem(sys.modules, "psutil", None)
    here = Here()
    assert alive(identity(os.getpid(), here), here) is None
    assert process.executable(1) == ""
    assert process.parent_of(1) is None
