"""Is the store file sound? And setting a damaged one aside, which only a person's repair does."""

import os

from coordhooks.errors import StoreUnavailable
from coordhooks.store import migrations
from coordhooks.store.db import MIN_SIZE
from coordhooks.store.engine import Error, connect

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
    try:
        found = [str(row[0]) for row in connection.execute(f"PRAGMA quick_check({MAX_FAULTS})")]
        if found != ["ok"]:
            return found
        missing = _tables() - {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
        return [f"table {name} is missing" for name in sorted(missing)]
    except Error as error:
        if not is_damage(error):
            raise
        return [str(error)]
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
    number = 0
    while True:
        folder = f"{path}.damaged-{stamp}" + (f"-{number}" if number else "")
        try:
            os.mkdir(folder, 0o700)
            break
        except FileExistsError:
            number += 1
    for part in reversed(PARTS):
        if os.path.lexists(path + part):
            os.rename(path + part, os.path.join(folder, os.path.basename(path) + part))
    return folder


def _tables() -> set[str]:
    words = "\n".join(migrations.MIGRATIONS).split()
    return {words[i + 2] for i, word in enumerate(words[:-2]) if (word, words[i + 1]) == ("CREATE", "TABLE")}
