"""Every error that coordhooks raises on purpose. Imports nothing, so that any module may use it.

Errors carry facts as attributes; the text says what happened, to what, and what to do next.
"""


class CoordError(Exception):
    """Base of all errors of coordhooks."""


# -- the coordination store -------------------------------------------------------------------------------


class ClaimRefused(CoordError):
    """A claim met leases of others; nothing was claimed.

    ``conflicts`` lists every conflict as a dict with ``path``, ``runtime_id``, ``mode``, ``purpose`` and
    ``expires_at`` (epoch seconds), and what else is known of the holder.
    """

    def __init__(self, conflicts: "list[dict[str, object]]") -> None:
        self.conflicts = conflicts
        held = ", ".join(f"{c['path']} ({c['mode']}, held by {c['runtime_id']})" for c in conflicts)
        super().__init__(f"claim refused: {held}")


class UnknownRuntime(CoordError, KeyError):
    """No live runtime has this identity."""

    def __str__(self) -> str:  # KeyError would print the repr
        return str(self.args[0]) if self.args else "unknown runtime"


class BadArgument(CoordError, ValueError):
    """An argument that no call could use."""


class StoreUnavailable(CoordError):
    """The store could not be read or written: locked too long, damaged, full, not ours, or too new."""


class BadPath(CoordError, ValueError):
    """A path that no file can have, or that is empty."""


# -- the task ledger --------------------------------------------------------------------------------------


class LedgerError(CoordError):
    """Base of all errors of the task ledger."""


class Conflict(LedgerError):
    """The event breaks a transition, fencing or version rule."""


class NotFound(LedgerError):
    """The event or call names a task or artifact that does not exist."""


class Duplicate(LedgerError):
    """A task with this id or this (source, external_id) exists."""


class Invalid(LedgerError):
    """The event, its payload or the log itself is not well formed."""


# -- hooks ------------------------------------------------------------------------------------------------


class BadPayload(CoordError):
    """What the harness sent can't be used: empty, not JSON, or without a field that the event needs."""


# -- installing -------------------------------------------------------------------------------------------


class InstallError(CoordError):
    """Installing or uninstalling can't go on; nothing was written, or the text says what was."""


class ConfigRefused(InstallError):
    """A configuration file of somebody else can't be edited safely; it was not touched.

    ``path`` is the file, ``line`` and ``column`` (from 1) where it can't be read, ``instead`` what to do otherwise.
    """

    def __init__(
        self, path: str, reason: str, *, line: int | None = None, column: int | None = None, instead: str = ""
    ) -> None:
        self.path, self.reason, self.line, self.column = path, reason, line, column
        where = f"{path}, line {line}, column {column}" if line else path
        super().__init__(f"{where}: {reason}" + (f"\n{instead}" if instead else ""))
