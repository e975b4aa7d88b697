"""The SQLite engine, by the cheapest way in.

``_sqlite3`` is the C module behind ``sqlite3``; taking it directly saves the date and time adapters (and
6 ms) that the public module registers. Where it can't be had, the public one behaves the same.

The C module itself asks ``functools`` for one thing, ``lru_cache`` for its statements, and ``functools`` brings
``collections`` along (3 ms). So while it is imported, the C core of that cache stands in for the module.
"""

TYPE_CHECKING = False  # as typing's, which would cost 10 ms
if TYPE_CHECKING:
    import sqlite3 as engine
    from collections.abc import Callable
    from threading import RLock as new_lock
    from typing import Any

    Clock = Callable[[], float]
else:
    import sys
    from _thread import RLock as new_lock

    def _cheapest():
        """The C module, imported with the stand-in; whoever wants the real ``functools`` later gets that."""
        if "functools" in sys.modules:
            import _sqlite3

            return _sqlite3
        import _functools

        stand_in = type(sys)("functools")
        stand_in.lru_cache = lambda size: lambda call: _functools._lru_cache_wrapper(call, size, False, tuple)
        sys.modules["functools"] = stand_in
        try:
            import _sqlite3
        finally:
            del sys.modules["functools"]
        return _sqlite3

    try:
        engine = _cheapest()
    except (ImportError, AttributeError):  # another Python than CPython, or one that has moved on
        import sqlite3 as engine

Connection = engine.Connection
Cursor = engine.Cursor
Error = engine.Error
Row = engine.Row

__all__ = ["Connection", "Cursor", "Error", "Row", "connect", "new_lock"]


def connect(path: str, timeout: float) -> Connection:
    """A connection without implicit transactions, which any thread may use. ``timeout`` in seconds."""
    connection: Any = engine.connect(path, timeout=timeout, isolation_level=None, check_same_thread=False)
    connection.row_factory = Row
    made: Connection = connection
    return made
