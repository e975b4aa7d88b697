"""One writer at a time."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
from contextlib import closing

import filelock
import pytest
from ledger.made import content, created

from coordhooks.errors import LedgerError
from coordhooks.ledger import Ledger, files, lock
from coordhooks.ledger.lock import WriterLock

HOLD = """
import sys
from coordhooks.ledger.lock import WriterLock
with WriterLock(sys.argv[1], 5):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "lock")


@pytest.fixture
def holder(path):
    command = [sys.executable, "-c", HOLD, path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def test_waiting_is_bounded_and_names_the_holder(path, holder):
    with pytest.raises(LedgerError, match=str(holder.pid)), WriterLock(path, 0.01):
        pass


def test_a_dead_holder_does_not_block(path, holder):
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    with closing(WriterLock(path, 0)) as mine, mine:
        pass


def test_it_is_the_lock_that_filelock_takes(path, holder):
    with pytest.raises(filelock.Timeout), filelock.FileLock(path, timeout=0):
        pass


def test_the_lock_file_is_never_unlinked(path):
    for _ in range(2):
        with closing(WriterLock(path, 0)) as mine, mine:
            inode = os.stat(path).st_ino
        assert os.stat(path).st_ino == inode


def test_a_lock_file_that_was_removed_is_locked_anew(path):
    with closing(WriterLock(path, 0)) as mine:
        with mine:
            os.unlink(path)
        with mine, pytest.raises(LedgerError), WriterLock(path, 0):
            pass


def test_removing_the_lock_file_while_it_is_held_lets_nobody_in(folder):
    """The log is locked too."""
    with Ledger(folder) as ledger, Ledger(folder, timeout=0.01) as other:
        append = ledger._book._append

        def append_while_other_tries(compose):
            def composed(state):
                os.unlink(folder / "events.lock")
                with pytest.raises(LedgerError, match="held"):
                    other.append(created("other"))
                return compose(state)

            return append(composed)

        ledger._book._append = append_while_other_tries
        ledger.append(created("mine"))
        assert other.append(created("other"))["seq"] == 2


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_without_locks_nothing_is_written_and_reading_works(folder, monkeypatch, number):
    with Ledger(folder) as ledger:
        ledger.append(created())
        tasks = ledger.tasks()
        before = content(folder)

        def refuse(_fd, operation):
            if operation != fcntl.LOCK_UN:
                raise OSError(number, os.strerror(number))

        monkeypatch.setattr(lock.fcntl, "flock", refuse)
        monkeypatch.setattr(lock, "network_kind", lambda _path: "nfs4")
        with pytest.raises(LedgerError, match="nfs4 keeps no locks"):
            ledger.append(created("u"))
        assert ledger.tasks() == tasks
        assert content(folder) == before


def test_without_fcntl_filelock_serves(path, monkeypatch):
    monkeypatch.setattr(lock, "fcntl", None)
    with WriterLock(path, 0), pytest.raises(filelock.Timeout), WriterLock(path, 0):
        pass


MOUNTS = """\
22 1 259:1 / / rw,relatime - ext4 /dev/root rw
30 22 0:40 / /home rw - nfs4 server:/home rw
31 30 0:41 / /home/me/with\\040space rw - tmpfs tmpfs rw
"""


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("/home/me/state", "nfs4"),
        ("/home", "nfs4"),
        ("/var", None),
        ("/home/me/with space/x", None),
        ("/homely", None),
    ],
)
def test_network_file_systems_are_told_apart(tmp_path, place, kind):
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)
    assert files.network_kind(place, str(mounts)) == kind
    assert files.network_kind(place, str(tmp_path / "none")) is None


def test_a_cache_on_a_network_keeps_no_shared_memory(folder, monkeypatch):
    monkeypatch.setattr("coordhooks.ledger.cache.network_kind", lambda _path: "nfs4")
    with Ledger(folder) as ledger:
        ledger.append(created())
        assert len(ledger.tasks()) == 1
        assert not list(folder.glob("*-shm"))
