"""A harness under trial: started with nobody at its terminal, ended with everything it started."""

import contextlib
import os
import signal
import subprocess
import tempfile
from typing import IO

MAX_SAID = 300  # characters of what a program said that are passed on


class TookTooLong(Exception):
    """It had to be ended."""


def run(command: list[str], *, cwd: str, environ: dict[str, str], seconds: float) -> tuple[int, str]:
    """Its exit code and its last words. Raises ``OSError`` if it can't start, ``TookTooLong``."""
    with tempfile.TemporaryFile() as said:  # unlike a pipe it never fills, and no straggler keeps it open
        started = subprocess.Popen(
            command, cwd=cwd, env=environ, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
            start_new_session=True,
        )  # fmt: skip
        try:
            return started.wait(seconds), _last_words(said)
        except subprocess.TimeoutExpired:
            raise TookTooLong(f"it was ended after {seconds:.0f} s; {_last_words(said)}") from None
        finally:
            _end(started)


def _end(started: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(OSError):  # they are all gone
        if os.name == "posix":
            os.killpg(started.pid, signal.SIGKILL)
        else:
            started.kill()
    started.wait()


def _last_words(file: IO[bytes]) -> str:
    file.seek(0)
    lines = file.read().decode("utf-8", "replace").strip().splitlines()
    return f"its last words: {lines[-1][-MAX_SAID:]}" if lines else "it said nothing"
