"""The SQLite engine, by the cheapest way in.

``_sqlite3`` is the C module behind ``sqlite3``; taking it directly saves the date and time adapters (and
6 ms) that the public module registers. Where it can't be had, the public one behaves the same.
"""

TYPE_CHECKING = False  # as typing's, which would cost 10 ms
if TYPE_CHECKING:
    import sqlite3 as engine
    from collections.abc import Callable
    from threading import RLock as new_lock
    from typing import Any

    Clock = Callable[[], float]
else:
    try:
        import _sqlite3 as engine
        from _thread import RLock as new_lock
    except ImportError:  # another Python than CPython
        import sqlite3 as engine
        from threading import RLock as new_lock

Connection = engine.Connection
Error = engine.Error
Row = engine.Row

__all__ = ["Connection", "Error", "Row", "connect", "new_lock"]


def connect(path: str, timeout: float) -> Connection:
    """A connection without implicit transactions, which any thread may use. ``timeout`` in seconds."""
    connection: Any = engine.connect(path, timeout=timeout, isolation_level=None, check_same_thread=False)
    connection.row_factory = Row
    made: Connection = connection
    return made
