"""A fresh Debian, without anything that this machine happens to have: the README's first command, the veto, and no trace."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MISSING = [tool for tool in ("debootstrap", "chroot", "unshare") if not shutil.which(tool)]


def run(*command: str | Path) -> str:
    done = subprocess.run(command, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


@pytest.fixture
def debian(tmp_path: Path) -> Iterator[Path]:
    """The folder that holds it, with a clone of what is committed here in ``/source``."""
    if os.geteuid() != 0 or MISSING:
        pytest.skip(f"a fresh Debian was NOT tested: {' and '.join(MISSING) or 'root'} is needed")
    root = tmp_path / "debian"
    run("sh", HERE / "make.sh", root)
    run("git", "clone", "--quiet", "--bare", HERE.parents[1], root / "source")
    run("chroot", root, "chown", "-R", "newcomer:", "/source")
    shutil.copy(HERE / "newcomer.py", root / "newcomer.py")
    yield root
    shutil.rmtree(root)  # hundreds of megabytes


@pytest.mark.torture
def test_a_newcomer(debian: Path) -> None:
    run("sh", HERE / "enter.sh", debian, "python3", "/newcomer.py", "/source")
