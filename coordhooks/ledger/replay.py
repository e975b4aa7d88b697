"""From the log to the projection: structure, order and versions, nothing stricter, so that old logs open."""

from __future__ import annotations

import sqlite3

from coordhooks.errors import Invalid
from coordhooks.ledger.cache import Cache
from coordhooks.ledger.log import Log, changed, damaged, decoded
from coordhooks.ledger.overlay import Overlay
from coordhooks.ledger.position import Position
from coordhooks.ledger.projection import task_after
from coordhooks.ledger.segment import Segment
from coordhooks.ledger.vocabulary import TASKLESS, Record

# How much is put into the cache at once: bounds memory. A replay that is killed goes on behind the last batch.
_BATCH_EVENTS, _BATCH_BYTES = 5000, 16 * 1024 * 1024


def catch_up(log: Log, cache: Cache, base: Position) -> tuple[Position, str | None]:
    """Apply what the log has behind ``base`` to the cache, under the writer lock.

    Returns the new position, and the path of the file that a torn last line was set aside into, if there was
    one. Raises ``Invalid``, naming the line, for anything else that is not the next event.
    """
    overlay, size, torn = Overlay(cache, base), log.size(), None
    before = ""
    for segment in log.segments(base.length):
        _enter(segment, overlay, before)
        before = segment.path
        for start, line in segment.lines(base.length, size):
            is_torn = start + len(line) == size and not line.endswith(b"\n")
            try:
                _add(line, overlay, segment)
            except Invalid:
                if not is_torn:
                    raise
                torn = log.set_aside(start)
                break
            if is_torn:
                log.terminate()
            events, behind = overlay.lag()
            if events >= _BATCH_EVENTS or behind >= _BATCH_BYTES:
                _flush(overlay, segment)
        _flush(overlay, segment)
    return overlay.position, torn


def _flush(overlay: Overlay, segment: Segment) -> None:
    """Here ids show that are there twice: to ask for each would take longer than all the rest."""
    try:
        overlay.flush()
    except sqlite3.IntegrityError:
        for seq, event_id in overlay.pending():
            if overlay.cache.start_of_event(event_id) is not None:
                raise damaged(segment.path, segment.line_number(seq), _there_already(event_id)) from None
        raise


def _there_already(event_id: str) -> str:
    return f"id {event_id!r} is there already"


def _enter(segment: Segment, overlay: Overlay, before: str) -> None:
    """Cross from one segment into the next, if all before it is what its checkpoint says."""
    if overlay.position.length > segment.start:
        return
    following = overlay.position.entering(segment.inode, segment.checkpoint)
    if following is None:
        raise changed(segment.path, before)
    overlay.position = following


def _add(line: bytes, overlay: Overlay, segment: Segment) -> None:
    seq = overlay.position.seq + 1
    number = segment.line_number(seq)
    event = decoded(line, number, segment.path)
    try:
        before = _task_before(event, seq, overlay)
        overlay.add(event, task_after(event, before), line if line.endswith(b"\n") else line + b"\n")
    except (Invalid, ValueError, OverflowError) as error:
        raise damaged(segment.path, number, str(error)) from None


def _task_before(event: Record, seq: int, overlay: Overlay) -> Record | None:
    if event["seq"] != seq:
        hint = "; if the log once began twice, `coord doctor --fix` repairs it" if event["seq"] == 1 else ""
        raise Invalid(f"seq {event['seq']} where {seq} is due{hint}")
    if overlay.is_pending(event["id"]):
        raise Invalid(_there_already(event["id"]))
    if event["type"] in TASKLESS:
        return None
    task = overlay.task(event["task_id"])
    _check_order(event, task, overlay)
    return task


def _check_order(event: Record, task: Record | None, overlay: Overlay) -> None:
    kind, payload = event["type"], event["payload"]
    if kind != "TaskCreated" and task is None:
        raise Invalid(f"{kind} of the unknown task {event['task_id']!r}")
    due = task["version"] + 1 if task else 1
    if event["version"] != due or (task and kind == "TaskCreated"):
        raise Invalid(f"{kind} with version {event['version']} of {event['task_id']!r} where {due} is due")
    if kind == "TaskCreated" and overlay.task_by_source(payload["source"], payload["external_id"]):
        raise Invalid(f"a second task for {payload['external_id']!r} of {payload['source']!r}")
