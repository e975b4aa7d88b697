"""Real git repositories for tests, independent of the developer's own git configuration."""

import atexit
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

NEUTRAL = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
FILES = ("src/a.py", "src/b.py", "lib/a.py", "notes.txt")


def git(folder: Path, *arguments: str) -> str:
    """What git prints, without the last line end. Raises CalledProcessError when it fails."""
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env={**os.environ, **NEUTRAL},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.rstrip("\n")


def make_repository(folder: Path) -> Path:
    """A repository with FILES, each holding the line ``1``, in one commit."""
    shutil.copytree(_pattern(), folder, symlinks=True)
    git(
        folder, "update-index", "-q", "--refresh"
    )  # the index knows the files that were copied by their inodes
    return folder


@functools.cache
def _pattern() -> Path:
    """One such repository, made once: making it takes seven processes."""
    folder = Path(tempfile.mkdtemp(prefix="repository-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    for key, value in (("user.name", "Tester"), ("user.email", "tester@localhost"), ("gc.auto", "0")):
        git(folder, "config", key, value)
    for name in FILES:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("1\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message=Start")
    for sample in (folder / ".git" / "hooks").iterdir():
        sample.unlink()
    folder.chmod(0o755)
    return folder
