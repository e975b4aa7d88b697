"""May this event follow what the log holds? Asked at the append only: a log that is there always opens."""

from __future__ import annotations

from coordhooks.errors import Conflict, Duplicate, NotFound
from coordhooks.ledger.vocabulary import (
    FROM,
    HOLDING,
    LEGACY_EPOCH,
    LIFECYCLE,
    NEEDS_LEASE,
    TASKLESS,
    Record,
)


def check_version(event: Record, task: Record | None) -> None:
    """The optimistic rules and whether the task exists; ``task`` is the event's task as it stands."""
    _check_expected(event, task)
    if event["type"] in TASKLESS:
        return
    if event["type"] == "TaskCreated":
        _check_first(event, task)
    elif task is None:
        raise NotFound(f"task_id: there is no task {event['task_id']!r}; append its TaskCreated first")
    elif event["version"] != task["version"] + 1:
        raise Conflict(
            f"version: {event['version']} after {task['version']} of {_name(task)}; read it and try again"
        )


def _check_expected(event: Record, task: Record | None) -> None:
    if (expected := event["payload"].get("expected_version")) is None:
        return
    current = task["version"] if task else None
    if type(expected) is not int or expected != current:
        raise Conflict(
            f"payload.expected_version: {expected!r}, but {event['task_id']!r} is at version {current};"
            " read it and try again"
        )


def _check_first(event: Record, task: Record | None) -> None:
    if task is not None:
        raise Duplicate(f"task_id: {_name(task)} exists already")
    if event["version"] != 1:
        raise Conflict(f"version: a TaskCreated has version 1, not {event['version']}")


def check_transition(event: Record, task: Record) -> None:
    """States, leases and fencing, for every type but TaskCreated. Raises ``Conflict``."""
    kind, lease = event["type"], task["lease"]
    if task["state"] not in FROM[kind]:
        raise Conflict(
            f"type: {kind} can't follow state {task['state']} of {_name(task)};"
            f" it needs {' or '.join(sorted(FROM[kind]))}"
        )
    if kind in NEEDS_LEASE and lease is None:
        raise Conflict(f"type: {kind} needs a lease and {_name(task)} has none; lease it first")
    if kind == "TaskCorrected":
        _check_correction(event, task)
    elif kind in LIFECYCLE:
        _check_owner(event, task)


def _check_owner(event: Record, task: Record) -> None:
    """Fence off everyone but the owner of the lease.

    Whoever expires a lease names the observed one, so the same comparison holds for it. An epoch without a
    lease is a worker whose lease has ended: it is stale, not somebody from outside.
    """
    payload, lease = event["payload"], task["lease"] or {}
    if event["type"] == "TaskLeased" or (not lease and payload.get("lease_epoch") is None):
        return
    for field in ("harness_id", "lease_epoch"):
        if payload.get(field) != lease.get(field):
            raise Conflict(
                f"payload.{field}: {payload.get(field)!r} does not hold {_name(task)}, {lease.get(field)!r} does;"
                " stop working on it, it has another owner or none"
            )
    if event["type"] == "TaskLeaseRenewed" and lease["lease_epoch"].startswith(LEGACY_EPOCH):
        raise Conflict(
            f"payload.lease_epoch: a lease of an old log can't be renewed; let {_name(task)} expire"
        )


def _check_correction(event: Record, task: Record) -> None:
    state = event["payload"].get("state")
    if state is None or state == task["state"]:
        return
    if task["lease"] is not None:
        _check_owner(event, task)
    elif state in HOLDING:
        raise Conflict(
            f"payload.state: {_name(task)} has no lease, so it can't be corrected to {state}; lease it"
        )


def _name(task: Record) -> str:
    return f"task {task['task_id']!r}"
