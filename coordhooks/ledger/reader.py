"""Read a log past its damage, for people. Opens nothing else, locks nothing, changes nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator

from coordhooks.errors import Invalid
from coordhooks.fastjson import raw_loads
from coordhooks.ledger.events import decode
from coordhooks.ledger.log import NAME, sealed_numbers, sealed_path
from coordhooks.ledger.segment import Segment, opened
from coordhooks.ledger.vocabulary import Record


class Damage:
    """A stretch of the log that is no event: its ``line`` (1, 2, 3, ...) in ``file``, its ``offset`` and ``length``
    in bytes, and the ``reason``.
    """

    __slots__ = ("file", "length", "line", "offset", "reason")

    def __init__(self, file: str, line: int, offset: int, length: int, reason: str) -> None:
        self.file, self.line, self.offset, self.length, self.reason = file, line, offset, length, reason

    def __repr__(self) -> str:
        return f"Damage(file={self.file!r}, line={self.line}, offset={self.offset}, length={self.length}, reason={self.reason!r})"


def read_log(directory: str | os.PathLike[str]) -> Iterator[Record | Damage]:
    """Every event that can be read, in the order of the log, and a ``Damage`` for all that can't.

    Two events that were welded onto one line both come. No log, no events.
    """
    folder = os.path.abspath(directory)
    for segment in _segments(folder):
        file, first = os.path.basename(segment.path), segment.line_number(segment.checkpoint.seq + 1)
        try:
            yield from _missing(folder, segment)
            for number, (offset, line) in enumerate(segment.lines(segment.start, segment.end()), first):
                yield from _whole(line, file, number, offset)
        finally:
            segment.close()


def _segments(folder: str) -> Iterator[Segment]:
    """Every one that is there, found by its name: a damaged checkpoint does not hide those before it."""
    if not os.path.isdir(folder):
        return
    last = os.path.join(folder, NAME)
    sealed = [sealed_path(folder, number) for number in sealed_numbers(folder)]
    for path in (*sealed, last):
        if os.path.exists(path) and (path == last or not _is_same(path, last)):
            yield opened(path)


def _missing(folder: str, segment: Segment) -> Iterator[Damage]:
    """The segment before it, if it was taken away."""
    before = sealed_path(folder, segment.checkpoint.segment - 1)
    if segment.start and not os.path.exists(before):
        yield Damage(os.path.basename(before), 1, segment.start, 0, "the file is missing")


def _is_same(path: str, last: str) -> bool:
    """Is it the last segment by another name? A kill in the middle of a seal leaves that."""
    return os.path.exists(last) and os.path.samefile(path, last)


def _whole(line: bytes, file: str, number: int, offset: int) -> Iterator[Record | Damage]:
    try:
        yield decode(line)
    except Invalid as error:
        if events := _welded(line):
            yield from events
        else:
            yield Damage(file, number, offset, len(line), str(error))


def _welded(line: bytes) -> list[Record]:
    """The events of a line that is nothing but events."""
    text, end = line.decode("utf-8", "replace").strip(), 0
    events: list[Record] = []
    try:
        while end < len(text):
            _, following = raw_loads(text, end)
            events.append(decode(text[end:following].encode("utf-8", "replace")))
            end = following
    except (ValueError, RecursionError, Invalid):
        return []
    return events
