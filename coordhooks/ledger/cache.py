"""The projection in SQLite, so that nobody has to replay the log. Disposable: the log alone decides.

The file's name has a number. One that does not fit its log is replaced by the next number and never reused:
a process that still has the old file open can then not touch the new one's write-ahead log.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection

from coordhooks.digest import sha256
from coordhooks.fastjson import dumps, loads
from coordhooks.ledger import quota
from coordhooks.ledger.files import network_kind, open_private
from coordhooks.ledger.position import Position
from coordhooks.ledger.vocabulary import OPEN, Record

FORMAT = 1  # of the tables and of what projection.py makes; a cache of another format is rebuilt

_TABLES = f"""
CREATE TABLE position (one INTEGER PRIMARY KEY, inode INT, length INT, seq INT, last INT, before BLOB,
                       chain BLOB);
CREATE TABLE events (seq INTEGER PRIMARY KEY, start INT, id TEXT UNIQUE);
CREATE TABLE tasks (created INTEGER PRIMARY KEY, task_id TEXT UNIQUE, source TEXT, external_id TEXT,
                    open INT, body TEXT, UNIQUE (external_id, source));
CREATE INDEX open_tasks ON tasks (created) WHERE open;
CREATE TABLE leases (task_id TEXT PRIMARY KEY, harness_id TEXT, until_ns INT) WITHOUT ROWID;
{quota.TABLE}
"""

_PUT_TASK = """
INSERT INTO tasks (task_id, source, external_id, open, body) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (task_id) DO UPDATE SET open = excluded.open, body = excluded.body
"""

# Errors of SQLite that mean "this is not our file, or a broken one"; the others pass (locked, full, ...).
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH)
_SIDE_FILES = ("-wal", "-shm", "-journal")


class Cache:
    """The newest cache in ``folder``, empty if there was none. Opened and written under the writer lock."""

    def __init__(self, folder: str, timeout: float) -> None:
        self.path = _path(folder, max([1, *_numbers(folder)]))
        if any(
            os.path.isdir(self.path + suffix) for suffix in ("", *_SIDE_FILES)
        ):  # not ours, and no obstacle
            discard(folder)
            self.path = _path(folder, max(_numbers(folder)))
        is_new = not os.path.exists(self.path)
        if is_new:
            _remove_side_files(self.path)
        fd = open_private(self.path, os.O_RDWR | os.O_CREAT)
        self._inode = os.fstat(fd).st_ino
        os.close(fd)
        self._db = sqlite3.connect(self.path, timeout=timeout, isolation_level=None, check_same_thread=False)
        self.execute = self._db.execute
        try:
            self._prepare(network_kind(folder) if is_new else None)
        except BaseException:
            self._db.close()
            raise

    def _prepare(self, network: str | None) -> None:
        self.execute("PRAGMA synchronous = NORMAL")
        if self.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            return
        self.execute("PRAGMA page_size = 1024")  # a batch changes a few short rows here and there
        self.execute(f"PRAGMA journal_mode = {'DELETE' if network else 'WAL'}")
        self._db.executescript(f"BEGIN; {_TABLES} PRAGMA user_version = {FORMAT}; COMMIT")

    def close(self) -> None:
        self._db.close()

    def is_current(self) -> bool:
        """Is the open file still the one in use, neither deleted nor replaced?"""
        try:
            return os.stat(self.path, follow_symlinks=False).st_ino == self._inode
        except FileNotFoundError:
            return False

    # -- writing ------------------------------------------------------------------------------------------

    def begin(self) -> None:
        self.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        self.execute("COMMIT")

    def rollback(self) -> None:
        if self._db.in_transaction:
            self.execute("ROLLBACK")

    def put_events(self, rows: list[tuple[int, int, str]]) -> None:
        """(seq, byte where the line begins, id) of new events."""
        self._db.executemany("INSERT INTO events VALUES (?, ?, ?)", rows)

    def put_tasks(self, tasks: Collection[Record]) -> None:
        """New tasks, in the order of their creation, and what became of older ones."""
        rows = [(t["task_id"], t["source"], t["external_id"], t["state"] in OPEN, dumps(t)) for t in tasks]
        self._db.executemany(_PUT_TASK, rows)
        free = [(t["task_id"],) for t in tasks if t["lease"] is None]
        self._db.executemany("DELETE FROM leases WHERE task_id = ?", free)
        held = [(t["task_id"], t["lease"]["harness_id"], t["lease"]["until_ns"]) for t in tasks if t["lease"]]
        self._db.executemany("REPLACE INTO leases VALUES (?, ?, ?)", held)

    def put_receipts(self, events: list[Record]) -> None:
        for event in events:
            quota.add(self._db, event)

    def move(self, position: Position) -> None:
        """Note how far the projection goes, in the transaction that took it there."""
        self.execute("REPLACE INTO position VALUES (1, ?, ?, ?, ?, ?, ?)", position.row())

    # -- reading ------------------------------------------------------------------------------------------

    def position(self) -> Position | None:
        """How far the projection goes; None if it is empty or of another format."""
        row = self.execute("SELECT inode, length, seq, last, before, chain FROM position").fetchone()
        return Position(*row) if row else None

    def is_empty(self) -> bool:
        """Has nothing been applied to it, and is it ours?"""
        return self.is_known_format() and not self.execute("SELECT 1 FROM events LIMIT 1").fetchone()

    def is_known_format(self) -> bool:
        return bool(self.execute("PRAGMA user_version").fetchone()[0] == FORMAT)

    def task(self, task_id: str) -> Record | None:
        return _task(self.execute("SELECT body FROM tasks WHERE task_id = ?", (task_id,)).fetchone())

    def task_by_source(self, source: str, external_id: str) -> Record | None:
        query = "SELECT body FROM tasks WHERE source = ? AND external_id = ?"
        return _task(self.execute(query, (source, external_id)).fetchone())

    def tasks(self, *, only_open: bool) -> list[Record]:
        """In the order in which they were created."""
        where = "WHERE open" if only_open else ""
        return [loads(body) for (body,) in self.execute(f"SELECT body FROM tasks {where} ORDER BY created")]

    def leases_per_harness(self) -> dict[str, int]:
        return dict(self.execute("SELECT harness_id, count(*) FROM leases GROUP BY harness_id"))

    def due_leases(self, until_ns: int) -> list[tuple[str, str]]:
        """(task, harness) of the leases that ended at ``until_ns`` or before, the earliest first."""
        query = "SELECT task_id, harness_id FROM leases WHERE until_ns <= ? ORDER BY until_ns, task_id"
        return self.execute(query, (until_ns,)).fetchall()

    def start_of_event(self, event_id: str) -> int | None:
        """The byte in the log where the event's line begins."""
        return _first(self.execute("SELECT start FROM events WHERE id = ?", (event_id,)).fetchone())

    def start_of_seq(self, seq: int) -> int | None:
        return _first(self.execute("SELECT start FROM events WHERE seq = ?", (seq,)).fetchone())

    def quota_since(self, harness_id: str, since_us: int) -> tuple[float, bool]:
        return quota.since(self._db, harness_id, since_us)

    def digest(self) -> bytes:
        """Of everything in the projection: two caches of one log have the same."""
        digest = sha256()
        for table in ("events", "tasks", "leases", "receipts"):
            for row in self.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3"):
                digest.update(repr(row).encode("utf-8"))
        return digest.digest()


def discard(folder: str) -> None:
    """Make the next ``Cache`` an empty one: the next number gets a place, the older files go."""
    numbers = _numbers(folder)
    following = _path(folder, max(numbers, default=0) + 1)
    _remove_side_files(following)
    os.close(open_private(following, os.O_RDWR | os.O_CREAT))
    for number in numbers:
        _remove(_path(folder, number))
        _remove_side_files(_path(folder, number))


def _path(folder: str, number: int) -> str:
    return os.path.join(folder, f"cache-{number}.sqlite3")


def is_broken(error: sqlite3.Error) -> bool:
    """Does ``error`` say that the file is damaged or not ours, rather than busy or full?"""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in _BROKEN


def _numbers(folder: str) -> list[int]:
    names = (
        name[6:-8] for name in os.listdir(folder) if name.startswith("cache-") and name.endswith(".sqlite3")
    )
    return [int(name) for name in names if name.isdecimal()]


def _remove_side_files(path: str) -> None:
    """Else SQLite would play the write-ahead log of a deleted cache into the new one."""
    for suffix in _SIDE_FILES:
        if os.path.lexists(path + suffix):
            _remove(path + suffix)


def _remove(path: str) -> None:
    """A folder in a file's place is somebody else's: it stays, and its name is not used again."""
    if os.path.islink(path) or not os.path.isdir(path):
        os.unlink(path)


def _task(row: tuple[str] | None) -> Record | None:
    return loads(row[0]) if row else None


def _first(row: tuple[int] | None) -> int | None:
    return row[0] if row else None
