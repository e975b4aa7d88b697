"""Times. The log has ISO 8601 in UTC, ending in ``Z``; callers may pass more, see ``moment``."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from coordhooks.errors import Invalid

Time = str | datetime | int | float

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def moment(value: Time) -> datetime:
    """The UTC time that an ISO 8601 text, an aware ``datetime`` or epoch seconds mean; else ``Invalid``.

    A text without an offset is in UTC, as everything in the log is.
    """
    try:
        if isinstance(value, str):
            parsed = datetime.fromisoformat(value)
            return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
        if isinstance(value, datetime):
            return _aware(value).astimezone(UTC)
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, TypeError, OverflowError, OSError) as error:
        raise Invalid(f"not a time: {value!r} ({error}); use ISO 8601, a datetime or epoch seconds") from None


def _aware(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError("it has no time zone")
    return value


def text(value: datetime) -> str:
    """``value`` (UTC) as the log writes it: ``2026-01-31T23:59:59.123456Z``."""
    return value.isoformat(timespec="microseconds")[:26] + "Z"


def microseconds(value: Time) -> int:
    """Whole microseconds since the epoch: what receipts are sorted by."""
    return (moment(value) - _EPOCH) // _MICROSECOND


def nanoseconds(value: Time) -> int:
    """Nanoseconds since the epoch: what ``until_ns`` is in."""
    return microseconds(value) * 1000


def check_due(value: str | None) -> None:
    """Refuse a ``due`` that is not RFC 3339: date, time and offset."""
    try:
        good = value is None or (
            value[10:11] in ("T", "t", " ") and datetime.fromisoformat(value.upper()).tzinfo
        )
    except ValueError:
        good = False
    if not good:
        raise Invalid(f"due: {value!r} is not RFC 3339, for example 2026-01-31T12:00:00Z")
