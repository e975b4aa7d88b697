"""A scratch repository in which commands run for real, and what they changed in it."""

import os
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

from coordhooks.targets.shell.verdict import FILE, TREE, Verdict, Write

FILES = {
    "src/a.py": "1\n", "src/b.py": "1\n", "lib/a.py": "1\n", "notes.txt": "1\n", "multi.txt": "one\ntwo\nthree\n",
    "data.json": '{"a": 1}\n', "env.sh": "FROM_ENV=1\n", "tool.sh": "echo tool > tool.txt\n",
    "Makefile": "made:\n\ttouch made-by-make.txt\n",
    "p.diff": "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-1\n+2\n",
}  # fmt: skip
TIMEOUT = 30.0

Entry = tuple[object, ...]


def make(folder: Path) -> None:
    """``repo`` and ``home`` in ``folder``: two branches, one changed file, one untracked folder, one stash."""
    repo = folder / "repo"
    (folder / "home").mkdir(parents=True)
    for name, text in FILES.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text)
    _archives(repo)
    for line in (
        "init -q -b main", "add -A", "commit -q -m first", "checkout -q -b feature", "rm -q --cached env.sh",
    ):  # fmt: skip
        git(folder, *line.split())
    (repo / "lib/a.py").write_text("feature\n")
    (repo / "feature.txt").write_text("feature\n")
    for line in ("add lib/a.py feature.txt", "reset -q env.sh", "commit -q -m feature", "checkout -q main"):
        git(folder, *line.split())
    (repo / "multi.txt").write_text("stashed\n")
    git(folder, "stash", "-q")
    (repo / "src/b.py").write_text("changed\n")
    (repo / "scratch").mkdir()
    (repo / "scratch/untracked.txt").write_text("untracked\n")


def _archives(repo: Path) -> None:
    packed = repo / "packed"
    packed.mkdir()
    (packed / "one.txt").write_text("one\n")
    with tarfile.open(repo / "a.tar.gz", "w:gz") as archive:
        archive.add(packed / "one.txt", "packed/one.txt")
    with zipfile.ZipFile(repo / "a.zip", "w") as bundle:
        bundle.writestr("zipped/two.txt", "two\n")
    shutil.rmtree(packed)


def environment(folder: Path) -> dict[str, str]:
    """Nothing of the caller's but the programs."""
    identity = {
        "GIT_AUTHOR_NAME": "t",
        "GIT_AUTHOR_EMAIL": "t@t",
        "GIT_COMMITTER_NAME": "t",
        "GIT_COMMITTER_EMAIL": "t@t",
    }
    places = {
        "HOME": str(folder / "home"),
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    quiet = {
        "npm_config_logs_max": "0",
        "npm_config_update_notifier": "false",
        "npm_config_cache": str(folder) + "-npm",
    }
    quiet["RUSTUP_HOME"] = os.environ.get("RUSTUP_HOME", os.path.expanduser("~/.rustup"))
    return (
        places
        | identity
        | quiet
        | {"GIT_CONFIG_NOSYSTEM": "1", "PYENV_ROOT": os.environ.get("PYENV_ROOT", "")}
    )


def git(folder: Path, *args: str) -> None:
    """git in the scratch repository."""
    subprocess.run(
        ["git", *args], cwd=folder / "repo", env=environment(folder), check=True, capture_output=True
    )


def copy(template: Path, folder: Path) -> None:
    """A fresh repository like ``template``, with the same times, so that git finds its index fresh."""
    shutil.copytree(template, folder, symlinks=True)


def run(command: str, folder: Path) -> None:
    """The command under bash, for real."""
    subprocess.run(
        ["bash", "-c", command], cwd=folder / "repo", env=environment(folder), stdin=subprocess.DEVNULL,
        capture_output=True, timeout=TIMEOUT, check=False,
    )  # fmt: skip


def snapshot(folder: Path) -> dict[str, tuple[Entry, Entry]]:
    """Each path with what counts as its content, and what shows that it was written at all."""
    found: dict[str, tuple[Entry, Entry]] = {}
    for root, folders, files in os.walk(folder):
        if ".git" in folders and root == str(folder / "repo"):
            folders.remove(".git")
        for name in files + [each for each in folders if os.path.islink(os.path.join(root, each))]:
            path = os.path.join(root, name)
            found[path] = _entry(path)
        for name in folders:
            path = os.path.join(root, name)
            if not os.path.islink(path):
                found[path] = (("folder",), ("folder", os.lstat(path).st_mode))
    return found


def _entry(path: str) -> tuple[Entry, Entry]:
    status = os.lstat(path)
    if os.path.islink(path):
        content: Entry = ("link", os.readlink(path))
    elif not os.path.isfile(path):
        content = ("special",)
    else:
        content = ("file", Path(path).read_bytes(), status.st_mode)
    return content, (content, status.st_mtime_ns, status.st_ino)


class Outcome:
    """What a command changed (``changed``: content, ``touched``: at all) against what was said of it."""

    def __init__(
        self,
        verdict: Verdict,
        before: dict[str, tuple[Entry, Entry]],
        after: dict[str, tuple[Entry, Entry]],
        folder: Path,
    ) -> None:
        paths = before.keys() | after.keys()
        self.verdict = verdict
        self.folder = folder
        self.touched = {path for path in paths if before.get(path, (0, 0))[1] != after.get(path, (0, 0))[1]}
        self.changed = {
            path for path in self.touched if before.get(path, (0,))[0] != after.get(path, (0,))[0]
        }
        self.files = {
            path
            for path in self.changed
            if ("folder",) not in (before.get(path, (0,))[0], after.get(path, (0,))[0])
        }
        named = [(each, _resolved(each, str(folder / "repo"))) for each in verdict.targets]
        inside = [(each, path) for each, path in named if path.startswith(str(folder))]
        self.missed = sorted(
            path for path in self.files if not any(_covers(each, at, path) for each, at in inside)
        )
        self.hits = [each for each, at in inside if any(_covers(each, at, path) for path in self.touched)]
        names = [at for _, at in inside]
        self.wrong = [
            each
            for each, at in inside
            if each not in self.hits and not (at not in paths and (names.count(at) > 1 or not each.follow))
        ]  # what the command itself made and took away again, or would have removed, is no mistake


def _resolved(write: Write, repo: str) -> str:
    path = os.path.normpath(write.absolute) if write.absolute.endswith(("/.", "/..")) else write.absolute
    if write.kind == TREE:
        return repo
    if write.follow:
        return os.path.realpath(path)
    return os.path.join(
        os.path.realpath(os.path.dirname(path.rstrip("/"))), os.path.basename(path.rstrip("/"))
    )


def _covers(write: Write, at: str, path: str) -> bool:
    return path == at or (write.kind != FILE and path.startswith(at.rstrip("/") + "/"))
