"""One event: what a caller may pass, and the line that stands for it in the log."""

from __future__ import annotations

import os

from coordhooks.errors import Conflict, Invalid
from coordhooks.fastjson import dumps, loads
from coordhooks.ledger import times
from coordhooks.ledger.validation import check
from coordhooks.ledger.vocabulary import (
    CORRECTABLE,
    LEGACY_EPOCH,
    REQUIRED_AT_APPEND,
    SURFACES,
    TASKLESS,
    Record,
)

SCHEMA_VERSION = 1
MAX_LINE = 16 * 1024 * 1024  # bytes, newline included; bounds the memory of every reader

FIELDS = ("id", "seq", "type", "task_id", "version", "at", "payload", "surface", "schema_version")
_FIELD_SET = frozenset(FIELDS)
_NAMES = ("source", "external_id", "harness_id", "lease_epoch", "transaction_id")


def complete(event: Record, seq: int, now: float) -> Record:
    """``event`` as it will stand in the log at ``seq``, checked by itself: schemas, names, surface.

    ``id``, ``at`` (from ``now``, epoch seconds) and ``schema_version`` are filled in when absent. Raises
    ``Invalid`` naming the field, and ``Conflict`` for a ``seq`` that is not the next one.
    """
    if not isinstance(event, dict):
        raise Invalid(f"an event is a dict, not {type(event).__name__}")
    if unknown := event.keys() - _FIELD_SET:
        raise Invalid(f"unknown field {unknown.pop()!r}; an event has {', '.join(FIELDS)}")
    given = {name: value for name, value in event.items() if value is not None}
    if given.get("seq", seq) != seq:
        raise Conflict(f"seq: {given['seq']!r} is not the next number, {seq}; leave it out")
    full: Record = {name: given.get(name) for name in FIELDS}
    full["seq"] = seq
    full["id"] = given["id"] if "id" in given else new_id(now)
    full["schema_version"] = given.get("schema_version", SCHEMA_VERSION)
    full["at"] = times.text(times.moment(given.get("at", now)))
    check("Event", full)
    _check_task_fields(full)
    _check_payload(full["type"], full["payload"])
    _check_surface(full["surface"], full["type"])
    return full


def new_id(now: float) -> str:
    """32 hex digits, sorting by time, so that the index of ids grows at its end and stays fast."""
    return f"{int(now * 1000) % 2**48:012x}{os.urandom(10).hex()}"


def _check_task_fields(event: Record) -> None:
    if event["schema_version"] > SCHEMA_VERSION:
        raise Invalid(
            f"schema_version: {event['schema_version']} is newer than {SCHEMA_VERSION}; upgrade coordhooks"
        )
    _check_name("id", event["id"])
    for field in ("task_id", "version"):
        if (event[field] is None) != (event["type"] in TASKLESS):
            raise Invalid(
                f"{field}: {event['type']} {'has none' if event['type'] in TASKLESS else 'needs one'}"
            )
    if event["task_id"] is not None:
        _check_name("task_id", event["task_id"])
        event["version"] = int(event["version"])


def _check_name(field: str, value: str) -> None:
    """Ids end up in file names and command lines."""
    _check_text(field, value)
    if value in (".", "..") or "/" in value or "\\" in value:
        raise Invalid(f"{field}: {value!r} could be a path; use a name without slashes")


def _check_text(field: str, value: str) -> None:
    if not value.isprintable() or not 0 < len(value) <= 1000:
        raise Invalid(f"{field}: {value[:80]!r} must be 1 to 1000 printable characters")


def _check_payload(kind: str, payload: Record) -> None:
    check(kind, payload)
    for field in REQUIRED_AT_APPEND.get(kind, ()):
        if payload.get(field) is None:
            raise Invalid(f"payload.{field}: {kind} needs it")
    for field in _NAMES:
        if isinstance(payload.get(field), str):
            _check_text(f"payload.{field}", payload[field])
    if kind == "TaskLeased" and payload["lease_epoch"].startswith(LEGACY_EPOCH):
        raise Invalid(f"payload.lease_epoch: {LEGACY_EPOCH!r} marks leases of old logs; use a fresh epoch")
    if kind == "QuotaReported" and payload["known"] and payload.get("consumed") is None:
        raise Invalid("payload.consumed: a known receipt needs it; report known = false otherwise")
    _check_metadata(kind, payload)


def _check_metadata(kind: str, payload: Record) -> None:
    metadata = (payload.get("metadata") or {}) if kind == "TaskCorrected" else payload
    if kind in ("TaskCreated", "TaskAmended", "TaskCorrected"):
        times.check_due(metadata.get("due"))
    if kind == "TaskCorrected" and (unknown := sorted(set(metadata) - set(CORRECTABLE))):
        raise Invalid(f"payload.metadata.{unknown[0]}: can't be corrected; only {', '.join(CORRECTABLE)} can")


def _check_surface(surface: str, kind: str) -> None:
    if kind not in SURFACES[surface]:
        raise Invalid(f"surface: {surface!r} may not append {kind}")


def encode(event: Record) -> bytes:
    """The event's line, with its newline. Raises ``Invalid`` for what JSON can't hold or what is too long."""
    try:
        line = dumps(event).encode("ascii") + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid(f"payload: can't be written as JSON: {error}") from None
    if len(line) > MAX_LINE:
        raise Invalid(f"payload: {len(line)} bytes; a line has {MAX_LINE} at most, store an artifact instead")
    return line


def decode(line: bytes) -> Record:
    """The event of one line. Checks structure only, so that logs of old open; raises ``Invalid``."""
    try:
        event: Record = loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise Invalid(f"not JSON: {error}") from None
    check("Event", event)
    check(event["type"], event["payload"])
    times.moment(event["at"])
    if event["type"] not in TASKLESS and not (event.get("task_id") and event.get("version")):
        raise Invalid(f"task_id, version: {event['type']} needs both")
    return event
