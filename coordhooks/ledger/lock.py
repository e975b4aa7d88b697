"""One writer at a time, across threads and processes.

The kernel's lock (``flock``, the same one that ``filelock`` takes) on a file that nobody ever unlinks: it ends
with its holder, however that dies. Importing ``filelock`` takes 70 to 90 ms, more than a whole append, so it
serves only where ``fcntl`` is missing.
"""

from __future__ import annotations

import errno
import os
import time

from coordhooks.errors import LedgerError
from coordhooks.ledger.files import network_kind, open_private
from coordhooks.ledger.vocabulary import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_BUSY = (errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.0005, 0.01  # seconds


class WriterLock:
    """The lock at ``path``, for ``with``. Waits ``timeout`` seconds at most, then ``LedgerError``.

    Not re-entrant. Two objects exclude each other in one process just as in two.
    """

    def __init__(self, path: str, timeout: float) -> None:
        self.path = path
        self.timeout = timeout
        self._fd = -1
        self._filelock: AbstractContextManager[object] | None = None if fcntl else _filelock(path, timeout)

    def __enter__(self) -> None:
        if self._filelock:
            self._filelock.__enter__()
        else:
            self._take(time.monotonic() + self.timeout)

    def __exit__(self, *failure: Any) -> None:
        if self._filelock:
            self._filelock.__exit__(*failure)
        else:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        """Give the file back; a child of a fork must, because it would share its parent's lock."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    def _take(self, deadline: float) -> None:
        while True:
            if self._fd < 0:
                self._fd = open_private(self.path, os.O_RDWR | os.O_CREAT)
            lock_descriptor(self._fd, self.path, deadline)
            if _still_named(self.path, self._fd):
                return
            self.close()  # somebody removed the file that we waited for: its lock is worth nothing


def lock_descriptor(fd: int, path: str, deadline: float) -> None:
    """Lock the open file, trying until ``deadline`` (monotonic seconds). It ends with ``fd``."""
    pause = _FIRST_PAUSE
    while fcntl and not _try(fd, path):
        if time.monotonic() >= deadline:
            raise LedgerError(f"{path} is held by process {_holder(fd)} and did not come free; try again")
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)


def unlock_descriptor(fd: int) -> None:
    if fcntl:
        fcntl.flock(fd, fcntl.LOCK_UN)


def _try(fd: int, path: str) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _BUSY:
            return False
        kind = network_kind(path) or "its file system"
        raise LedgerError(
            f"{path}: {kind} keeps no locks ({error.strerror}), so nothing was written;"
            " reading works; put the state folder on a local disk to write"
        ) from error
    return True


def _still_named(path: str, fd: int) -> bool:
    try:
        return os.path.samestat(os.stat(path, follow_symlinks=False), os.fstat(fd))
    except FileNotFoundError:
        return False


def _filelock(path: str, timeout: float) -> AbstractContextManager[object]:
    import filelock

    return filelock.FileLock(path, timeout=timeout, mode=0o600)


def _holder(fd: int) -> str:
    """The pid that /proc/locks gives for the file, ``?`` where that is not known."""
    try:
        with open("/proc/locks", encoding="ascii") as locks:
            inode = f":{os.fstat(fd).st_ino}"
            return next((words[4] for words in map(str.split, locks) if words[5].endswith(inode)), "?")
    except (OSError, IndexError):
        return "?"
