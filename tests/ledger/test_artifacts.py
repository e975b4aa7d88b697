"""Content-addressed files."""

import hashlib
import os

import pytest

from coordhooks.errors import Invalid, LedgerError, NotFound
from coordhooks.ledger import files


@pytest.mark.parametrize("data", [b"", b"report", bytes(range(256)) * 4096])
def test_round_trip(ledger, data):
    ref = ledger.put_artifact(data)
    assert ref == hashlib.sha256(data).hexdigest()
    assert ledger.artifact(ref) == data


def test_a_repeat_writes_nothing(ledger, folder):
    ref = ledger.put_artifact(b"once")
    before = (folder / "artifacts" / ref).stat()
    assert ledger.put_artifact(b"once") == ref
    assert (folder / "artifacts" / ref).stat().st_ino == before.st_ino
    assert os.listdir(folder / "artifacts") == [ref]


@pytest.mark.parametrize(
    "ref", ["", "x", "../events.jsonl", "A" * 64, "a" * 63, "a" * 65, "a" * 63 + "\n", None, 5]
)
def test_a_malformed_reference_is_refused(ledger, ref):
    with pytest.raises(Invalid, match="reference"):
        ledger.artifact(ref)


def test_missing(ledger):
    with pytest.raises(NotFound):
        ledger.artifact("0" * 64)


def test_corrupt(ledger, folder):
    ref = ledger.put_artifact(b"true")
    (folder / "artifacts" / ref).write_bytes(b"false")
    with pytest.raises(Invalid, match="corrupt"):
        ledger.artifact(ref)


def test_a_symlink_is_refused(ledger, folder, tmp_path):
    ref = hashlib.sha256(b"x").hexdigest()
    (tmp_path / "x").write_bytes(b"x")
    (folder / "artifacts").mkdir()
    (folder / "artifacts" / ref).symlink_to(tmp_path / "x")
    with pytest.raises(LedgerError, match="symlink"):
        ledger.artifact(ref)


def test_a_failed_write_leaves_nothing(ledger, folder, monkeypatch):
    monkeypatch.setattr(files.os, "fsync", lambda _fd: (_ for _ in ()).throw(OSError(28, "No space left")))
    with pytest.raises(LedgerError, match="No space left"):
        ledger.put_artifact(b"x")
    assert os.listdir(folder / "artifacts") == []


def test_putting_one_looks_at_no_other_and_sweeps_what_a_kill_left(ledger, folder, monkeypatch):
    ledger.put_artifact(b"first")
    (folder / "left.1.0000.tmp").touch()
    os.utime(folder / "left.1.0000.tmp", (0, 0))
    looked, real = [], os.listdir
    monkeypatch.setattr(os, "listdir", lambda path: looked.append(str(path)) or real(path))
    ref = ledger.put_artifact(b"second")
    assert looked == [str(folder)]
    assert not list(folder.glob("*.tmp"))
    assert {path.name for path in (folder / "artifacts").iterdir()} > {ref}
