"""Small parts of all that starts a process."""

import contextlib
import os
import subprocess
import tempfile
from pathlib import Path
from typing import IO, Any

import psutil

SYSTEM = "/usr/local/bin:/usr/bin:/bin"


def clean_environment(home: Path) -> dict[str, str]:
    """A user's environment with nothing of the developer's in it."""
    path = os.pathsep.join((str(home / ".local" / "bin"), SYSTEM))
    return {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8"}


def end(process: subprocess.Popen[Any]) -> None:
    """Kill a process and its descendants, if it still runs."""
    if process.poll() is None:
        with contextlib.suppress(psutil.NoSuchProcess):
            for child in psutil.Process(process.pid).children(recursive=True):
                with contextlib.suppress(psutil.NoSuchProcess):
                    child.kill()
        process.kill()
    process.wait()


def scratch() -> IO[bytes]:
    """A nameless file for a process to write to. Unlike a pipe it never fills and nobody waits for its end."""
    return tempfile.TemporaryFile()
