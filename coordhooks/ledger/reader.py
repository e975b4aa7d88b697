"""Read a log past its damage, for people. Opens nothing else, locks nothing, changes nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

from coordhooks.errors import Invalid
from coordhooks.ledger.events import decode
from coordhooks.ledger.log import NAME, Log
from coordhooks.ledger.vocabulary import Record

_DECODER = json.JSONDecoder()


class Damage:
    """A stretch of the log that is no event: its ``line`` (1, 2, 3, ...), its ``offset`` and ``length`` in bytes,
    and the ``reason``.
    """

    __slots__ = ("length", "line", "offset", "reason")

    def __init__(self, line: int, offset: int, length: int, reason: str) -> None:
        self.line, self.offset, self.length, self.reason = line, offset, length, reason

    def __repr__(self) -> str:
        return f"Damage(line={self.line}, offset={self.offset}, length={self.length}, reason={self.reason!r})"


def read_log(directory: str | os.PathLike[str]) -> Iterator[Record | Damage]:
    """Every event that can be read, in the order of the log, and a ``Damage`` for all that can't.

    Two events that were welded onto one line both come. No log, no events.
    """
    folder = os.path.abspath(directory)
    if not os.path.exists(os.path.join(folder, NAME)):
        return
    log = Log(folder, writable=False)
    try:
        for number, (offset, line) in enumerate(log.lines(0, log.size()), 1):
            yield from _whole(line, number, offset)
    finally:
        log.close()


def _whole(line: bytes, number: int, offset: int) -> Iterator[Record | Damage]:
    try:
        yield decode(line)
    except Invalid as error:
        if events := _welded(line):
            yield from events
        else:
            yield Damage(number, offset, len(line), str(error))


def _welded(line: bytes) -> list[Record]:
    """The events of a line that is nothing but events."""
    text, end = line.decode("utf-8", "replace").strip(), 0
    events: list[Record] = []
    try:
        while end < len(text):
            _, following = _DECODER.raw_decode(text, end)
            events.append(decode(text[end:following].encode("utf-8", "replace")))
            end = following
    except (ValueError, RecursionError, Invalid):
        return []
    return events
