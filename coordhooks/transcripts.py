"""What a harness's transcript says of the present: did the turn end without a word, which calls ended?

"No" or Esc at a dialog, Esc while the model works and API errors fire no hook at all (observed on Claude Code
2.1.332), nor does a patch that fails (Codex 0.171.0); the transcript, one JSON record a line, is where they
show. It is looked at only in a conflict, and only its last part. A transcript that can't be read says
nothing: the turn goes on.
"""

import os

from coordhooks.fastjson import loads

TAIL = 256 * 1024  # bytes
RECENT = 40  # records
INTERRUPTED = "[Request interrupted by user"

Record = dict[str, object]


class Reading:
    """``turn_over``: the last record of the talk ended the turn. ``ended_calls``: call ids with a result."""

    __slots__ = ("ended_calls", "turn_over")

    def __init__(self) -> None:
        self.turn_over = False
        self.ended_calls: set[str] = set()


def read(harness: str, path: str) -> Reading:
    """The reading of a transcript; an empty one for a harness whose transcripts are not known."""
    reading = Reading()
    kinds = {"claude-code": _claude_code, "codex": _codex}
    if harness not in kinds or not path:
        return reading
    for call, over in [found for record in _records(path) if (found := kinds[harness](record)) is not None][
        -RECENT:
    ]:
        reading.ended_calls.update(call)
        reading.turn_over = over
    return reading


# What one record says: the calls that it answers, and whether it ends the turn; ``None`` for metadata.
Said = tuple[set[str], bool] | None


def _claude_code(record: Record) -> Said:
    if record.get("type") not in ("user", "assistant") or record.get("isMeta") is True:
        return None
    blocks = _blocks(record)
    answered = {str(b.get("tool_use_id")) for b in blocks if b.get("type") == "tool_result"}
    interrupted = any(
        str(b.get("text", "")).startswith(INTERRUPTED) for b in blocks if b.get("type") == "text"
    )
    interrupted = interrupted and record["type"] == "user"
    return answered, interrupted or record.get("isApiErrorMessage") is True


def _blocks(record: Record) -> list[Record]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _codex(record: Record) -> Said:
    payload = record.get("payload")
    if not isinstance(payload, dict):
        return None
    kind = str(payload.get("type", ""))
    if record.get("type") == "event_msg":
        return (
            (set(), kind != "task_started")
            if kind in ("task_started", "task_complete", "turn_aborted")
            else None
        )
    if record.get("type") != "response_item":
        return None
    return ({str(payload.get("call_id"))} if kind.endswith("_output") else set(), False)


def _records(path: str) -> list[Record]:
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
    except (OSError, ValueError):  # ValueError: a name with a NUL
        return b""
    try:
        size = os.fstat(fd).st_size
        os.lseek(fd, max(0, size - TAIL), os.SEEK_SET)
        return os.read(fd, TAIL)
    except OSError:
        return b""
    finally:
        os.close(fd)
