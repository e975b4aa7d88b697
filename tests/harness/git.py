"""Real git repositories for tests, independent of the developer's own git configuration."""

import os
import subprocess
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
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    for key, value in (("user.name", "Tester"), ("user.email", "tester@localhost"), ("gc.auto", "0")):
        git(folder, "config", key, value)
    for name in FILES:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("1\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message=Start")
    return folder
