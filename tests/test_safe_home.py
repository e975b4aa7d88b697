"""No test can touch the developer's real home folder."""

import os
import pwd
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import safe_home

from coordhooks import locations

REAL = Path(safe_home.real_homes()[0])
OURS = [Path(home, name) for home in safe_home.real_homes() for name in safe_home.OWNED]


def names(folder: Path) -> list[str]:
    """The entries of a folder, listed by a child because this process must not."""
    return subprocess.run(
        ["ls", "-A", str(folder)], check=False, capture_output=True, text=True
    ).stdout.splitlines()


def test_every_way_to_ask_for_home_leads_to_the_temporary_one() -> None:
    answers = {
        os.path.expanduser("~"),
        os.path.expanduser(f"~{pwd.getpwuid(os.getuid()).pw_name}"),
        pwd.getpwuid(os.getuid()).pw_dir,
        str(Path.home()),
        locations.home(os.environ),
        locations.home({}),
    }
    assert answers == {os.environ["HOME"]}
    assert os.environ["HOME"] not in safe_home.real_homes()


def test_a_child_is_in_the_temporary_home_too() -> None:
    code = "import os, coordhooks.locations as l; print(os.path.expanduser('~'), l.state_dir(os.environ))"
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert said == [os.environ["HOME"], locations.state_dir(os.environ)]
    assert said[1].startswith(os.environ["HOME"])


def test_no_variable_of_the_developers_own_session_is_left() -> None:
    left = {name for name in os.environ if name.startswith(safe_home.REMOVED)}
    assert left - {safe_home.KEPT} == set(safe_home.FOLDERS)
    assert all(os.environ[name].startswith(os.environ["HOME"]) for name in safe_home.FOLDERS)


@pytest.mark.parametrize("path", OURS, ids=str)
@pytest.mark.parametrize(
    "touch",
    [Path.read_bytes, Path.touch, Path.mkdir, Path.unlink, os.listdir, sqlite3.connect],
    ids=lambda function: function.__qualname__,
)
def test_the_process_refuses_to_touch_the_real_one(path: Path, touch: Callable[[Path], object]) -> None:
    nothing = path / "of-a-test"  # so that nothing is lost if the guard should fail
    with pytest.raises(safe_home.RealHomeTouched):
        touch(nothing)


def test_installing_and_working_leave_the_real_one_as_it_was(repo: Path) -> None:
    folders = (REAL / ".claude", REAL / ".local/state/coordhooks", REAL / ".local/share/coordhooks")
    before = [names(folder) for folder in folders]
    for command in ("coordhooks.install install", "coordhooks.cli status"):
        subprocess.run([sys.executable, "-m", *command.split()], cwd=repo, capture_output=True, check=False)
    assert [names(folder) for folder in folders] == before
