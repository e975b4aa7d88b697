"""The log: one event a line, appended and never changed. The only authority."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator

from coordhooks.errors import Invalid, LedgerError
from coordhooks.ledger.events import MAX_LINE, decode
from coordhooks.ledger.files import open_private, write_all, write_file
from coordhooks.ledger.lock import lock_descriptor, unlock_descriptor
from coordhooks.ledger.vocabulary import Record

NAME = "events.jsonl"
_BLOCK = 256 * 1024


class Log:
    """The open log file. Whoever appends holds the writer lock.

    ``path`` is its file; ``inode`` tells it from one that took its name since.
    """

    def __init__(self, folder: str, *, writable: bool = True) -> None:
        self.path = os.path.join(folder, NAME)
        self.fd = open_private(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND if writable else os.O_RDONLY)
        self.inode = os.fstat(self.fd).st_ino

    def close(self) -> None:
        os.close(self.fd)

    def lock(self, timeout: float) -> None:
        """Lock the log too: should somebody remove the lock file, two writers still can't be at it."""
        lock_descriptor(self.fd, self.path, time.monotonic() + timeout)

    def unlock(self) -> None:
        unlock_descriptor(self.fd)

    def size(self) -> int:
        """Bytes."""
        return os.fstat(self.fd).st_size

    def is_current(self) -> bool:
        """Is the file still the one of that name? If not, what is written to it is lost."""
        try:
            return os.stat(self.path, follow_symlinks=False).st_ino == self.inode
        except FileNotFoundError:
            return False

    def append(self, line: bytes, at: int) -> None:
        """Write the whole ``line`` at the end, which is byte ``at``, and make it durable.

        After a failure nothing of it is left, or a torn tail that the next open sets aside.
        """
        try:
            write_all(self.fd, line)
            os.fsync(self.fd)
        except OSError as error:
            self.cut(at)
            raise LedgerError(
                f"can't write to {self.path}: {error.strerror}; nothing was recorded"
            ) from error
        if not self.is_current():
            raise LedgerError(f"{self.path} was removed or replaced during an append; nothing was recorded")

    def cut(self, length: int) -> None:
        """Take what is behind byte ``length`` away; best effort when the disk itself fails."""
        try:
            os.ftruncate(self.fd, length)
            os.fsync(self.fd)
        except OSError:
            pass

    def read(self, start: int, end: int) -> bytes:
        """The bytes from ``start`` to ``end``, fewer if the file ends."""
        parts = []
        while start < end and (part := os.pread(self.fd, end - start, start)):
            parts.append(part)
            start += len(part)
        return b"".join(parts)

    def lines(self, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        """(offset, line) of every line from byte ``start`` to ``end``; the last may lack its newline.

        Memory stays bounded: a line that is too long comes in pieces.
        """
        fd = os.dup(self.fd)  # the log may be closed while somebody still reads on
        try:
            yield from _lines(fd, start, end)
        finally:
            os.close(fd)

    def set_aside(self, start: int) -> str:
        """Move what is behind byte ``start`` into a file of its own, durably; the file's path.

        The name comes from place and content, so that a kill half way leads to the same file again.
        """
        tail = self.read(start, self.size())
        path = f"{self.path}.torn-{start}-{hashlib.sha256(tail).hexdigest()[:12]}"
        write_file(path, tail)
        os.ftruncate(self.fd, start)
        os.fsync(self.fd)
        return path

    def terminate(self) -> None:
        """Give the last line its newline."""
        write_all(self.fd, b"\n")
        os.fsync(self.fd)


def _lines(fd: int, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    offset, rest = start, b""
    while start < end and (block := os.pread(fd, min(_BLOCK, end - start), start)):
        start += len(block)
        *whole, rest = (rest + block).split(b"\n")
        for line in whole:
            yield offset, line + b"\n"
            offset += len(line) + 1
        if len(rest) > MAX_LINE:
            yield offset, rest
            offset, rest = start, b""
    if rest:
        yield offset, rest


def decoded(line: bytes, number: int, path: str) -> Record:
    """The event of line ``number`` (1, 2, 3, ...), or ``Invalid`` naming the line."""
    try:
        if len(line) > MAX_LINE:
            raise Invalid(f"longer than {MAX_LINE} bytes")
        return decode(line)
    except Invalid as error:
        raise damaged(path, number, str(error)) from None


def damaged(path: str, number: int, reason: str) -> Invalid:
    """What every refusal to open says."""
    return Invalid(
        f"{path} line {number}: {reason}. The log was not opened and not changed: `coord log` still shows its"
        " whole lines; restore it from a backup, or correct that line by hand"
    )
