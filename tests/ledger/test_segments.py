"""Sealing: a log in many segments is one log, after a kill at any point, and damage to any of them is noticed."""

import os
import re
import shutil
import signal

import pytest
from ledger.made import caches, content, created, event, leased, log_of, owned, quota

from coordhooks.errors import Invalid
from coordhooks.ledger import Damage, Ledger, book, read_log

TITLE = "x" * 100


@pytest.fixture(autouse=True)
def sealed_often(monkeypatch):
    monkeypatch.setattr(book, "SEAL_BYTES", 1500)


@pytest.fixture
def history(folder, clock):
    """A closed log of four segments, with a task that lives through all of them."""
    with Ledger(folder, clock=clock) as ledger:
        for made in (created("old"), leased("old"), quota("h", 3)):
            ledger.append(made)
        for number in range(13):
            ledger.append(created(f"t{number}", title=TITLE))
        ledger.append(owned("TaskCompleted", 3, "old"))
    assert sealed(folder) == ["events-1.jsonl", "events-2.jsonl", "events-3.jsonl"]
    return folder


def sealed(folder):
    return sorted(path.name for path in folder.glob("events-*.jsonl"))


def uncached(folder):
    for path in caches(folder):
        path.unlink()


def projection(folder):
    with Ledger(folder) as ledger:
        assert ledger.verify()
        return ledger.tasks(), ledger.leases(), ledger.quota_since("h", 0), list(ledger.events())


def test_the_events_are_those_of_a_log_in_one_file(history, tmp_path, monkeypatch):
    lines = [
        line
        for path in (*sealed(history), "events.jsonl")
        for line in (history / path).read_bytes().splitlines(True)
    ]
    whole = tmp_path / "whole"
    whole.mkdir()
    log_of(whole).write_bytes(b"".join(line for line in lines if not line.startswith(b'{"checkpoint"')))
    monkeypatch.setattr(book, "SEAL_BYTES", 10**9)
    assert projection(history) == projection(whole)
    uncached(history)
    assert projection(history) == projection(whole)
    assert list(read_log(history)) == list(read_log(whole))


def test_history_is_read_from_any_event_on(history):
    with Ledger(history) as ledger:
        for since in range(18):
            assert [made["seq"] for made in ledger.events(since)] == list(range(since + 1, 18))
        first = next(ledger.events())
        corrected = event("TaskCorrected", "old", 4, corrects=first["id"], metadata={"title": "new"})
        assert ledger.append(corrected)["seq"] == 18


def test_whoever_opened_it_before_goes_on_and_reads_on(folder):
    with Ledger(folder) as one, Ledger(folder) as other, Ledger(folder) as reader:
        one.append(created("first"))
        ongoing = reader.events()
        next(ongoing)
        for number in range(20):
            made = (one, other)[number % 2].append(created(f"t{number}", title=TITLE))
            assert made["seq"] == number + 2
            assert reader.task(f"t{number}")["version"] == 1
        assert list(ongoing) == []
    assert len(sealed(folder)) > 2


@pytest.mark.parametrize("seen", [2, 6, 11])
def test_a_cache_from_before_several_seals_catches_up(folder, seen):
    with Ledger(folder) as ledger:
        for number in range(16):
            ledger.append(created(f"t{number}", title=TITLE))
            if number == seen:
                ledger.tasks()
                shutil.copytree(folder, folder.parent / "then")
    expected = projection(folder)
    for path in caches(folder):
        path.unlink()
    for path in caches(folder.parent / "then"):
        shutil.copy(path, folder)
    size = log_of(folder).stat().st_size + 1500 * (4 - seen // 5)
    with Ledger(folder, max_replay=size) as ledger:  # not from the beginning
        assert ledger.tasks() == expected[0]


def test_appending_and_looking_up_needs_no_sealed_segment(history):
    for name in sealed(history):
        (history / name).unlink()
    with Ledger(history) as ledger:
        assert ledger.task("t0")["title"] == TITLE
        assert ledger.append(created("next"))["seq"] == 18


def test_a_torn_tail_behind_a_checkpoint_is_set_aside(history):
    whole = log_of(history).read_bytes()
    log_of(history).write_bytes(whole + b'{"id":"torn')
    with Ledger(history) as ledger:
        (notice,) = ledger.notices
        assert ledger.append(created("next"))["seq"] == 18
        (torn,) = history.glob("*.torn-*")
        assert str(torn) in notice
        assert torn.read_bytes() == b'{"id":"torn'
        assert ledger.verify()
    assert log_of(history).read_bytes().startswith(whole)


# -- damage -------------------------------------------------------------------------------------------------


def change(path, old, new):
    text = path.read_bytes()
    assert re.search(old, text)
    path.write_bytes(re.sub(old, new, text, count=1))


DAMAGES = {
    "a sealed title is changed": ("events.jsonl|events-[34].jsonl", "events-2.jsonl", rb"xxx", b"xyx"),
    "a sealed title is longer": ("events-3.jsonl", "events-2.jsonl", rb"xxx", b"xxxx"),
    "a sealed event is taken out": ("events-3.jsonl", "events-2.jsonl", rb"(?m)^.{300,}\n", b""),
    "a sealed one is cut": ("events-3.jsonl", "events-2.jsonl", rb"(?s).{9}$", b""),
    "a line is none": ("events-2.jsonl line 3", "events-2.jsonl", rb"\A(.*\n.*\n).", rb"\1!"),
    "the sum of events": ("events.jsonl line 1", "events.jsonl", rb'"seq":\d+', b'"seq":1'),
    "the sum of bytes": ("events.jsonl line 1", "events.jsonl", rb'"length":\d+', b'"length":1'),
    "the digest": ("events.jsonl line 1", "events.jsonl", rb'"chain":"..', b'"chain":"zz'),
    "another digest": ("events.jsonl line 1", "events.jsonl", rb'"chain":"..', b'"chain":"'),
    "the number": ("events.jsonl line 1", "events.jsonl", rb'"segment":4', b'"segment":3'),
    "no checkpoint": ("events.jsonl line 1", "events.jsonl", rb"\A.*\n", b""),
    "nothing at all": ("events.jsonl line 1", "events.jsonl", rb"(?s)\A.*\Z", b""),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_refused_by_its_place_and_changes_nothing(history, name):
    place, file, old, new = DAMAGES[name]
    change(history / file, old, new)
    uncached(history)
    before = content(history)
    for _ in range(2):
        with pytest.raises(Invalid, match=place):
            Ledger(history)
    assert content(history) == before
    assert next(found["seq"] for found in read_log(history) if not isinstance(found, Damage)) == 1


def test_a_missing_one_is_refused_and_told_by_the_reader(history):
    (history / "events-2.jsonl").unlink()
    uncached(history)
    with pytest.raises(Invalid, match=r"events-2\.jsonl ends, which is missing"):
        Ledger(history)
    (damage,) = [found for found in read_log(history) if isinstance(found, Damage)]
    assert (damage.file, damage.reason) == ("events-2.jsonl", "the file is missing")


# -- kills and failures -------------------------------------------------------------------------------------

CALLS = ("link", "open", "write", "fsync", "rename")


def test_a_kill_before_every_call_of_a_seal_leaves_a_log_that_goes_on(tmp_path):
    """The last round is one in which nobody is killed any more."""
    ends = set()
    for number in range(100):
        folder = tmp_path / str(number)
        with Ledger(folder) as ledger:
            for n in range(4):
                ledger.append(created(f"t{n}", title=TITLE))
            was_killed = append_in_child(ledger, number)
        ends.add(len(sealed(folder)))
        with Ledger(folder) as ledger:
            assert [made["seq"] for made in ledger.events()] in ([1, 2, 3, 4], [1, 2, 3, 4, 5])
            seq = ledger.append(created("alive", title=TITLE))["seq"]
            assert seq == ledger.append(created("again", title=TITLE))["seq"] - 1
            assert ledger.verify()
            assert not ledger.notices or "torn" in ledger.notices[0]
        assert len(list(read_log(folder))) == seq + 1
        assert sealed(folder)[0] == "events-1.jsonl"
        if not was_killed:
            break
    assert not was_killed
    assert ends == {0, 1}


def append_in_child(ledger, number):
    """Append what makes the log long enough; was the child killed before its call ``number``?"""
    child = os.fork()
    if not child:
        calls: list[str] = []
        for name in CALLS:
            setattr(os, name, killed_at(name, calls, number))
        try:
            ledger.append(created("t4", title=TITLE))
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def killed_at(name, calls, number):
    """The first call that counts is the link: what is before it is an append, see test_processes.py."""
    real = getattr(os, name)

    def call(*args, **options):
        if calls or name == "link":
            calls.append(name)
        if len(calls) == number + 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **options)

    return call


@pytest.mark.parametrize("name", ["link", "rename"])
def test_a_log_that_cannot_be_sealed_goes_on_in_one_file(folder, monkeypatch, name):
    def refuse(*_args, **_options):
        raise PermissionError(1, "Operation not permitted")

    with Ledger(folder) as ledger:
        ledger.append(created("first"))
        monkeypatch.setattr(os, name, refuse)
        for number in range(9):
            assert ledger.append(created(f"t{number}", title=TITLE))["seq"] == number + 2
        (notice,) = ledger.notices
        assert "can't be sealed" in notice
        monkeypatch.undo()
        monkeypatch.setattr(book, "SEAL_BYTES", 1500)
        assert ledger.append(created("next"))["seq"] == 11
        assert ledger.verify()
    assert sealed(folder) == ["events-1.jsonl"]
    assert not list(folder.glob("*.tmp"))


def test_a_file_in_the_place_of_a_sealed_one_is_left_alone(folder):
    folder.mkdir()
    (folder / "events-1.jsonl").write_bytes(b"a backup\n")
    log_of(folder).touch()
    with pytest.raises(Invalid, match="sealed before it"):
        Ledger(folder)
    (folder / "events-1.jsonl").rename(folder / "kept")
    with Ledger(folder) as ledger:
        (folder / "kept").rename(folder / "events-1.jsonl")
        for number in range(9):
            ledger.append(created(f"t{number}", title=TITLE))
        assert ledger.verify()
        assert "can't be sealed" in ledger.notices[0]
    assert (folder / "events-1.jsonl").read_bytes() == b"a backup\n"
