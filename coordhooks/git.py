"""What git knows, asked safely: nothing of the repository's own runs inside our call, names stay exact bytes.

Never on the hot path: a child process costs more than a whole hook.
"""

import os

from coordhooks.errors import CoordError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SAFELY = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")
LITERAL = "--literal-pathspecs"
READING = "--no-optional-locks"
TIMEOUT = 30.0  # seconds, for a person who waits
HOOK_TIMEOUT = 2.0  # seconds, for a hook
CHUNK = 200  # names a call: a command line has its limit
UNTRACKED = "?"


class GitFailed(CoordError):
    """git could not be asked, or has refused; the text says where and why."""


def staged(environ: "Mapping[str, str]", cwd: str, timeout: float = TIMEOUT) -> list[str]:
    """Names relative to the root of what a commit would take. ``GIT_INDEX_FILE`` counts: pre-commit sets it."""
    command = (
        READING,
        "diff",
        "--cached",
        "--name-only",
        "-z",
        "--no-renames",
        "--no-relative",
        "--no-ext-diff",
    )
    return _names(_run(environ, cwd, *command, index=True, timeout=timeout))


def changed(
    environ: "Mapping[str, str]", tree: str, names: "Iterable[str]", timeout: float = TIMEOUT
) -> dict[str, str]:
    """Which of these files (relative to the root) differ from HEAD, each with its status; ignored ones do not.

    The status is git's two letters: ``??`` is a file that git does not know, ``D?`` one that it shall know no more,
    though it is still there.
    """
    asked, found = list(names), dict[str, str]()
    command = (READING, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--")
    for start in range(0, len(asked), CHUNK):
        output = _run(environ, tree, *command, *asked[start : start + CHUNK], timeout=timeout)
        for entry in _names(output):
            name, status = entry[3:], entry[:2]
            found[name] = found[name][0] + status[1] if name in found else status
    return found


def strays(environ: "Mapping[str, str]", tree: str) -> set[str]:
    """The files that git does not know in folders of which it knows some file."""
    command = (READING, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal")
    entries = _names(_run(environ, tree, *command, timeout=HOOK_TIMEOUT))
    return {entry[3:] for entry in entries if entry[1] == UNTRACKED and not entry.endswith("/")}


def known(environ: "Mapping[str, str]", tree: str, names: "Iterable[str]", commit: str = "") -> set[str]:
    """Which of these files (relative to the root) are in the index, or in a commit."""
    look = (
        ("ls-tree", "-r", "--name-only", "-z", "--end-of-options", commit) if commit else ("ls-files", "-z")
    )
    asked, found = list(names), set[str]()
    for start in range(0, len(asked), CHUNK):
        command = (*look, "--", *asked[start : start + CHUNK])
        found.update(_names(_run(environ, tree, *command, timeout=HOOK_TIMEOUT)))
    return found


def matching(environ: "Mapping[str, str]", folder: str, pathspecs: "Iterable[str]") -> set[str]:
    """The changed files, relative to the root, that git itself picks by pathspecs as they are meant in ``folder``."""
    command = (
        READING,
        "status",
        "--porcelain=v1",
        "-z",
        "--no-renames",
        "--untracked-files=all",
        "--",
        *pathspecs,
    )
    return {
        entry[3:] for entry in _names(_run(environ, folder, *command, timeout=HOOK_TIMEOUT, safely=SAFELY))
    }


def add(environ: "Mapping[str, str]", tree: str, names: "Iterable[str]") -> None:
    """Stage exactly these files, whatever their names look like."""
    data = b"".join(os.fsencode(name) + b"\0" for name in names)
    _run(environ, tree, "add", "--pathspec-from-file=-", "--pathspec-file-nul", data=data)


def head(environ: "Mapping[str, str]", folder: str, timeout: float = HOOK_TIMEOUT) -> tuple[str, str]:
    """``(commit, branch)``: the branch is ``HEAD`` if there is none, both are empty before the first commit."""
    try:
        output = _run(environ, folder, READING, "rev-parse", "HEAD", "--abbrev-ref", "HEAD", timeout=timeout)
    except GitFailed:
        return "", ""
    commit, _, branch = os.fsdecode(output).strip().partition("\n")
    return commit, branch


def pre_commit(environ: "Mapping[str, str]", folder: str) -> bool:
    """Does a hook of the repository run before each commit?"""
    command = ("rev-parse", "--git-path", "hooks/pre-commit")
    output = _run(environ, folder, *command, timeout=HOOK_TIMEOUT, safely=SAFELY[2:])
    return os.access(os.path.join(folder, os.fsdecode(output).rstrip("\n")), os.X_OK)


def between(environ: "Mapping[str, str]", folder: str, before: str, now: str) -> set[str]:
    """The files, relative to the root, in which two commits differ; none if there was no commit before."""
    if not before:
        return set()
    command = ("diff", "--name-only", "-z", "--no-renames", "--no-relative", "--no-ext-diff", before, now)
    return set(_names(_run(environ, folder, *command, timeout=HOOK_TIMEOUT)))


def is_commit(environ: "Mapping[str, str]", folder: str, name: str) -> bool:
    """Does git read this name as a commit?"""
    command = ("rev-parse", "--quiet", "--verify", "--end-of-options", f"{name}^{{commit}}")
    try:
        return bool(_run(environ, folder, *command, timeout=HOOK_TIMEOUT))
    except GitFailed:
        return False


def contains(environ: "Mapping[str, str]", folder: str, commit: str) -> bool:
    """Is HEAD an ancestor of this commit, so that going there is a fast-forward?"""
    try:
        _run(environ, folder, "merge-base", "--is-ancestor", "HEAD", commit, timeout=HOOK_TIMEOUT)
    except GitFailed:
        return False
    return True


def _run(
    environ: "Mapping[str, str]", folder: str, *arguments: str, data: bytes = b"", index: bool = False,
    timeout: float = TIMEOUT, safely: tuple[str, ...] = (*SAFELY, LITERAL),
) -> bytes:  # fmt: skip
    """git's output. Of its variables only the index counts, and only where it is asked for."""
    import subprocess  # here, because many commands need this module and no git

    kept = ("GIT_INDEX_FILE",) if index else ()
    env = {name: value for name, value in environ.items() if not name.startswith("GIT_") or name in kept}
    try:
        done = subprocess.run(
            ["git", *safely, *arguments], cwd=folder, env=env, input=data, capture_output=True, timeout=timeout,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        raise GitFailed(f"git could not be asked in {folder}: {error.__class__.__name__}") from error
    if done.returncode:
        raise GitFailed(f"git failed in {folder}: {os.fsdecode(done.stderr).strip()[:300]}")
    return done.stdout


def _names(output: bytes) -> list[str]:
    return [os.fsdecode(name) for name in output.split(b"\0") if name]
