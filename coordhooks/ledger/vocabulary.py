"""The words of the ledger as data: event types, who may append them, the states of a task.

A new event type is a line here, a schema in ``schemas/ledger/`` and an effect in ``projection.py``.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it as true; importing typing costs a hook 10 ms
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]
else:
    Record = dict

QUEUED, LEASED, NEEDS_ATTENTION = "queued", "leased", "needs_attention"
STARTED = "started"  # the phase of a leased task whose work has begun
BLOCKED, COMPLETED, FAILED = "blocked", "completed", "failed"

HOLDING = frozenset((LEASED, NEEDS_ATTENTION))
TERMINAL = frozenset((COMPLETED, FAILED))
OPEN = HOLDING | {QUEUED, BLOCKED}
STATES = OPEN | TERMINAL

# From which states each type may come (TaskCreated has none before it).
FROM = {
    "TaskLeased": frozenset((QUEUED,)),
    "TaskLeaseRenewed": HOLDING,
    "TaskLaunchAcknowledged": HOLDING,
    "TaskReleased": HOLDING,
    "TaskPickupValidated": HOLDING,
    "TaskCompleted": OPEN,
    "TaskFailed": OPEN,
    "TaskBlocked": OPEN,
    "TaskNeedsAttention": HOLDING,
    "TaskAmended": STATES,
    "TaskCorrected": STATES,
}
LIFECYCLE = frozenset(FROM) - {"TaskAmended", "TaskCorrected"} | {"TaskCreated"}
TASKLESS = frozenset(("QuotaReported", "StandupAdvisory", "ApprovalGranted", "ApprovalDenied"))
TYPES = frozenset(FROM) | {"TaskCreated"} | TASKLESS

# A task without a lease can be completed, failed or blocked from outside, but nobody waits with it for a person.
NEEDS_LEASE = frozenset(
    (
        *("TaskLeaseRenewed", "TaskLaunchAcknowledged", "TaskPickupValidated", "TaskReleased"),
        "TaskNeedsAttention",
    )
)

# Which producer may append what. Checked at the append and nowhere else, so that every log opens.
SURFACES = {
    "system": TYPES,
    "cli": TYPES,
    "hook": LIFECYCLE | {"QuotaReported"},
    "import": frozenset(("TaskCreated", "TaskAmended", "TaskCompleted", "TaskFailed", "QuotaReported")),
}

# What an append must carry beyond its schema: logs of old lack it and still open.
REQUIRED_AT_APPEND = {
    "TaskLeased": ("lease_epoch", "until_ns"),
    "TaskLeaseRenewed": ("until_ns",),
}

# The lease of an old log that named no epoch gets this and the event's id. Nobody can renew it.
LEGACY_EPOCH = "legacy:"

# What TaskAmended may change, and what TaskCorrected may: all that TaskCreated says except who it is.
AMENDABLE = ("title", "description", "inherent_priority", "due")
CORRECTABLE = (*AMENDABLE, "project", "parent", "estimate", "capability", "acceptance", "quality_gate")

# Why a task waits: the first reason with one of its words in the blocker's text.
BLOCK_REASONS = {
    "quota": ("quota", "rate limit", "usage limit", "429", "credit", "billing"),
    "credentials": ("login", "log in", "sign in", "credential", "password", "api key", "unauthorized", "401"),
    "permission": ("permission", "approv", "allow", "denied", "forbidden", "403"),
    "conflict": ("lease", "locked", "conflict", "held by"),
    "dependency": ("depends", "dependency", "waiting for", "waits for", "upstream", "blocked by"),
    "environment": (
        "not found",
        "missing",
        "install",
        "network",
        "timeout",
        "timed out",
        "disk",
        "connection",
    ),
    "question": ("?", "question", "clarif", "decide", "decision", "which", "unclear", "input", "answer"),
    "other": (),
}
