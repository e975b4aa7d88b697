"""The database file: opening it safely, and one kind of transaction.

SQLite in WAL mode, one file a user. Every change is one ``BEGIN IMMEDIATE`` transaction that reads, checks
and writes. Automatic leases may be lost in a power cut (``synchronous=NORMAL``); messages may not
(``durable=True``: the commit waits for the disk).
"""

import os

from coordhooks.errors import BadArgument, StoreUnavailable
from coordhooks.fastjson import dumps
from coordhooks.locations import FOLDER_MODE, make_folder
from coordhooks.process import Here
from coordhooks.store import migrations
from coordhooks.store.engine import Connection, Error, Row, connect, new_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from coordhooks.store.engine import Clock, Cursor

FILE_MODE = 0o600
PAGE_SIZE = (
    1024  # bytes; small rows: each hook writes, and the next one reads back, a quarter of the usual log
)
MIN_SIZE = 512  # bytes; SQLite would take a smaller file for an empty one, and begin anew
Value = str | bytes | int | float | None


class Database:
    """One connection, shared by the threads of one process and opened anew after a fork."""

    def __init__(self, path: str, clock: "Clock", timeout: float) -> None:
        self.path = path
        self.clock = clock
        self.timeout = timeout  # seconds to wait for another process's transaction
        self.lock = new_lock()
        self._connection: Connection | None = None
        self._inherited: Connection | None = None
        self._owner = 0
        self._here: Here | None = None

    @property
    def here(self) -> Here:
        if self._here is None:
            self._here = Here()
        return self._here

    def connection(self) -> Connection:
        if self._connection is None or self._owner != os.getpid():
            self._inherited = self._connection  # closing a parent's connection here would harm the parent
            self._connection = self._open()
            self._owner = os.getpid()
        return self._connection

    def close(self) -> None:
        with self.lock:
            if self._connection is not None and self._owner == os.getpid():
                self._connection.close()
            self._connection = None

    def _open(self) -> Connection:
        connection = None
        try:
            if not secure(self.path):
                _create(self.path, self.timeout)
            connection = connect(self.path, self.timeout)
            migrations.migrate(connection)  # first, so that a file that is not for us is left untouched
            _use_wal(connection, self.timeout)
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA foreign_keys=OFF")
        except (Error, OSError) as error:
            if connection is not None:
                connection.close()
            raise unavailable(self.path, error) from error
        except StoreUnavailable:
            if connection is not None:
                connection.close()
            raise
        return connection


class Transaction:
    """``with Transaction(db) as tx``: all or nothing, one moment in time (``tx.now``, epoch seconds)."""

    def __init__(self, db: Database, *, durable: bool = False, readonly: bool = False) -> None:
        self.db = db
        self.durable = durable
        self.readonly = readonly

    @property
    def here(self) -> Here:
        return self.db.here

    def __enter__(self) -> "Transaction":
        self.db.lock.acquire()
        try:
            self.connection = self.db.connection()
            if self.durable:
                self.connection.execute("PRAGMA synchronous=FULL")
            self.connection.execute("BEGIN" if self.readonly else "BEGIN IMMEDIATE")
        except Error as error:
            self.db.lock.release()
            raise unavailable(self.db.path, error) from error
        except BaseException:
            self.db.lock.release()
            raise
        try:
            self.now = self.db.clock()
        except BaseException:
            self._abandon()
            self.db.lock.release()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        try:
            if kind is None:
                self.connection.execute("COMMIT")
            else:
                self._abandon()
            if self.durable:
                self.connection.execute("PRAGMA synchronous=NORMAL")
        except Error as failure:
            self._abandon()
            raise unavailable(self.db.path, failure) from failure
        finally:
            self.db.lock.release()
        if isinstance(error, Error):
            raise unavailable(self.db.path, error) from error

    def _abandon(self) -> None:
        """Take everything back; a connection that can't even do that is not used again."""
        try:
            if self.connection.in_transaction:  # a full disk has ended it already
                self.connection.execute("ROLLBACK")
        except Error:
            self.db._connection = None
            self.connection.close()

    def all(self, sql: str, *values: Value) -> list[Row]:
        return self._execute(sql, values).fetchall()

    def one(self, sql: str, *values: Value) -> Row | None:
        row: Row | None = self._execute(sql, values).fetchone()
        return row

    def run(self, sql: str, *values: Value) -> int:
        """Carry out a change; returns how many rows it touched."""
        return self._execute(sql, values).rowcount

    def audit(self, event: str, runtime_id: str | None = None, /, **details: object) -> int:
        """Append an audit event in this transaction; returns its id."""
        sql = "INSERT INTO audit(at, event, runtime_id, details) VALUES (?, ?, ?, ?)"
        return self._execute(sql, (self.now, event, runtime_id, as_json(details))).lastrowid or 0

    def _execute(self, sql: str, values: tuple[Value, ...]) -> "Cursor":
        try:
            return self.connection.execute(sql, values)
        except UnicodeEncodeError:  # such as a folder whose name is no text: its bytes are spelled out
            return self.connection.execute(sql, tuple(map(_spelled_out, values)))


def _spelled_out(value: Value) -> Value:
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def as_json(value: object) -> str:
    """Text to store. Raises ``BadArgument`` for what JSON can't say, such as a set or NaN."""
    try:
        return dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadArgument(f"it can't be kept as JSON: {error}") from None


def secure(path: str) -> bool:
    """Make the folder (0700), tighten loose modes; is there a file? It is not made here.

    Refuses a link, a stump, or another user's folder or file, in the store's place.
    """
    folder = os.path.dirname(path)
    try:
        make_folder(folder)
        above = os.stat(folder)
        _owned(folder, above)
        if os.name == "posix" and above.st_mode & 0o077 and not above.st_mode & 0o1000:  # never /tmp itself
            os.chmod(folder, FOLDER_MODE)
        there = _secure_file(path)
        if there is not None and there < MIN_SIZE:
            raise StoreUnavailable(
                f"{path} is no whole file: it was cut off, and `coord doctor --fix` sets it aside"
            )
        for beside in ("-wal", "-shm"):
            _secure_file(path + beside)
    except OSError as error:
        raise unavailable(path, error) from error
    return there is not None


def _secure_file(path: str) -> int | None:
    """Tighten a file's mode; returns its size, or ``None`` if there is none."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    if found.st_mode & 0o170000 != 0o100000:
        raise StoreUnavailable(f"{path} is not a regular file: remove what is in the store's place")
    _owned(path, found)
    if os.name == "posix" and found.st_mode & 0o077:
        os.chmod(path, FILE_MODE)
    return found.st_size


def _create(path: str, timeout: float) -> None:
    """Put a whole new store in place, so that nobody ever meets half of one, nor takes an empty file for one."""
    made = f"{path}.{os.urandom(8).hex()}.new"
    try:
        os.close(os.open(made, os.O_CREAT | os.O_EXCL | os.O_RDWR, FILE_MODE))
        os.chmod(made, FILE_MODE)  # a umask may have taken our own bits away
        connection = connect(made, timeout)
        try:
            connection.execute(f"PRAGMA page_size={PAGE_SIZE}")
            migrations.migrate(connection)
        finally:
            connection.close()
        _put_in_place(made, path)
    finally:
        if os.path.lexists(made):
            os.unlink(made)


def _put_in_place(made: str, path: str) -> None:
    try:
        os.link(made, path)
    except FileExistsError:  # another process was first
        return
    except OSError:  # a file system without hard links
        os.rename(made, path)


def _owned(path: str, found: os.stat_result) -> None:
    if os.name == "posix" and found.st_uid != os.getuid():
        raise StoreUnavailable(
            f"{path} belongs to user {found.st_uid}, not to you ({os.getuid()}): "
            f"give it back with `sudo chown -R $(id -u) {path}`"
        )


def _use_wal(connection: Connection, timeout: float) -> None:
    """Switch to WAL and believe only what is read back: a file system without shared memory keeps another.

    The switch needs the file alone and ignores the busy time-out, so it is tried again while others open.
    """
    for attempt in range(max(1, int(timeout * 50))):
        try:
            if _mode(connection, "PRAGMA journal_mode") != "wal":
                _mode(connection, "PRAGMA journal_mode=WAL")
            return
        except Error as error:
            if "locked" not in str(error) or attempt + 1 >= int(timeout * 50):
                raise
        import time

        time.sleep(0.02)


def _mode(connection: Connection, pragma: str) -> str:
    return str(connection.execute(pragma).fetchone()[0])


def unavailable(path: str, error: Exception) -> StoreUnavailable:
    """The reason in words, without anything from a payload."""
    if isinstance(error, OSError):
        return StoreUnavailable(f"{error.filename or path}: {error.strerror or error}")
    return StoreUnavailable(f"{path}: {error}")
