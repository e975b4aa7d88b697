"""The public face of the ledger: append, read, lease, artifacts."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

from coordhooks.errors import Conflict, Duplicate, Invalid, NotFound
from coordhooks.ledger import times
from coordhooks.ledger.artifacts import Artifacts
from coordhooks.ledger.book import Book
from coordhooks.ledger.events import complete, new_id
from coordhooks.ledger.log import decoded
from coordhooks.ledger.overlay import Overlay
from coordhooks.ledger.rules import check_transition, check_version
from coordhooks.ledger.times import Time
from coordhooks.ledger.vocabulary import TASKLESS, Record

LAST_NS = 2**63 - 1
_REFERENCES = ("handoff_ref", "report_ref")
_HANDOFF = ("handoff_ref", "transaction_id", "anchor_sha")


class Ledger:
    """The task ledger in ``directory``, which is created (0700) if need be. For any threads and processes.

    ``clock`` gives epoch seconds. Waiting for other writers ends after ``timeout`` seconds. ``max_replay``
    bounds, in bytes, what opening may read of the log when the cache is behind: hooks pass it.
    ``notices`` says what opening had to put right, in sentences.

    Events and tasks are dicts (``projection.py`` names a task's fields). Times in them are ISO 8601 UTC texts;
    a time that is passed in may also be an aware ``datetime`` or epoch seconds. Every method raises
    ``LedgerError`` when files can't be used, and ``Invalid``, naming the line, for a damaged log.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        *,
        clock: Callable[[], float] = time.time,
        timeout: float = 10.0,
        max_replay: int | None = None,
    ) -> None:
        folder = os.path.abspath(directory)
        self._clock = clock
        self._book = Book(folder, timeout, max_replay)
        self._artifacts = Artifacts(os.path.join(folder, "artifacts"))

    @property
    def notices(self) -> list[str]:
        return self._book.notices

    def close(self) -> None:
        """Give the files back. Nothing is lost without it."""
        self._book.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- events -------------------------------------------------------------------------------------------

    def append(self, event: Record) -> Record:
        """Check ``event`` and make it durable; it is returned with ``id``, ``seq`` and ``at``.

        Raises ``Invalid`` (schema, surface, name, artifact), ``Duplicate``, ``Conflict`` (version, transition,
        fencing) or ``NotFound`` (task, artifact), naming rule and field; then nothing is written.
        """
        return self._append(lambda _state: event)[0]

    def _append(self, draft: Callable[[Overlay], Record]) -> tuple[Record, Record | None]:
        """``draft`` makes the event from the state that it will be checked against; event and task."""

        def compose(state: Overlay) -> tuple[Record, Record | None]:
            drafted = draft(state)
            event = complete(drafted, state.position.seq + 1, self._clock())
            if drafted.get("id") is not None:  # one that is made here is new
                _check_id(event["id"], state)
            task = state.task(event["task_id"]) if event["task_id"] else None
            self._check(event, task, state)
            return event, task

        return self._book.append(compose)

    def _check(self, event: Record, task: Record | None, state: Overlay) -> None:
        """The rules of an append, in their documented order (``complete`` was the first)."""
        if event["type"] == "TaskCreated":
            _check_source(event["payload"], state)
        check_version(event, task)
        if task is not None:
            check_transition(event, task)
            self._check_corrects(event, state)
        for field in _REFERENCES:
            if event["type"] not in TASKLESS and event["payload"].get(field) is not None:
                self._artifacts.get(event["payload"][field])

    def _check_corrects(self, event: Record, state: Overlay) -> None:
        if event["type"] != "TaskCorrected":
            return
        earlier = state.start_of_event(event["payload"]["corrects"])
        if earlier is None or self._book.event_at(earlier)["task_id"] != event["task_id"]:
            raise NotFound(
                f"payload.corrects: {event['payload']['corrects']!r} is no earlier event of this task"
            )

    def events(self, since: int = 0) -> Iterator[Record]:
        """The events with a ``seq`` above ``since``, in order, as of now; read while they are taken."""
        log, start, end = self._book.read(lambda log, cache: (log, cache.start_of_seq(since + 1), log.size()))
        if start is None:
            return
        seq = since
        for segment in log.segments(start):
            for _, line in segment.lines(start, end):
                seq += 1
                yield decoded(line, segment.line_number(seq), segment.path)

    def verify(self) -> bool:
        """Replay the whole log into a new cache; was the old one right? For the doctor: takes its time."""
        return self._book.rebuild()

    # -- tasks --------------------------------------------------------------------------------------------

    def tasks(self) -> list[Record]:
        """All tasks in the order in which they were created."""
        return self._book.read(lambda _log, cache: cache.tasks(only_open=False))

    def task(self, task_id: str) -> Record:
        """One task, or ``NotFound``."""
        return self._book.read(lambda _log, cache: _found(cache.task(task_id), f"task {task_id!r}"))

    def task_by_source(self, source: str, external_id: str) -> Record:
        """The task that ``source`` calls ``external_id``, or ``NotFound``."""
        what = f"task {external_id!r} of {source!r}"
        return self._book.read(lambda _log, cache: _found(cache.task_by_source(source, external_id), what))

    def scheduling_snapshot(self) -> Record:
        """``{"tasks": [...], "active_leases": {harness_id: count}}``, both of one moment.

        Tasks that are completed or failed are left out. A task that needs attention holds its lease.
        """
        return self._book.read(
            lambda _log, cache: {
                "tasks": cache.tasks(only_open=True),
                "active_leases": cache.leases_per_harness(),
            }
        )

    def leases(self) -> list[tuple[str, str]]:
        """``(task_id, harness_id)`` of every lease, the one that ends first in front."""
        return self._book.read(lambda _log, cache: cache.due_leases(LAST_NS))

    def quota_since(self, harness_id: str, since: Time) -> tuple[float, bool]:
        """(consumed, known) of the receipts of a harness at ``since`` and later.

        ``known`` is false if there is none, or if any of them says so.
        """
        since_us = times.microseconds(since)
        return self._book.read(lambda _log, cache: cache.quota_since(harness_id, since_us))

    # -- leases -------------------------------------------------------------------------------------------

    def lease(
        self,
        task_id: str,
        harness_id: str,
        ttl: float,
        *,
        expected_version: int | None = None,
        surface: str = "system",
    ) -> Record:
        """Lease a queued task for ``ttl`` seconds, with a fresh epoch; the task with its ``lease``.

        The handoff of the former owner goes along. Raises ``Conflict`` if it is not queued or not at
        ``expected_version``, ``NotFound``, ``Invalid`` for a ``ttl`` that is not positive.
        """

        def draft(state: Overlay) -> Record:
            task = _found(state.task(task_id), f"task {task_id!r}")
            handoff = {name: task[name] for name in _HANDOFF if task[name] is not None}
            payload = {
                "harness_id": harness_id,
                "lease_epoch": new_id(self._clock()),
                **self._term(ttl),
                **handoff,
            }
            if expected_version is not None:
                payload["expected_version"] = expected_version
            return _event("TaskLeased", task, surface, payload)

        return _found(self._append(draft)[1], f"task {task_id!r}")

    def renew_lease(
        self,
        task_id: str,
        harness_id: str,
        epoch: str,
        expected_version: int,
        ttl: float,
        *,
        surface: str = "system",
    ) -> Record:
        """Let the owner keep its lease until ``ttl`` seconds from now; the task. Raises as ``lease`` does."""

        def draft(state: Overlay) -> Record:
            task = _found(state.task(task_id), f"task {task_id!r}")
            owner = {"harness_id": harness_id, "lease_epoch": epoch, "expected_version": expected_version}
            return _event(
                "TaskLeaseRenewed", task, surface, owner | {"until_ns": self._term(ttl)["until_ns"]}
            )

        return _found(self._append(draft)[1], f"task {task_id!r}")

    def _term(self, ttl: float) -> Record:
        if isinstance(ttl, bool) or not isinstance(ttl, int | float) or not 0 < ttl < 1e9:
            raise Invalid(f"ttl: {ttl!r} is not a number of seconds above 0")
        return {"until_ns": int((self._clock() + ttl) * 1e9), "ttl": ttl}

    def expire_lease(
        self,
        task_id: str,
        now: Time | None = None,
        *,
        reason: str = "lease_expired",
        surface: str = "system",
    ) -> bool:
        """Release the task if its lease has ended at ``now``; was it? A lease renewed meanwhile stays.

        Time alone does not make an owner dead: ask for its process first, or see ``expire_leases``.
        """
        task = self.task(task_id)
        when = times.moment(self._clock() if now is None else now)
        if task["lease"] is None or task["lease"]["until_ns"] > times.nanoseconds(when):
            return False
        observed = {name: task["lease"][name] for name in ("harness_id", "lease_epoch")}
        event = _event("TaskReleased", task, surface, observed | {"reason": reason})
        try:
            self.append(event | {"at": times.text(when)})
        except Conflict:
            return False
        return True

    def expire_leases(
        self,
        now: Time | None = None,
        *,
        is_alive: Callable[[str], bool] = lambda _harness_id: False,
        surface: str = "system",
    ) -> list[str]:
        """Expire every lease that has ended at ``now`` and whose owner ``is_alive`` denies; the task ids."""
        when = times.moment(self._clock() if now is None else now)
        due = self._book.read(lambda _log, cache: cache.due_leases(times.nanoseconds(when)))
        return [
            task_id
            for task_id, harness_id in due
            if not is_alive(harness_id) and self.expire_lease(task_id, when, surface=surface)
        ]

    # -- artifacts ----------------------------------------------------------------------------------------

    def put_artifact(self, data: bytes) -> str:
        """Store ``data`` durably; its reference, the SHA-256 in 64 hex digits. A repeat writes nothing."""
        return self._artifacts.put(data)

    def artifact(self, ref: str) -> bytes:
        """The bytes of a reference. Raises ``NotFound``, or ``Invalid`` if it is malformed or corrupt."""
        return self._artifacts.get(ref)


def _check_id(event_id: str, state: Overlay) -> None:
    if state.start_of_event(event_id) is not None:
        raise Duplicate(f"id: event {event_id!r} is in the log already")


def _check_source(payload: Record, state: Overlay) -> None:
    if other := state.task_by_source(payload["source"], payload["external_id"]):
        raise Duplicate(
            f"payload.external_id: {payload['external_id']!r} of {payload['source']!r} is task {other['task_id']!r}"
        )


def _event(kind: str, task: Record, surface: str, payload: Record) -> Record:
    return {
        "type": kind,
        "task_id": task["task_id"],
        "version": task["version"] + 1,
        "surface": surface,
        "payload": payload,
    }


def _found(task: Record | None, what: str) -> Record:
    if task is None:
        raise NotFound(f"there is no {what}; `coord task list` shows all")
    return task
