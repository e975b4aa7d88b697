"""One writer at a time, across threads and processes.

The kernel's lock (``flock``, the same one that ``filelock`` takes) on a file that nobody ever unlinks: it ends
with its holder, however that dies. Importing ``filelock`` takes 70 to 90 ms, more than a whole append, so it
serves only where ``fcntl`` is missing.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from coordhooks.errors import LedgerError
from coordhooks.ledger.files import network_kind, open_private

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_BUSY = (errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.0005, 0.01  # seconds


class WriterLock:
    """The lock at ``path``; waits ``timeout`` seconds at most, then ``LedgerError``. Not re-entrant, and
    separate for every object, so that threads are kept apart like processes."""

    def __init__(self, path: str, timeout: float) -> None:
        self.path = path
        self.timeout = timeout

    @contextmanager
    def held(self) -> Iterator[None]:
        yield from self._through_flock() if fcntl else self._through_filelock()

    def _through_flock(self) -> Iterator[None]:
        fd = self._take()
        try:
            yield
        finally:
            fcntl.flock(fd, fcntl.LOCK_UN)  # a child forked meanwhile has a copy of fd: closing is not enough
            os.close(fd)

    def _take(self) -> int:
        deadline = time.monotonic() + self.timeout
        while True:
            fd = open_private(self.path, os.O_RDWR | os.O_CREAT)
            try:
                lock_descriptor(fd, self.path, deadline)
                if _still_named(self.path, fd):
                    return fd
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)  # somebody removed the file that we waited for: its lock is worth nothing

    def _through_filelock(self) -> Iterator[None]:
        import filelock

        try:
            with filelock.FileLock(self.path, timeout=self.timeout):
                yield
        except filelock.Timeout:
            raise LedgerError(f"{self.path} is held by another process; try again") from None


def lock_descriptor(fd: int, path: str, deadline: float) -> None:
    """Lock the open file, trying until ``deadline`` (monotonic seconds). It ends with ``fd``."""
    pause = _FIRST_PAUSE
    while not _try(fd, path):
        if time.monotonic() >= deadline:
            raise LedgerError(f"{path} is held by process {_holder(fd)} and did not come free; try again")
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)


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


def _holder(fd: int) -> str:
    """The pid that /proc/locks gives for the file, ``?`` where that is not known."""
    try:
        with open("/proc/locks", encoding="ascii") as locks:
            inode = f":{os.fstat(fd).st_ino}"
            return next((words[4] for words in map(str.split, locks) if words[5].endswith(inode)), "?")
    except (OSError, IndexError):
        return "?"
