"""A virtual environment and pip in it, also where Debian has split both off Python."""

import os
import pathlib
import subprocess

from coordhooks.errors import InstallError

# For the pip that a build starts by itself as well. Without the cache, for pip takes a folder whose path has a hyphen
# for a release that never changes, and because nothing is to be left there.
_OWN = {"PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_CACHE_DIR": "1"}


def make_environment(python: str, folder: str) -> None:
    """An environment in ``folder``, with pip if ``python`` can give it one. Raises InstallError."""
    has_pip = _run([python, "-I", "-c", "import ensurepip; ensurepip.version()"]).returncode == 0
    made = _run([python, "-I", "-m", "venv", *([] if has_pip else ["--without-pip"]), folder])
    if made.returncode:
        raise InstallError(f"{python} can't make a virtual environment in {folder}:\n{_tail(made)}")


def install(python: str, checkout: str, folder: str) -> None:
    """Install ``checkout`` into the environment. Raises InstallError with pip's last words."""
    options = ["--no-input", "--no-warn-script-location"]
    # As a URL, because a path may hold characters that pip takes for syntax.
    source = f"coordhooks @ {pathlib.Path(checkout).as_uri()}"
    done = _run([*_pip(python, folder), "install", *options, source])
    if done.returncode:
        raise InstallError(
            f"pip could not install coordhooks; nothing was changed."
            f" Is the package index reachable?\n{_tail(done)}"
        )


def _pip(python: str, folder: str) -> list[str]:
    """The environment's own pip, or that of the Python which made it, working on the environment."""
    own = os.path.join(folder, "bin", "python3")
    for command in ([own, "-I", "-m", "pip"], [python, "-I", "-m", "pip", "--python", own]):
        if _run([*command, "--version"]).returncode == 0:
            return command
    raise InstallError(
        f"{python} comes without pip. Install it (Debian, Ubuntu: apt install python3-venv), then run"
        " install.sh again."
    )


def _run(command: list[str]) -> "subprocess.CompletedProcess[str]":
    # The index is the user's to choose (PIP_INDEX_URL and the like); where packages go is not.
    stray = {"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIRE_VIRTUALENV", "PYTHONHOME", "PYTHONPATH"}
    environ = {key: value for key, value in os.environ.items() if key not in stray} | _OWN
    return subprocess.run(
        command,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )


def _tail(done: "subprocess.CompletedProcess[str]") -> str:
    return "\n".join(done.stdout.splitlines()[-15:])
