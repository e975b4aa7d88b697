"""Public bug reports about JSONL logs (cases f01 to f09), and disks that fail."""

import errno
import json
import os
import subprocess
import sys

import pytest
from ledger.made import caches, content, created, log_of

from coordhooks.errors import LedgerError
from coordhooks.ledger import Damage, Ledger, log, read_log


@pytest.fixture
def one_event(folder):
    with Ledger(folder) as ledger:
        ledger.append(created("first"))
    return log_of(folder).read_bytes()


def read_back(folder):
    return [json.loads(line)["seq"] for line in log_of(folder).read_bytes().splitlines()]


def test_f01_a_torn_line_is_not_glued_to_the_next(folder, one_event):
    log_of(folder).write_bytes(one_event + b'{"seq":2,"eve')
    (damage,) = [found for found in read_log(folder) if isinstance(found, Damage)]
    assert damage.line == 2
    with Ledger(folder) as ledger:
        ledger.append(created("second"))
    assert read_back(folder) == [1, 2]


def test_f02_a_tear_inside_a_character(folder, one_event):
    log_of(folder).write_bytes(one_event + b'{"seq":2,"title":"caf\xc3')
    with Ledger(folder) as ledger:
        assert ledger.append(created("second", title="café"))["seq"] == 2
        assert ledger.task("second")["title"] == "café"
    assert read_back(folder) == [1, 2]


# f03 (records of any size from many processes) and f04 (a writer that opened early): test_processes.py


def test_f04_the_number_comes_from_the_log_whatever_happens_to_side_files(folder):
    with Ledger(folder) as early, Ledger(folder) as other:
        for n in range(6):
            assert (early, other)[n % 2].append(created(f"t{n}"))["seq"] == n + 1
            if n == 3:
                for path in caches(folder):
                    path.unlink()
    assert read_back(folder) == [1, 2, 3, 4, 5, 6]


def test_f05_a_last_line_of_2_mib(folder):
    with Ledger(folder) as ledger:
        for number in range(100):
            ledger.append(created(f"t{number}"))
        ledger.append(created("large", description="x" * 2 * 1024 * 1024))
    for is_cached in (True, False):
        if not is_cached:
            for path in caches(folder):
                path.unlink()
        with Ledger(folder) as ledger:
            assert ledger.append(created(f"next{is_cached}"))["seq"] == (102 if is_cached else 103)


def test_f06_no_open_append_or_look_up_reads_the_log(folder, monkeypatch):
    """What is read does not depend on the length: nothing but the last line."""
    with Ledger(folder) as ledger:
        for number in range(600):
            ledger.append(created(f"t{number}", description="x" * 1000))
    read, real = [], os.pread
    monkeypatch.setattr(log.os, "pread", lambda fd, size, at: read.append(real(fd, size, at)) or read[-1])
    with Ledger(folder) as ledger:
        ledger.append(created("next"))
        ledger.task("t5")
    limit = 2 * 256 * 1024  # bytes: how far a cache may be behind, and the block that holds the last line
    assert sum(map(len, read)) < limit < log_of(folder).stat().st_size


def test_f07_welded_and_binary_lines_stop_the_ledger_but_not_its_reader(folder):
    """Fail closed, naming the line; the reader gives every whole event and changes nothing."""
    with Ledger(folder) as ledger:
        for number in range(5):
            ledger.append(created(f"t{number}"))
    a, b, c, d, e = log_of(folder).read_bytes().splitlines(keepends=True)
    log_of(folder).write_bytes(a + b[:-1] + c + d + b"\x00\xff\xfe\n" + e)
    before = content(folder)
    with pytest.raises(LedgerError, match=r"line 2.*coord log"):
        Ledger(folder)
    found = list(read_log(folder))
    assert [event["seq"] for event in found if not isinstance(event, Damage)] == [1, 2, 3, 4, 5]
    assert [damage.line for damage in found if isinstance(damage, Damage)] == [4]
    assert content(folder) == before


def test_f08_a_whole_last_line_without_newline_is_kept(folder, one_event):
    log_of(folder).write_bytes(one_event[:-1])
    with Ledger(folder) as ledger:
        ledger.append(created("second"))
    assert log_of(folder).read_bytes().startswith(one_event)
    assert read_back(folder) == [1, 2]


@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_f08_a_log_that_goes_away_during_an_append_is_no_success(folder, one_event, monkeypatch, how):
    with Ledger(folder) as ledger:
        ledger.tasks()
        real = os.write

        def write(fd, data):
            if how == "deleted":
                log_of(folder).unlink()
            else:
                (folder / "rotated").write_bytes(one_event)
                (folder / "rotated").rename(log_of(folder))
            monkeypatch.undo()
            return real(fd, data)

        monkeypatch.setattr(os, "write", write)
        with pytest.raises(LedgerError, match="removed or replaced"):
            ledger.append(created("second"))
        expected = 1 if how == "deleted" else 2
        assert ledger.append(created("third"))["seq"] == expected
    assert read_back(folder) == list(range(1, expected + 1))


# f09 (no locks, planted symlinks, a lock file that is removed): test_lock.py and test_open.py


def test_short_writes_are_continued(folder, monkeypatch):
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:7]))
    with Ledger(folder) as ledger:
        ledger.append(created("t", description="x" * 5000))
        assert [made["payload"]["description"] for made in ledger.events()] == ["x" * 5000]


@pytest.mark.parametrize("written", [0, 1, 50])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_full_disk_refuses_the_event_and_leaves_the_log_as_it_was(
    folder, one_event, monkeypatch, written, code
):
    with Ledger(folder) as ledger:
        left, real = [written], os.write

        def write(fd, data):
            if not left[0]:
                raise OSError(code, os.strerror(code))
            size = real(fd, data[: left[0]])
            left[0] -= size
            return size

        monkeypatch.setattr(os, "write", write)
        with pytest.raises(LedgerError, match="nothing was recorded"):
            ledger.append(created("second"))
        assert log_of(folder).read_bytes() == one_event
        monkeypatch.undo()
        assert ledger.append(created("second"))["seq"] == 2


def test_a_failed_fsync_refuses_the_event(folder, one_event, monkeypatch):
    def fsync(_fd):
        monkeypatch.undo()
        raise OSError(errno.EIO, "Input/output error")

    with Ledger(folder) as ledger:
        ledger.tasks()
        monkeypatch.setattr(os, "fsync", fsync)
        with pytest.raises(LedgerError, match="nothing was recorded"):
            ledger.append(created("second"))
        assert [task["task_id"] for task in ledger.tasks()] == ["first"]
    assert log_of(folder).read_bytes() == one_event


def test_an_event_is_durable_before_anybody_sees_it(folder, monkeypatch):
    seen, real = [], os.fsync
    with Ledger(folder) as ledger, Ledger(folder, timeout=0.01) as reader:

        def fsync(fd):
            if os.fstat(fd).st_ino == log_of(folder).stat().st_ino:
                with pytest.raises(LedgerError, match="held"):
                    seen.append(reader.tasks())
            real(fd)

        monkeypatch.setattr(os, "fsync", fsync)
        ledger.append(created())
        assert seen == []
        assert len(reader.tasks()) == 1


def test_appending_imports_nothing_slow(tmp_path):
    """What a hook pays for: no jsonschema, no filelock (90 ms), no typing (10 ms)."""
    program = (
        "import sys; from coordhooks.ledger import Ledger; ledger = Ledger(sys.argv[1]);"
        "ledger.append({'type': 'StandupAdvisory', 'surface': 'cli', 'payload': {}});"
        "print(*sys.modules)"
    )
    command = [
        sys.executable,
        "-S",
        "-c",
        f"import sys; sys.path[:0] = {sys.path!r}; {program}",
        str(tmp_path / "l"),
    ]
    loaded = set(subprocess.run(command, capture_output=True, check=True, text=True).stdout.split())
    slow = {
        "jsonschema",
        "fastjsonschema",
        "filelock",
        "typing",
        "dataclasses",
        "pathlib",
        "logging",
        "tempfile",
    }
    assert not loaded & slow
