"""A virtual environment and pip in it, also where Debian has split both off Python."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any

from coordhooks.errors import InstallError

_TIMEOUT_SECONDS = 30


def make_environment(python: str, folder: str) -> None:
    """An environment in ``folder``, with pip if ``python`` can give it one. Raises InstallError."""
    has_pip = _run([python, "-I", "-c", "import ensurepip; ensurepip.version()"]).returncode == 0
    made = _run([python, "-I", "-m", "venv", *([] if has_pip else ["--without-pip"]), folder])
    if made.returncode:
        raise InstallError(f"{python} can't make a virtual environment in {folder}:\n{_tail(made)}")


def install(checkout: str, folder: str, say: Callable[[str], None]) -> None:
    """Install ``checkout`` into the environment. Raises InstallError with pip's last words."""
    python = os.path.join(folder, "bin", "python3")
    with tempfile.TemporaryDirectory() as scratch:
        pip = ["-m", "pip"]
        if _run([python, "-I", *pip, "--version"]).returncode:
            say("this Python comes without pip: fetching it from the package index ...")
            pip = [os.path.join(_fetch_pip(scratch), "pip")]
        options = ["--disable-pip-version-check", "--no-input", "--no-warn-script-location"]
        # As a URL, because a path may hold characters that pip takes for syntax.
        source = f"coordhooks @ {pathlib.Path(checkout).as_uri()}"
        done = _run([python, "-I", *pip, "install", *options, source])
    if done.returncode:
        raise InstallError(
            f"pip could not install coordhooks; nothing was changed."
            f" Is the package index reachable?\n{_tail(done)}"
        )


def _run(command: list[str]) -> "subprocess.CompletedProcess[str]":
    # The index is the user's to choose (PIP_INDEX_URL and the like); where packages go is not.
    stray = {"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIRE_VIRTUALENV", "PYTHONHOME", "PYTHONPATH"}
    environ = {key: value for key, value in os.environ.items() if key not in stray} | {"PIP_USER": "0"}
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


def _fetch_pip(folder: str) -> str:
    """pip's newest wheel, which runs without being installed, from the simple index. Its path."""
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/") + "/pip/"
    try:
        page = _get(index, "application/vnd.pypi.simple.v1+json")
        wheel = _newest(json.loads(page)["files"])
        path = os.path.join(folder, wheel["filename"])
        with open(path, "wb") as file:
            file.write(_get(urllib.parse.urljoin(index, wheel["url"]), "*/*"))
    except (OSError, ValueError, KeyError, StopIteration) as error:
        raise InstallError(
            f"{sys.executable} has no pip, and it could not be fetched from {index} ({error})."
            " Install it (Debian, Ubuntu: apt install python3-venv), then run install.sh again."
        ) from error
    return path


def _newest(files: list[dict[str, Any]]) -> dict[str, Any]:
    wheels = [f for f in files if f["filename"].endswith("-none-any.whl") and not f.get("yanked")]
    stable = [(version, f) for f in wheels if (version := _version(f["filename"]))]
    return max(stable, key=lambda pair: pair[0])[1]


def _version(filename: str) -> tuple[int, ...] | None:
    numbers = filename.split("-")[1].split(".")
    return tuple(map(int, numbers)) if all(number.isdigit() for number in numbers) else None


def _get(url: str, accept: str) -> bytes:
    with urllib.request.urlopen(
        urllib.request.Request(url, headers={"Accept": accept}), timeout=_TIMEOUT_SECONDS
    ) as reply:
        content: bytes = reply.read()
    return content
