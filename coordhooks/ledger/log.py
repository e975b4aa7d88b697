"""The log: one event a line, appended and never changed. The only authority.

It lies in segments: ``events.jsonl``, which is appended to, and those sealed before it, ``events-1.jsonl`` and so on.
A segment is sealed by a link and a rename, so that at every instant ``events.jsonl`` is there and whole.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterator
from contextlib import closing

from coordhooks.digest import sha256
from coordhooks.errors import Invalid, LedgerError
from coordhooks.ledger.checkpoint import Checkpoint
from coordhooks.ledger.events import MAX_LINE, decode
from coordhooks.ledger.files import sync_folder, write_all, write_file
from coordhooks.ledger.lock import lock_descriptor, unlock_descriptor
from coordhooks.ledger.segment import Segment, opened
from coordhooks.ledger.vocabulary import Record

NAME = "events.jsonl"
SEAL_BYTES = 64 * 1024 * 1024  # a segment that has grown to this is sealed: some 200,000 events


class Log:
    """The open log. Whoever appends or seals holds the writer lock.

    ``path`` is the file that is appended to; ``inode`` tells it from one that took its name since. Offsets go on
    from segment to segment, as if all were one file.
    """

    def __init__(self, folder: str, *, writable: bool = True) -> None:
        self.path = os.path.join(folder, NAME)
        self._last = opened(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND if writable else os.O_RDONLY)
        self.fd, self.inode, self.checkpoint = self._last.fd, self._last.inode, self._last.checkpoint
        self.close, self.size = self._last.close, self._last.end
        if not os.fstat(self.fd).st_size and sealed_numbers(folder):
            self.close()
            raise damaged(self.path, 1, "it is empty, but segments that were sealed before it are there")

    def lock(self, timeout: float) -> None:
        """Lock the log too: should somebody remove the lock file, two writers still can't be at it."""
        lock_descriptor(self.fd, self.path, time.monotonic() + timeout)

    def unlock(self) -> None:
        unlock_descriptor(self.fd)

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
            os.ftruncate(self.fd, self._last.place(length))
            os.fsync(self.fd)
        except OSError:
            pass

    def seal(self, before: Checkpoint) -> None:
        """Give what is there a name of its own and begin anew behind ``before``, durably; open it again after that.

        A kill at any point leaves the log as it was or sealed. A link that is there already is what such a kill
        left. Raises ``OSError`` where that can't be; the log is then as it was.
        """
        folder = os.path.dirname(self.path)
        sealed = sealed_path(folder, self.checkpoint.segment)
        if not (os.path.lexists(sealed) and os.path.samestat(os.lstat(sealed), os.fstat(self.fd))):
            os.link(self.path, sealed)
        sync_folder(folder)
        write_file(self.path, before.line())

    def segments(self, start: int) -> Generator[Segment]:
        """Those that hold byte ``start`` and what follows, the oldest first; each is closed after its turn.

        Raises ``Invalid`` if one is missing or not as long as it was when it was sealed.
        """
        found = [self._last.again()]  # the log may be closed while somebody still reads on
        try:
            while found[-1].start > start:
                found.append(self._before(found[-1]))
            while found:
                yield found[-1]
                found.pop().close()
        finally:
            for segment in found:
                segment.close()

    def _before(self, following: Segment) -> Segment:
        path = sealed_path(os.path.dirname(self.path), following.checkpoint.segment - 1)
        if not os.path.lexists(path):
            raise damaged(following.path, 1, f"it goes on where {path} ends, which is missing")
        segment = opened(path)
        if (
            segment.checkpoint.segment == following.checkpoint.segment - 1
            and segment.end() == following.start
        ):
            return segment
        segment.close()
        raise damaged(following.path, 1, f"it goes on at byte {following.start}, where {path} does not end")

    def read(self, start: int, end: int) -> bytes:
        """The bytes of one line, from ``start`` to ``end``, fewer if the log ends."""
        if start >= self._last.start:
            return self._last.read(start, end)
        with closing(self.segments(start)) as segments:
            return next(segments).read(start, end)

    def lines(self, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        """(offset, line) of every line from byte ``start`` to ``end``; the last may lack its newline."""
        for segment in self.segments(start):
            yield from segment.lines(start, end)

    def set_aside(self, start: int) -> str:
        """Move what is behind byte ``start`` into a file of its own, durably; the file's path.

        The name comes from place and content, so that a kill half way leads to the same file again.
        """
        tail = self.read(start, self.size())
        path = f"{self.path}.torn-{start}-{sha256(tail).hexdigest()[:12]}"
        write_file(path, tail)
        os.ftruncate(self.fd, self._last.place(start))
        os.fsync(self.fd)
        return path

    def terminate(self) -> None:
        """Give the last line its newline."""
        write_all(self.fd, b"\n")
        os.fsync(self.fd)


def sealed_path(folder: str, number: int) -> str:
    """Where the segment ``number`` is when it is sealed."""
    return os.path.join(folder, f"events-{number}.jsonl")


def sealed_numbers(folder: str) -> list[int]:
    """The numbers of the sealed segments that are there, in order."""
    names = (
        name[7:-6] for name in os.listdir(folder) if name.startswith("events-") and name.endswith(".jsonl")
    )
    return sorted(int(name) for name in names if name.isdecimal())


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
    return _refusal(path, number, reason, "restore it from a backup, or correct that line by hand")


def changed(path: str, before: str) -> Invalid:
    """The refusal of a log whose sealed part is not what the segment behind it says that it was."""
    sealed = before or "the segments before it"
    reason = f"it does not fit {sealed}: one of them was changed after that was sealed"
    return _refusal(path, 1, reason, "restore both from a backup")


def _refusal(path: str, number: int, reason: str, remedy: str) -> Invalid:
    return Invalid(
        f"{path} line {number}: {reason}. The log was not opened and not changed: `coord log` still shows its"
        f" whole lines; {remedy}"
    )
