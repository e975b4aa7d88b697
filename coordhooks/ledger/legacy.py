"""One known damage of old logs, and only that one: a task that was begun more than once with seq 1."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing

from coordhooks.digest import sha256
from coordhooks.errors import Invalid, LedgerError
from coordhooks.ledger.book import LOCK_NAME
from coordhooks.ledger.cache import Cache
from coordhooks.ledger.files import replacing, sync_folder, write_all
from coordhooks.ledger.lock import WriterLock
from coordhooks.ledger.log import NAME, Log, decoded
from coordhooks.ledger.position import start
from coordhooks.ledger.replay import catch_up
from coordhooks.ledger.vocabulary import Record

_SCRATCH = "repair"


def normalize_legacy_event_sequence(directory: str | os.PathLike[str], *, timeout: float = 10.0) -> bool:
    """Repair the log in ``directory`` if it has the old double start; was anything to do?

    That shape is: two or more events with seq 1, first a TaskCreated with version 1, the others of the same task
    with version 2 or above; then a TaskLeased of that task with version 2 and seq 2, then seq 3, 4, ... The first
    and those from the TaskLeased on are kept. The original stays next to the log, as ``events.jsonl.legacy-...``.
    Raises ``Invalid`` and changes nothing for every other log that does not open.
    """
    folder = os.path.abspath(directory)
    if not os.path.exists(os.path.join(folder, NAME)):
        return False
    lock = WriterLock(os.path.join(folder, LOCK_NAME), timeout)
    try:
        with closing(lock), lock:
            return _normalize(folder, Log(folder, writable=False))
    except OSError as error:
        raise LedgerError(f"the log in {folder} could not be repaired: {error}; try again") from error


def _normalize(folder: str, log: Log) -> bool:
    import shutil  # here, because hooks import this package and never repair

    scratch = os.path.join(folder, _SCRATCH)
    shutil.rmtree(scratch, ignore_errors=True)  # of a repair that was killed
    os.mkdir(scratch, 0o700)
    try:
        _check_ends_whole(log)
        if _replays(log, scratch):
            return False
        _repair(log, scratch)
        return True
    finally:
        log.close()
        shutil.rmtree(scratch)


def _repair(log: Log, scratch: str) -> None:
    repaired = os.path.join(scratch, NAME)
    with replacing(repaired) as fd:
        for line in _kept(log):
            write_all(fd, line)
    if not _replays(Log(scratch), scratch):
        raise _refused(log, "what would be kept does not follow the rules either")
    _copy(log)
    os.rename(repaired, log.path)
    sync_folder(os.path.dirname(log.path))


def _check_ends_whole(log: Log) -> None:
    if log.size() and log.read(log.size() - 1, log.size()) != b"\n":
        raise _refused(log, "its last line has no end")


def _replays(log: Log, scratch: str) -> bool:
    cache = Cache(scratch, 0)
    try:
        catch_up(log, cache, start(log))
    except Invalid:
        return False
    finally:
        cache.close()
        os.unlink(cache.path)
    return True


def _kept(log: Log) -> Iterator[bytes]:
    """The lines that stay, while the shape is checked. Their numbers are right as they are."""
    first, starts, seq = None, 0, 1
    for number, (_, line) in enumerate(log.lines(0, log.size()), 1):
        event = decoded(line, number, log.path)
        if first is None:
            first = event
            _check(
                log, number, _is(event, seq=1, version=1, type="TaskCreated"), "is not the first TaskCreated"
            )
            yield line
        elif seq == 1 and event["seq"] == 1:
            starts += 1
            again = _is(event, task_id=first["task_id"]) and (event.get("version") or 0) >= 2
            _check(log, number, again, "is not a later event of the same task")
        else:
            seq += 1
            _check(log, number, _is(event, seq=seq), f"has seq {event['seq']} where {seq} is due")
            leased = seq > 2 or _is(event, type="TaskLeased", task_id=first["task_id"], version=2)
            _check(log, number, leased and starts > 0, "is not the TaskLeased of the old shape")
            yield line
    _check(log, 1, seq > 1, "is followed by no TaskLeased")


def _is(event: Record, **fields: object) -> bool:
    return all(event.get(name) == value for name, value in fields.items())


def _check(log: Log, number: int, is_good: bool, what: str) -> None:
    if not is_good:
        raise _refused(log, f"line {number} {what}")


def _copy(log: Log) -> None:
    """A durable copy of the original next to it, named by its content: a repeat makes no second one."""
    digest = sha256()
    for _, line in log.lines(0, log.size()):
        digest.update(line)
    with replacing(f"{log.path}.legacy-{digest.hexdigest()[:12]}") as fd:
        for _, line in log.lines(0, log.size()):
            write_all(fd, line)


def _refused(log: Log, reason: str) -> Invalid:
    return Invalid(
        f"{log.path} is not the one old shape that can be repaired: {reason}. Nothing was changed;"
        " restore it from a backup, or correct that line by hand"
    )
