"""Points where a scripted model waits, so that a test decides in which order concurrent agents go on."""

import threading
import time
from collections.abc import Callable

SECONDS = 60.0  # of patience with a busy machine
STEP = 0.01


class GateClosed(AssertionError):
    """Somebody waited in vain."""


class Gate:
    """A turn that carries it is not answered before the test opens it.

    ``Gate("both ready", opens_at=2)`` opens by itself when the second turn arrives.
    """

    def __init__(self, name: str, opens_at: int = 0) -> None:
        self.name = name
        self._opens_at = opens_at
        self._arrived = 0
        self._open = threading.Event()
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"the gate {self.name!r} ({self._arrived} arrived)"

    def open(self) -> None:
        """Let everybody through, now and later."""
        self._open.set()

    def is_open(self) -> bool:
        return self._open.is_set()

    def arrive(self) -> None:
        """What a turn does first."""
        with self._lock:
            self._arrived += 1
            if self._arrived == self._opens_at:
                self.open()

    def reached(self, by: int = 1, timeout: float = SECONDS) -> None:
        """Return when ``by`` turns have come to the gate. Raises GateClosed after ``timeout`` seconds."""
        until(lambda: self._arrived >= by, f"{by} at {self}", timeout)


def until(ready: Callable[[], object], what: str, timeout: float = SECONDS) -> None:
    """Return when ``ready()`` is true. Raises GateClosed, which says ``what``, after ``timeout`` seconds."""
    deadline = time.monotonic() + timeout
    while not ready():
        if time.monotonic() > deadline:
            raise GateClosed(f"waited {timeout:.0f} s in vain for {what}")
        time.sleep(STEP)


Condition = Gate | threading.Event | Callable[[], object]


def wait_for(condition: Condition, stopped: threading.Event, timeout: float = SECONDS) -> None:
    """Return when the gate or event is open, or the callable true.

    Raises GateClosed after ``timeout`` seconds, or as soon as ``stopped`` is set.
    """
    if isinstance(condition, Gate):
        condition.arrive()
        ready: Callable[[], object] = condition.is_open
    else:
        ready = condition.is_set if isinstance(condition, threading.Event) else condition
    deadline = time.monotonic() + timeout
    while not ready():
        if time.monotonic() > deadline:
            raise GateClosed(f"nobody opened {condition} in {timeout:.0f} s")
        if stopped.wait(STEP):
            raise GateClosed(f"the test ended before {condition} was open")
