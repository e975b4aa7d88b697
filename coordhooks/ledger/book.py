"""The log and its cache, kept in step: every read and every append goes through here."""

from __future__ import annotations

import os
import sqlite3
from _thread import RLock  # what threading.RLock is, without its module
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from coordhooks.errors import LedgerError
from coordhooks.ledger import position as positions
from coordhooks.ledger.cache import Cache, discard, is_broken
from coordhooks.ledger.events import decode, encode
from coordhooks.ledger.files import make_folder
from coordhooks.ledger.lock import WriterLock
from coordhooks.ledger.log import SEAL_BYTES, Log
from coordhooks.ledger.overlay import Overlay
from coordhooks.ledger.position import Position
from coordhooks.ledger.projection import task_after
from coordhooks.ledger.replay import catch_up
from coordhooks.ledger.vocabulary import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")

LOCK_NAME = "events.lock"

# How far the cache may be behind before an append takes it along: what every opening may have to read.
FLUSH_EVENTS, FLUSH_BYTES = 100, 256 * 1024

_of_parents: list[Cache] = []  # a forked child must not close them: that would disturb the parent's


class Book:
    """Log and cache of ``folder``; one object serves all threads, and survives a fork."""

    def __init__(self, folder: str, timeout: float, max_replay: int | None) -> None:
        self.folder = folder
        self.notices: list[str] = []
        self._timeout, self._max_replay = timeout, max_replay
        self._log: Log | None = None
        self._cache: Cache | None = None
        self._overlay: Overlay | None = None
        self._pid = os.getpid()
        self._thread = RLock()
        make_folder(folder)
        self._lock = WriterLock(os.path.join(folder, LOCK_NAME), timeout)
        with self._alone():
            self._mended(self._in_step)

    # -- what the ledger does with it ---------------------------------------------------------------------

    def read(self, query: Callable[[Log, Cache], T]) -> T:
        """``query`` on one state of the projection that holds every event that is durable."""
        self._leave_to_parent()
        with self._thread:
            with suppress(_Behind):
                return self._read_at_once(query)
            with self._alone():
                return self._mended(lambda: query(*self._open_and_in_step()))

    def append(
        self, compose: Callable[[Overlay], tuple[Record, Record | None]]
    ) -> tuple[Record, Record | None]:
        """Check and write one event, as one step; the event as it is in the log, and its task after it.

        ``compose`` gives the event, checked against the state that it gets, and its task before it.
        """
        with self._alone():
            return self._mended(lambda: self._append(compose))

    def event_at(self, start: int) -> Record:
        """The event whose line begins at byte ``start`` of the log. For ``compose``."""
        assert self._log is not None  # it is open and locked while ``compose`` runs
        return decode(next(self._log.lines(start, self._log.size()))[1])

    def rebuild(self) -> bool:
        """Replay the whole log; was the cache the same?"""
        with self._alone():
            before = self._mended(self._digest)
            self._replace_cache()
            return self._mended(self._digest) == before

    def _digest(self) -> bytes:
        return self._open_and_in_step()[1].digest()

    def close(self) -> None:
        """Give files back; the next call opens them again."""
        self._leave_to_parent()
        with self._thread:
            self._close_cache()
            self._lock.close()
            self._close_log()

    # -- append and read ----------------------------------------------------------------------------------

    def _append(
        self, compose: Callable[[Overlay], tuple[Record, Record | None]]
    ) -> tuple[Record, Record | None]:
        log, overlay = self._in_step()
        event, before = compose(overlay)
        line = encode(event)
        task = task_after(event, before)  # first, for what can't be applied must never be in the log
        log.append(line, overlay.position.length)
        overlay.add(event, task, line)
        events, behind = overlay.lag()
        if events >= FLUSH_EVENTS or behind >= FLUSH_BYTES:
            self._flush(overlay)
        if overlay.position.length - log.checkpoint.length >= SEAL_BYTES:
            self._seal(log, overlay.position)
        return event, task

    def _seal(self, log: Log, end: Position) -> None:
        """The event is durable, so a log that can't be sealed is no failure: it goes on in one file."""
        try:
            log.seal(end.checkpoint(log.checkpoint.segment + 1))
        except (OSError, LedgerError) as error:
            notice = f"{log.path} can't be sealed, so it goes on to grow: {error}"
            self.notices += [notice] * (notice not in self.notices)
        else:
            self._leave_log(log)

    def _flush(self, overlay: Overlay) -> None:
        """The events are durable, so a cache that can't follow is no failure: it catches up later."""
        try:
            is_flushed = overlay.cache.is_current() and overlay.flush()
        except sqlite3.Error:
            is_flushed = False
        if not is_flushed:
            self._close_cache()

    def _read_at_once(self, query: Callable[[Log, Cache], T]) -> T:
        """Read without the lock, unless the log has gone on or something was replaced."""
        if not (self._log and self._cache and self._log.is_current() and self._cache.is_current()):
            raise _Behind
        try:
            self._cache.execute("BEGIN")
            position = self._cache.position()
            if position and position.is_at_end(self._log):
                return query(self._log, self._cache)
            raise _Behind
        except sqlite3.Error:
            raise _Behind from None  # whatever it is, it is mended or told under the lock
        finally:
            with suppress(sqlite3.Error):
                self._cache.rollback()

    # -- keeping in step, under the lock ------------------------------------------------------------------

    def _open_and_in_step(self) -> tuple[Log, Cache]:
        """Log and cache, the cache at the end of the log."""
        if self._overlay and self._overlay.lag()[0]:
            self._flush(self._overlay)
        if self._cache and not self._cache.is_current():
            self._close_cache()
        log, overlay = self._in_step()
        return log, overlay.cache

    def _in_step(self) -> tuple[Log, Overlay]:
        """The log and the projection at its end."""
        log = self._open_log()
        if not (self._overlay and self._overlay.position.is_at_end(log)):
            self._overlay = self._made_overlay(log)
        return log, self._overlay

    def _made_overlay(self, log: Log) -> Overlay:
        cache = self._open_cache()
        position = cache.position() if cache.is_known_format() else None
        known = position.seq if position else 0
        if not position or not position.is_within(log):
            cache = cache if not position and cache.is_empty() else self._replace_cache()
            position = positions.start(log)
        position = self._catch_up(log, cache, position)
        if position.seq < known:
            self.notices.append(
                f"{log.path} has {position.seq} events where it had {known}: it was cut, emptied or replaced, and the tasks"
                " of the others are gone; if that was not meant, restore it from a backup"
            )
        return Overlay(cache, position)

    def _catch_up(self, log: Log, cache: Cache, base: Position) -> Position:
        left = log.size() - base.length
        if self._max_replay is not None and left > self._max_replay:
            raise LedgerError(f"{left} bytes of {log.path} are not in its cache yet; run `coord doctor` once")
        if base.seq and base.is_at_end(log):
            return base
        position, torn = catch_up(log, cache, base)
        if torn:
            self.notices.append(f"the last line of {log.path} was torn by a crash and set aside into {torn}")
        return position

    def _open_log(self) -> Log:
        """The log, locked; opened anew if it was replaced: then all that is known of it counts for nothing."""
        while True:
            log = self._log = self._log or Log(self.folder)
            log.lock(self._timeout)
            if log.is_current():
                return log
            self._leave_log(log)

    def _leave_log(self, log: Log) -> None:
        """Close one that is locked; to close is not to unlock while somebody still reads on in it."""
        log.unlock()
        self._close_log()

    def _close_log(self) -> None:
        if self._log:
            self._log.close()
        self._log = self._overlay = None

    def _open_cache(self) -> Cache:
        if not (self._cache and self._cache.is_current()):
            self._close_cache()
            self._cache = Cache(self.folder, self._timeout)
        assert self._cache is not None
        return self._cache

    def _replace_cache(self) -> Cache:
        self._close_cache()
        discard(self.folder)
        self._cache = Cache(self.folder, self._timeout)
        return self._cache

    def _close_cache(self) -> None:
        if self._cache:
            self._cache.close()
        self._cache = self._overlay = None

    def _mended(self, work: Callable[[], T]) -> T:
        """``work``, and once more with a new cache if this one is broken."""
        try:
            try:
                return work()
            except sqlite3.Error as error:
                if not is_broken(error):
                    raise
            self._replace_cache()
            return work()
        except OSError as error:
            raise LedgerError(
                f"the ledger in {self.folder} can't be used now: {error}; check the folder's owner, permissions and"
                " disk"
            ) from error
        except sqlite3.Error as error:
            raise LedgerError(
                f"the cache of the ledger in {self.folder} can't be used now: {error}; check the folder's permissions"
                " and disk, or delete cache-*.sqlite3 there: it is made anew from the log"
            ) from error

    # -- one at a time ------------------------------------------------------------------------------------

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self._leave_to_parent()
        with self._thread, self._lock:
            try:
                yield
            finally:
                if self._log:
                    self._log.unlock()

    def _leave_to_parent(self) -> None:
        """In the child of a fork, give up what it shares with its parent."""
        if self._pid == os.getpid():
            return
        if self._cache:
            _of_parents.append(self._cache)
        self._lock.close()
        self._log = self._cache = self._overlay = None
        self._pid, self._thread = os.getpid(), RLock()


class _Behind(Exception):
    """The cache lacks something that is in the log."""
