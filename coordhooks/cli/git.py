"""What git knows, asked safely: nothing of the repository's own runs inside our call, names stay exact bytes."""

import os
import subprocess
from collections.abc import Iterable, Mapping

from coordhooks.cli.session import Refused

SAFELY = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "--literal-pathspecs")
TIMEOUT = 30.0  # seconds
CHUNK = 200  # names a call: a command line has its limit


def staged(environ: Mapping[str, str], cwd: str) -> list[str]:
    """Names relative to the root of what a commit would take. ``GIT_INDEX_FILE`` counts: pre-commit sets it."""
    command = (
        "--no-optional-locks",
        "diff",
        "--cached",
        "--name-only",
        "-z",
        "--no-renames",
        "--no-relative",
    )
    return _names(_run(environ, cwd, *command, "--no-ext-diff", index=True))


def changed(environ: Mapping[str, str], tree: str, names: Iterable[str]) -> set[str]:
    """Which of these files differ from HEAD, untracked ones included; ignored ones do not."""
    asked, found = list(names), set[str]()
    command = (
        "--no-optional-locks",
        "status",
        "--porcelain=v1",
        "-z",
        "--no-renames",
        "--untracked-files=all",
        "--",
    )
    for start in range(0, len(asked), CHUNK):
        found.update(
            name[3:] for name in _names(_run(environ, tree, *command, *asked[start : start + CHUNK]))
        )
    return found


def add(environ: Mapping[str, str], tree: str, names: Iterable[str]) -> None:
    """Stage exactly these files, whatever their names look like."""
    data = b"".join(os.fsencode(name) + b"\0" for name in names)
    _run(environ, tree, "add", "--pathspec-from-file=-", "--pathspec-file-nul", data=data)


def _run(
    environ: Mapping[str, str], folder: str, *arguments: str, data: bytes = b"", index: bool = False
) -> bytes:
    """git's output. Of its variables only the index counts, and only where it is asked for."""
    kept = ("GIT_INDEX_FILE",) if index else ()
    env = {name: value for name, value in environ.items() if not name.startswith("GIT_") or name in kept}
    try:
        done = subprocess.run(
            ["git", *SAFELY, *arguments], cwd=folder, env=env, input=data, capture_output=True, timeout=TIMEOUT,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        raise Refused(f"git could not be asked in {folder}: {error.__class__.__name__}") from error
    if done.returncode:
        raise Refused(f"git failed in {folder}: {os.fsdecode(done.stderr).strip()[:300]}")
    return done.stdout


def _names(output: bytes) -> list[str]:
    return [os.fsdecode(name) for name in output.split(b"\0") if name]
