"""What a turn cost: its tokens, as the harness's transcript counts them.

Counted is what was sent anew and what was answered; what a cache gave back is not. A turn whose beginning is not
in the last part of the transcript, or a transcript that can't be read, gives no receipt rather than a guess.
"""

import os

from coordhooks.fastjson import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

READ_BACK = 16 * 1024 * 1024  # bytes

Record = dict[str, object]


def turn_tokens(harness: str, transcript: str, turn_id: str) -> int | None:
    """The tokens of one turn, or ``None`` if they can't be told."""
    counters = {"claude-code": _claude_code, "codex": _codex}
    if harness not in counters or not transcript or not turn_id:
        return None
    return counters[harness](_records(transcript), turn_id)


def _claude_code(records: "Iterator[Record]", turn_id: str) -> int | None:
    """One message is several records, one for each of its blocks, all with the same usage."""
    found = started = False
    messages: dict[str, int] = {}
    for record in records:
        if "promptId" in record:
            started = record["promptId"] == turn_id
            found = found or started
        message = record.get("message")
        if started and record.get("type") == "assistant" and isinstance(message, dict):
            messages[str(message.get("id"))] = _sum(
                message.get("usage"), ("input_tokens", "cache_creation_input_tokens", "output_tokens")
            )
    return sum(messages.values()) if found else None


def _codex(records: "Iterator[Record]", turn_id: str) -> int | None:
    """A running count follows each response; the last one of the turn counts."""
    found = None
    for record in records:
        payload = record.get("payload")
        if not isinstance(payload, dict) or record.get("type") != "token_usage_record":
            continue
        if payload.get("turn_id") == turn_id:
            usage = payload.get("turn_token_usage")
            found = _sum(usage, ("input_tokens", "output_tokens")) - _sum(usage, ("cached_input_tokens",))
    return found


def _sum(usage: object, names: tuple[str, ...]) -> int:
    values = [usage.get(name) for name in names] if isinstance(usage, dict) else []
    return sum(value for value in values if isinstance(value, int) and value > 0)


def _records(path: str) -> "Iterator[Record]":
    """The whole records in the last part of the transcript, in order; none if it can't be read."""
    if not os.path.isfile(path):  # a pipe or a device might never end
        return
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below; an error of the opening alone is caught here
    except OSError:
        return
    with file:
        size = os.fstat(file.fileno()).st_size
        if size > READ_BACK:
            file.seek(size - READ_BACK)
            file.readline()
        for line in file:
            try:
                record = loads(line.decode("utf-8"))
            except ValueError:
                continue
            if isinstance(record, dict):
                yield record
