"""Settings as the store keeps them: compiled from the user's file, so that a hook reads one small table.

A project's own value wins over the general one (project ``''``). ``off`` is a switch with an end.
"""

from coordhooks.store.db import Transaction

FOREVER = float("inf")
GATE = "gates."  # before the name of a quality gate; the value is its command
OFF, OFF_SINCE = "off", "off_since"
CLOCK_SLACK = 60.0  # seconds by which a clock may be put back without ending what has an end
YIELD_AFTER, YIELD_REEXPORT = 600.0, 120.0  # seconds


def get(tx: Transaction, project: str, name: str, default: object = None) -> object:
    """A setting's value, or ``default``."""
    row = tx.one(
        "SELECT value FROM settings WHERE name = ? AND project IN ('', ?) ORDER BY project DESC LIMIT 1",
        name, project,
    )  # fmt: skip
    return default if row is None else row["value"]


def put(tx: Transaction, project: str, name: str, value: str | int | float) -> None:
    tx.run(
        "INSERT INTO settings(project, name, value) VALUES (?, ?, ?)"
        " ON CONFLICT(project, name) DO UPDATE SET value = excluded.value",
        project, name, value,
    )  # fmt: skip


def drop(tx: Transaction, project: str, name: str) -> int:
    return tx.run("DELETE FROM settings WHERE project = ? AND name = ?", project, name)


def drop_compiled(tx: Transaction) -> None:
    """Forget everything that came from the user's file; ``off`` did not."""
    tx.run("DELETE FROM settings WHERE name NOT IN (?, ?)", OFF, OFF_SINCE)


def number(tx: Transaction, project: str, name: str, default: float) -> float:
    value = get(tx, project, name, default)
    return float(value) if isinstance(value, (int, float)) else default


def yield_after(tx: Transaction, project: str, reexport: bool) -> float:
    """Seconds for which an untouched path is kept from a contender."""
    if reexport:
        return number(tx, project, "yield_after_reexport", YIELD_REEXPORT)
    return number(tx, project, "yield_after", YIELD_AFTER)


def switch_off(tx: Transaction, project: str, until: float) -> None:
    put(tx, project, OFF, until)
    put(tx, project, OFF_SINCE, tx.now)


def switch_on(tx: Transaction, project: str) -> bool:
    """Was it off?"""
    drop(tx, project, OFF_SINCE)
    return drop(tx, project, OFF) > 0


def off_until(tx: Transaction, project: str) -> float | None:
    """Until when a person has switched the veto off here (``inf``: until further notice), or ``None``.

    A clock that is put back ends it early, for an hour must not become a day.
    """
    until = number(tx, project, OFF, 0.0)
    if until <= tx.now or (until != FOREVER and tx.now < number(tx, project, OFF_SINCE, 0.0) - CLOCK_SLACK):
        return None
    return until
