"""Claude Code in a pseudo-terminal: send keys, look at the screen."""

import contextlib
import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyte

from harness.gate import SECONDS
from harness.process import end

ENTER, ESC, UP, DOWN, CTRL_C = "\r", "\x1b", "\x1b[A", "\x1b[B", "\x03"
ROWS, COLUMNS = 50, 160
PAUSE = (
    0.5  # a new dialog is drawn twice, forgets what was chosen between, and ignores keys that come at once
)


class Terminal:
    """``enter`` prompts, ``press`` keys, ``wait_for`` texts; ``close`` or leaving the ``with`` ends it all."""

    def __init__(self, command: Sequence[str], cwd: Path, env: Mapping[str, str], session_id: str) -> None:
        self.session_id = session_id  # until a /clear
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._input = pyte.ByteStream(self._screen)
        self._lock = threading.Lock()
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
        )
        os.close(slave)
        self.pid = self.process.pid
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    @property
    def text(self) -> str:
        """What is on the screen, without empty lines."""
        with self._lock:
            lines = [line.replace("\xa0", " ").rstrip() for line in self._screen.display]
        return "\n".join(line for line in lines if line)

    def press(self, key: str) -> None:
        """Send one key, such as ESC. Several at once would be taken for a paste."""
        os.write(self._master, key.encode())

    def enter(self, text: str) -> None:
        """Type a line when the prompt is ready, and send it."""
        self.wait_ready()
        self.press(text)
        self.wait_for(f"❯ {text}")
        self.press(ENTER)

    def answer(self, dialog: str, key: str) -> None:
        """Press ``key`` (ENTER takes the option that is marked) until the ``dialog`` that shows this text is gone."""
        self._at(dialog, lambda: key)

    def choose(self, dialog: str, option: str) -> None:
        """Take the option that begins with this text, in the ``dialog`` that shows that one."""
        self._at(dialog, lambda: ENTER if f"❯ {option}" in self.text else DOWN)

    def wait_ready(self) -> None:
        """Return when there is an empty prompt. While a turn is open there is one, too."""
        self.wait_until(lambda screen: "❯" in screen.splitlines())

    def wait_for(self, text: str, timeout: float = SECONDS) -> None:
        """Return when the screen has the text. Raises AssertionError with the screen after ``timeout`` seconds."""
        self.wait_until(lambda screen: text in screen, timeout)

    def wait_until(self, true: Callable[[str], bool], timeout: float = SECONDS) -> None:
        """Return when ``true(screen)`` is. Raises AssertionError with the screen after ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        while not true(self.text):
            assert time.monotonic() < deadline, f"not on the screen in {timeout:.0f} s:\n{self.text}"
            time.sleep(0.02)

    def _at(self, dialog: str, next_key: Callable[[], str]) -> None:
        self.wait_for(dialog)
        deadline = time.monotonic() + SECONDS
        time.sleep(PAUSE)
        while dialog in self.text:
            assert time.monotonic() < deadline, f"the dialog stays:\n{self.text}"
            self.press(next_key())
            time.sleep(PAUSE)

    def close(self) -> None:
        """End it with everything that it started."""
        end(self.process)
        self._reader.join()
        with contextlib.suppress(OSError):  # closed before
            os.close(self._master)

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # the other end is closed
            while data := os.read(self._master, 1 << 16):
                with self._lock:
                    self._input.feed(data)
