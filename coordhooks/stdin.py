"""One JSON document from a pipe that may never be closed.

A harness writes a document and sometimes leaves its end open, so reading stops as soon as the document is
whole, not at the end of the file. What would follow it is never looked at.
"""

import os
import select
from time import monotonic

from coordhooks.errors import BadPayload
from coordhooks.fastjson import SPACE, Incomplete, Malformed, raw_loads

CHUNK = 64 * 1024  # what a Linux pipe holds
LIMIT = 64 * 1024 * 1024
BOM = "\ufeff"
CLOSERS = (b"}", b"]")


def read_document(fd: int, *, deadline: float, inactivity: float = 2.0, limit: int = LIMIT) -> object:
    """The value of the first JSON document that arrives on ``fd``.

    ``deadline`` is a time of ``time.monotonic()`` in seconds, ``inactivity`` the seconds without a byte after
    which nothing more is expected, ``limit`` the greatest number of bytes. Leading byte-order marks are
    dropped and the bytes are UTF-8 whatever the locale says. Raises ``BadPayload`` with a reason that holds
    no byte of what came.
    """
    chunks: list[bytes] = []
    size, patience, closed = 0, 0.0, False
    while chunk := _next(fd, min(inactivity, deadline - monotonic())):
        chunks.append(chunk)
        size += len(chunk)
        if size > limit:
            raise BadPayload(f"the payload is larger than {limit} bytes")
        closed = _closes(chunk, closed)
        if not closed or _arrives(fd, min(patience, deadline - monotonic())):
            continue
        started = monotonic()
        try:
            return _parse(chunks)
        except Incomplete:
            # Only a bracket inside the document. Waiting as long as the attempts have taken so far keeps
            # them to half of the time, however the writer cuts its chunks.
            patience += monotonic() - started
    try:
        return _parse(chunks)
    except Incomplete:
        raise BadPayload(f"the payload is cut short after {size} bytes") from None


def _closes(chunk: bytes, before: bool) -> bool:
    """A document may end here; a chunk of white space changes nothing about that."""
    tail = chunk.rstrip()
    return tail[-1:] in CLOSERS if tail else before


def _next(fd: int, seconds: float) -> bytes:
    """The next bytes; none at the end of the file or when none come in time."""
    try:
        return os.read(fd, CHUNK) if _arrives(fd, seconds) else b""
    except OSError as error:
        raise BadPayload(f"the payload can't be read: {error.strerror}") from None


def _arrives(fd: int, seconds: float) -> bool:
    return bool(select.select([fd], [], [], max(seconds, 0))[0])


def _parse(chunks: list[bytes]) -> object:
    try:
        text = b"".join(chunks).decode("utf-8").lstrip(BOM + SPACE)
    except UnicodeDecodeError:  # its text would quote a byte, and the error itself holds all of them
        raise BadPayload("the payload is not UTF-8") from None
    if not text:
        raise BadPayload("the payload is empty")
    try:
        return raw_loads(text)[0]
    except Incomplete:
        raise
    except Malformed as error:
        raise BadPayload(f"the payload can't be parsed: {error}") from None
