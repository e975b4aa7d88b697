"""What the log has and the cache has not yet: a few events, in memory, laid over the cache.

A commit for every event would cost more than the event's own fsync. So the cache follows in batches; until then
whoever appends looks here first. Nothing is lost with it: all of it is in the log.
"""

from __future__ import annotations

from coordhooks.ledger.cache import Cache
from coordhooks.ledger.position import Position
from coordhooks.ledger.vocabulary import Record


class Overlay:
    """The projection at ``position``, of which the cache holds the part up to ``base``."""

    def __init__(self, cache: Cache, base: Position) -> None:
        self.cache, self.base, self.position = cache, base, base
        self._tasks: dict[str, Record] = {}
        self._sources: dict[tuple[str, str], str] = {}
        self._events: dict[str, tuple[int, int]] = {}  # id: (seq, start)
        self._receipts: list[Record] = []

    def add(self, event: Record, task: Record | None, line: bytes) -> None:
        """Take ``event`` in, after which its task is ``task``, and whose line is ``line``."""
        self._events[event["id"]] = (event["seq"], self.position.length)
        self.position = self.position.after(line)
        if event["type"] == "QuotaReported":
            self._receipts.append(event)
        if task is None:
            return
        self._tasks[event["task_id"]] = task
        if event["type"] == "TaskCreated":
            self._sources[task["source"], task["external_id"]] = task["task_id"]

    def task(self, task_id: str) -> Record | None:
        return self._tasks.get(task_id) or self.cache.task(task_id)

    def task_by_source(self, source: str, external_id: str) -> Record | None:
        if task_id := self._sources.get((source, external_id)):
            return self._tasks[task_id]
        return self.cache.task_by_source(source, external_id)

    def start_of_event(self, event_id: str) -> int | None:
        """The byte in the log where the event's line begins; None if there is no such event."""
        if event_id in self._events:
            return self._events[event_id][1]
        return self.cache.start_of_event(event_id)

    def is_pending(self, event_id: str) -> bool:
        return event_id in self._events

    def pending(self) -> list[tuple[int, str]]:
        """(seq, id) of the events that the cache has not got."""
        return [(seq, event_id) for event_id, (seq, _) in self._events.items()]

    def lag(self) -> tuple[int, int]:
        """(events, bytes of the log) that the cache has not got."""
        return len(self._events), self.position.length - self.base.length

    def flush(self) -> bool:
        """Bring the cache to ``position``, in one transaction, under the writer lock.

        False if another process took the cache along meanwhile: then this overlay is of no use any more.
        """
        self.cache.begin()
        try:
            if not self._is_based_on_cache():
                return False
            self._put()
            self.cache.commit()
        finally:
            self.cache.rollback()
        self.base = self.position
        for pending in (self._tasks, self._sources, self._events, self._receipts):
            pending.clear()
        return True

    def _is_based_on_cache(self) -> bool:
        position = self.cache.position()
        return position is None or position.length == self.base.length

    def _put(self) -> None:
        self.cache.put_events([(seq, start, name) for name, (seq, start) in self._events.items()])
        self.cache.put_tasks(self._tasks.values())
        self.cache.put_receipts(self._receipts)
        self.cache.move(self.position)
