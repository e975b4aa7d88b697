"""What an event does to its task: a pure function from task and event to task.

A task is a dict: ``task_id``, ``version``, ``state``, ``phase``, all fields of TaskCreated, ``lease`` (None or
a dict of ``harness_id``, ``lease_epoch``, ``until_ns``, ``ttl``), ``attempt``, ``failure_class``, ``next_retry``,
``last_error``, the handoff (``handoff_ref``, ``transaction_id``, ``anchor_sha``), the pick-up
(``pickup_transaction_id``, ``pickup_lease_version``), ``blocker``, ``block_reason``, ``session_evidence``,
``report_ref``, ``created_at`` and ``updated_at``.
"""

from __future__ import annotations

from datetime import timedelta

from coordhooks.errors import Invalid
from coordhooks.ledger import times
from coordhooks.ledger.vocabulary import (
    AMENDABLE,
    BLOCK_REASONS,
    BLOCKED,
    COMPLETED,
    CORRECTABLE,
    FAILED,
    LEASED,
    LEGACY_EPOCH,
    NEEDS_ATTENTION,
    QUEUED,
    STARTED,
    TASKLESS,
    Record,
)

FIRST_RETRY_SECONDS, LAST_RETRY_SECONDS = 60, 30 * 60

_IDENTITY = ("source", "external_id", "project")
_HANDOFF = ("handoff_ref", "transaction_id", "anchor_sha")
_COMMON = {"lifecycle_phase": "phase", "last_error": "last_error", "session_evidence": "session_evidence"}
_EMPTY = dict.fromkeys(
    (
        *("task_id", "version", "state", "phase", *_IDENTITY, *CORRECTABLE, "lease", "attempt"),
        *("failure_class", "next_retry", "last_error", *_HANDOFF),
        *("pickup_transaction_id", "pickup_lease_version", "blocker", "block_reason", "session_evidence"),
        *("report_ref", "created_at", "updated_at"),
    )
)


def task_after(event: Record, before: Record | None) -> Record | None:
    """The task after ``event``; None for an event that concerns none.

    Raises ``Invalid`` for a time so far off that nothing can be reckoned from it.
    """
    if event["type"] in TASKLESS:
        return None
    try:
        return project(before, event)
    except OverflowError as error:
        raise Invalid(f"at: {event['at']} is too far off ({error})") from error


def project(task: Record | None, event: Record) -> Record:
    """The task after ``event``; ``task`` is None for a TaskCreated and is never changed."""
    after = dict(task or _EMPTY)
    payload = event["payload"]
    _EFFECTS[event["type"]](after, event, payload)
    for field, name in _COMMON.items():
        if field in payload:
            after[name] = payload[field]
    if after["state"] not in (BLOCKED, NEEDS_ATTENTION):
        after["blocker"] = after["block_reason"] = None
    after["version"] = event["version"]
    after["updated_at"] = event["at"]
    return after


def _created(task: Record, event: Record, payload: Record) -> None:
    task.update((name, payload.get(name)) for name in (*_IDENTITY, *CORRECTABLE))
    task.update(task_id=event["task_id"], state=QUEUED, attempt=0, created_at=event["at"])


def _leased(task: Record, event: Record, payload: Record) -> None:
    task.update(state=LEASED, phase="lease_issued", last_error=None)
    task["lease"] = {
        "harness_id": payload["harness_id"],
        "lease_epoch": payload.get("lease_epoch") or LEGACY_EPOCH + event["id"],
        "until_ns": int(payload.get("until_ns") or 0),  # an old lease without an end is due at once
        "ttl": payload.get("ttl"),
    }
    task.update((name, payload[name]) for name in _HANDOFF if payload.get(name) is not None)


def _renewed(task: Record, _event: Record, payload: Record) -> None:
    if task["lease"] and payload.get("until_ns") is not None:
        task["lease"] = {**task["lease"], "until_ns": int(payload["until_ns"])}


def _acknowledged(task: Record, _event: Record, _payload: Record) -> None:
    task.update(state=LEASED, phase=STARTED)


def _released(task: Record, event: Record, payload: Record) -> None:
    task.update(
        state=QUEUED, phase="reclaimed", lease=None, pickup_transaction_id=None, pickup_lease_version=None
    )
    if payload.get("handoff_ref"):
        task.update((name, payload.get(name)) for name in _HANDOFF)
        task.update(next_retry=None, failure_class=None)
    else:
        task["attempt"] += 1
        task["failure_class"] = payload.get("failure_class") or payload.get("reason")
        task["next_retry"] = times.text(times.moment(event["at"]) + _backoff(task["attempt"]))


def _backoff(attempt: int) -> timedelta:
    """One minute, doubled per attempt, half an hour at most."""
    return timedelta(seconds=min(FIRST_RETRY_SECONDS << min(attempt - 1, 10), LAST_RETRY_SECONDS))


def _picked_up(task: Record, _event: Record, payload: Record) -> None:
    task["pickup_transaction_id"] = payload["transaction_id"]
    task["pickup_lease_version"] = payload.get("lease_version")


def _completed(task: Record, _event: Record, payload: Record) -> None:
    task.update(state=COMPLETED, lease=None, report_ref=payload.get("report_ref"))


def _failed(task: Record, _event: Record, payload: Record) -> None:
    task.update(state=FAILED, lease=None, report_ref=payload.get("report_ref"))
    task["failure_class"] = payload.get("failure_class") or payload.get("reason") or task["failure_class"]


def _blocked(task: Record, event: Record, payload: Record) -> None:
    _waiting(task, event, payload)
    task.update(state=BLOCKED, lease=None)


def _needs_attention(task: Record, event: Record, payload: Record) -> None:
    _waiting(task, event, payload)
    task["state"] = NEEDS_ATTENTION


def _waiting(task: Record, _event: Record, payload: Record) -> None:
    task["blocker"] = payload.get("blocker")
    given = payload.get("block_reason")
    task["block_reason"] = given if given in BLOCK_REASONS else _reason(payload.get("blocker") or "")
    task["session_evidence"] = {
        "pane_id": payload.get("pane_id"),
        "harness_id": payload.get("harness_id"),
        "pane_state": payload.get("pane_state") or "unknown",
    }


def _reason(blocker: str) -> str:
    text = blocker.lower()
    return next((name for name, words in BLOCK_REASONS.items() if any(w in text for w in words)), "other")


def _amended(task: Record, _event: Record, payload: Record) -> None:
    task.update((name, payload[name]) for name in AMENDABLE if name in payload)


def _corrected(task: Record, _event: Record, payload: Record) -> None:
    metadata = payload.get("metadata") or {}
    task.update((name, metadata[name]) for name in CORRECTABLE if name in metadata)
    state = payload.get("state")
    if state is not None and state != task["state"]:
        task["state"] = state
        task["lease"] = task["lease"] if state == LEASED else None


_EFFECTS = {
    "TaskCreated": _created,
    "TaskLeased": _leased,
    "TaskLeaseRenewed": _renewed,
    "TaskLaunchAcknowledged": _acknowledged,
    "TaskReleased": _released,
    "TaskPickupValidated": _picked_up,
    "TaskCompleted": _completed,
    "TaskFailed": _failed,
    "TaskBlocked": _blocked,
    "TaskNeedsAttention": _needs_attention,
    "TaskAmended": _amended,
    "TaskCorrected": _corrected,
}
