"""One file of the log. All offsets count bytes of events over the whole log, as if it were a single file."""

from __future__ import annotations

import os
from collections.abc import Iterator

from coordhooks.ledger import checkpoint
from coordhooks.ledger.events import MAX_LINE
from coordhooks.ledger.files import open_private

_BLOCK = 256 * 1024


def opened(path: str, flags: int = os.O_RDONLY) -> Segment:
    return Segment(path, open_private(path, flags))


class Segment:
    """The file ``path``, open as ``fd``. ``inode`` tells it from one that took its name since."""

    def __init__(self, path: str, fd: int) -> None:
        self.path, self.fd = path, fd
        self.inode = os.fstat(fd).st_ino
        self.checkpoint, self._skip = checkpoint.read(fd)

    def again(self) -> Segment:
        """The same open file, with a descriptor of its own."""
        return Segment(self.path, os.dup(self.fd))

    @property
    def start(self) -> int:
        """Where its first event begins."""
        return self.checkpoint.length

    def end(self) -> int:
        """Where its last line ends."""
        return self.start + os.fstat(self.fd).st_size - self._skip

    def place(self, offset: int) -> int:
        """The byte of the file that ``offset`` is."""
        return offset - self.start + self._skip

    def line_number(self, seq: int) -> int:
        """The line (1, 2, 3, ...) of the file that the event ``seq`` stands on."""
        return seq - self.checkpoint.seq + bool(self._skip)

    def close(self) -> None:
        os.close(self.fd)

    def read(self, start: int, end: int) -> bytes:
        """The bytes from ``start`` to ``end``, fewer if the file ends."""
        place, left, parts = self.place(start), end - start, []
        while left > 0 and (part := os.pread(self.fd, left, place)):
            parts.append(part)
            place, left = place + len(part), left - len(part)
        return b"".join(parts)

    def lines(self, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        """(offset, line) of every line of its own from ``start`` to ``end``; the last may lack its newline.

        Memory stays bounded: a line that is too long comes in pieces.
        """
        offset, rest = max(start, self.start), b""
        place, stop = self.place(offset), self.place(end)
        while place < stop and (block := os.pread(self.fd, min(_BLOCK, stop - place), place)):
            place += len(block)
            *whole, rest = (rest + block).split(b"\n")
            for line in whole:
                yield offset, line + b"\n"
                offset += len(line) + 1
            if len(rest) > MAX_LINE:
                yield offset, rest
                offset, rest = offset + len(rest), b""
        if rest:
            yield offset, rest
