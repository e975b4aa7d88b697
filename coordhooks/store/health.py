"""Is the store file sound? And setting a damaged one aside, which only a person's repair does."""

import os

from coordhooks.errors import StoreUnavailable
from coordhooks.store import migrations
from coordhooks.store.db import MIN_SIZE, Transaction
from coordhooks.store.engine import Connection, Error, connect

CORRUPT, NOT_A_DATABASE = 11, 26  # SQLite's primary result codes
PARTS = ("", "-wal", "-shm")
MAX_FAULTS = 5


def faults(path: str, timeout: float) -> list[str]:
    """What is damaged in the file; empty if nothing is. Raises the engine's error if it can't be read now."""
    if os.path.islink(path):  # a repair must not follow it to somebody else's file
        raise StoreUnavailable(f"{path} is a link: remove what is in the store's place")
    if os.path.getsize(path) < MIN_SIZE:  # a store is put in place whole, so it was cut off
        return ["the file is empty or cut off"]
    connection = connect(path, timeout)
    connection.text_factory = _legible  # the complaint may quote the rubbish
    try:
        found = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({MAX_FAULTS})")]
        if found != ["ok"]:
            return found
        return _missing(connection)[:MAX_FAULTS]
    except Error as error:
        if not is_damage(error):
            raise
        return [str(error)]
    except UnicodeDecodeError:  # the engine's own complaint quotes it, and is no text then
        return ["a page of the file is rubbish"]
    finally:
        connection.close()


def is_damage(error: Exception) -> bool:
    """Does an error of the engine say that the file itself is broken, not only busy or out of reach?"""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (CORRUPT, NOT_A_DATABASE)


def journal_mode(path: str, timeout: float) -> str:
    connection = connect(path, timeout)
    try:
        return str(connection.execute("PRAGMA journal_mode").fetchone()[0])
    finally:
        connection.close()


def set_aside(path: str, stamp: str) -> str:
    """Move a store with its parts into a fresh folder beside it, whose name holds ``stamp``; returns it.

    The parts go first: a log that stayed behind would be played into the store that is made next.
    """
    folder = _fresh_folder(path, stamp)
    for part in reversed(PARTS):
        if os.path.lexists(path + part):
            os.rename(path + part, os.path.join(folder, os.path.basename(path) + part))
    return folder


def move_aside(folder: str, stamp: str) -> str:
    """The same for a whole folder."""
    kept = _fresh_folder(folder, stamp)
    os.rename(folder, kept)  # onto an empty one
    return kept


def _fresh_folder(path: str, stamp: str) -> str:
    number = 0
    while True:
        folder = f"{path}.damaged-{stamp}" + (f"-{number}" if number else "")
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            number += 1
        else:
            return folder


def _legible(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _missing(connection: Connection) -> list[str]:
    """Which tables and columns the file lacks of those that its own number promises; a newer one may have more."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    promised = connect(":memory:", 0)
    try:
        for script in migrations.MIGRATIONS[:version]:
            promised.executescript(script)
        wanted, found = _columns(promised), _columns(connection)
    finally:
        promised.close()
    tables = [f"table {name} is missing" for name in sorted(wanted.keys() - found.keys())]
    return tables + [
        f"column {name}.{column} is missing"
        for name in sorted(wanted.keys() & found.keys())
        for column in sorted(wanted[name] - found[name])
    ]


def _columns(connection: Connection) -> dict[str, set[str]]:
    rows = connection.execute(
        "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'"
    )
    found: dict[str, set[str]] = {}
    for table, column in rows:
        found.setdefault(table, set()).add(column)
    return found


# -- what the doctor asks of a sound store ------------------------------------------------------------------

# What an audit event proves to have fired: the event, its reason or kind ('' for any), the hook's event. Reasons
# that two hooks share are left out.
TRACES = (
    ("write_refused", "", "PreToolUse"),
    ("coord_called", "", "PreToolUse"),
    ("leases_claimed", "automatic", "PreToolUse"),
    ("leases_claimed", "call", "PreToolUse"),
    ("leases_released", "call_over", "PostToolUse"),
    ("leases_released", "turn_over", "Stop"),
    ("leases_released", "idle", "Notification"),
    ("runtime_ended", "parent_stopped", "Stop"),
    ("runtime_ended", "replaced", "SessionStart"),
    ("runtime_ended", "clear", "SessionStart"),
    ("runtime_ended", "subagent_stop", "SubagentStop"),
    ("runtime_ended", "session_end", "SessionEnd"),
    ("session_ended", "", "SessionEnd"),
    ("config_changed", "", "ConfigChange"),
)


def last_fired(tx: Transaction) -> dict[tuple[str, str], float]:
    """When each hook, ``(harness, event)``, last left a trace, in epoch seconds. Some never do."""
    rows = [*_audited(tx), *_failed(tx), *_called(tx)]
    seen: dict[tuple[str, str], float] = {}
    for harness, event, at in rows:
        seen[harness, event] = max(at, seen.get((harness, event), at))
    return seen


def _audited(tx: Transaction) -> list[tuple[str, str, float]]:
    rows = tx.all(
        "SELECT r.harness, a.event, json_extract(a.details, '$.reason') AS reason,"
        " json_extract(a.details, '$.kind') AS kind, max(a.at) AS at"
        " FROM audit a JOIN runtimes r ON r.runtime_id = a.runtime_id GROUP BY 1, 2, 3, 4"
    )
    return [
        (row["harness"], hook, row["at"])
        for row in rows
        for event, why, hook in TRACES
        if row["event"] == event and why in ("", row["reason"], row["kind"])
    ]


def _failed(tx: Transaction) -> list[tuple[str, str, float]]:
    """A hook that could not tell has fired all the same."""
    rows = tx.all(
        "SELECT json_extract(details, '$.failure.harness') AS harness,"
        " json_extract(details, '$.failure.event') AS event, max(at) AS at"
        " FROM audit WHERE event = 'could_not_tell' GROUP BY 1, 2"
    )
    return [(row["harness"], row["event"], row["at"]) for row in rows if row["harness"] and row["event"]]


def _called(tx: Transaction) -> list[tuple[str, str, float]]:
    """What calls leave behind in other tables."""
    rows = tx.all(
        "SELECT r.harness, 'PreToolUse' AS event, max(u.last_at) AS at FROM untold u JOIN runtimes r USING (runtime_id)"
        " GROUP BY 1 UNION ALL"
        " SELECT r.harness, 'PreToolUse', max(c.opened_at) FROM calls c JOIN runtimes r USING (runtime_id)"
        " GROUP BY 1 UNION ALL"
        " SELECT r.harness, 'PostToolUse', max(w.at) FROM writes w JOIN runtimes r USING (runtime_id) GROUP BY 1"
    )
    return [(row["harness"], row["event"], row["at"]) for row in rows]


def untold(tx: Transaction) -> list[tuple[str, str, int, float]]:
    """``(harness, what, how often, when last)`` of calls whose writes could not be told."""
    rows = tx.all(
        "SELECT r.harness, u.what, sum(u.count) AS count, max(u.last_at) AS at"
        " FROM untold u JOIN runtimes r USING (runtime_id) GROUP BY 1, 2 ORDER BY 1, 2"
    )
    return [(row["harness"], row["what"], row["count"], row["at"]) for row in rows]
