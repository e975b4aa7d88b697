"""What a harness's transcript says of the present: did the turn end without a word, which calls ended?

"No" or Esc at a dialog, Esc while the model works and API errors fire no hook at all (observed on Claude Code
2.1.332); the transcript, one JSON record a line, is where they show. It is looked at only in a conflict, and
only its last part. A transcript that can't be read says nothing: the turn goes on.
"""

import os

from coordhooks.fastjson import loads

TAIL = 256 * 1024  # bytes
RECENT = 40  # records
TALK = ("user", "assistant")  # the other records are metadata
INTERRUPTED = "[Request interrupted by user"


class Reading:
    """``turn_over``: the last record of the talk ended the turn. ``ended_calls``: call ids with a result."""

    __slots__ = ("ended_calls", "turn_over")

    def __init__(self) -> None:
        self.turn_over = False
        self.ended_calls: set[str] = set()


def read(harness: str, path: str) -> Reading:
    """The reading of a transcript; an empty one for a harness whose transcripts are not known."""
    reading = Reading()
    if harness != "claude-code" or not path:
        return reading
    records = [r for r in _records(path) if r.get("type") in TALK][-RECENT:]
    for record in records:
        reading.ended_calls.update(_results(record))
    reading.turn_over = bool(records) and _ends_turn(records[-1])
    return reading


def _records(path: str) -> list[dict[str, object]]:
    found = []
    for line in _tail(path).split(b"\n"):
        try:
            record = loads(line.decode("utf-8"))
        except ValueError:  # the first line of the tail is cut, the last may be in the making
            continue
        if isinstance(record, dict):
            found.append(record)
    return found


def _tail(path: str) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK if os.name == "posix" else os.O_RDONLY)
    except OSError:
        return b""
    try:
        size = os.fstat(fd).st_size
        os.lseek(fd, max(0, size - TAIL), os.SEEK_SET)
        return os.read(fd, TAIL)
    except OSError:
        return b""
    finally:
        os.close(fd)


def _blocks(record: dict[str, object]) -> list[dict[str, object]]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _results(record: dict[str, object]) -> set[str]:
    return {str(b.get("tool_use_id")) for b in _blocks(record) if b.get("type") == "tool_result"}


def _ends_turn(record: dict[str, object]) -> bool:
    if record.get("isApiErrorMessage") is True:
        return True
    return any(
        str(b.get("text", "")).startswith(INTERRUPTED) for b in _blocks(record) if b.get("type") == "text"
    )
