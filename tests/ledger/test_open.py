"""Opening: from the log alone, whatever the cache is; closed on damage; mended only where a crash explains it."""

import json
import os
import shutil
import sqlite3
import stat
import time

import pytest
from ledger.made import caches, content, created, event, leased, log_of, owned, quota

from coordhooks.errors import Invalid, LedgerError
from coordhooks.ledger import Ledger, cache, replay


@pytest.fixture
def lines(folder, clock):
    """The lines of a log with five events; the ledger is closed."""
    with Ledger(folder, clock=clock) as ledger:
        for made in (created("t"), created("u"), leased(), quota("h", 3), owned("TaskNeedsAttention", 3)):
            ledger.append(made)
    return log_of(folder).read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("left", [0, 2, 4])
def test_events_that_are_gone_are_told_once(folder, lines, left):
    projection(folder)  # the cache knows them all
    log_of(folder).write_bytes(b"".join(lines[:left]))
    with Ledger(folder) as ledger:
        (notice,) = ledger.notices
        assert f"has {left} events where it had 5" in notice
    with Ledger(folder) as ledger:
        assert not ledger.notices


def projection(folder):
    with Ledger(folder) as ledger:
        return ledger.tasks(), ledger.scheduling_snapshot(), ledger.quota_since("h", 0), list(ledger.events())


# -- the cache changes nothing ------------------------------------------------------------------------------


def delete(folder):
    for path in caches(folder):
        path.unlink()


def truncate(folder):
    for path in caches(folder):
        os.truncate(path, path.stat().st_size // 2)


def empty(folder):
    for path in caches(folder):
        os.truncate(path, 0)


def garbage(folder):
    for path in caches(folder):
        path.write_bytes(b"not a database" * 1000)


def foreign_ledger(folder):
    shutil.rmtree(folder.parent / "foreign", ignore_errors=True)
    with Ledger(folder.parent / "foreign") as other:
        for number in range(9):
            other.append(created(f"foreign{number}"))
    (mine,) = folder.glob("cache-*.sqlite3")
    (theirs,) = (folder.parent / "foreign").glob("cache-*.sqlite3")
    shutil.copy(theirs, mine)


def foreign_database(folder):
    delete(folder)
    with sqlite3.connect(folder / "cache-1.sqlite3") as database:
        database.execute("CREATE TABLE tasks (foreign_column)")
    database.close()


def newer_format(folder):
    (path,) = folder.glob("cache-*.sqlite3")
    with sqlite3.connect(path) as database:
        database.execute(f"PRAGMA user_version = {cache.FORMAT + 1}")
    database.close()


def orphaned_write_ahead_log(folder):
    (path,) = folder.glob("cache-*.sqlite3")
    with sqlite3.connect(path) as database:
        database.execute("UPDATE tasks SET body = '{}'")
        shutil.copy(f"{path}-wal", folder / "keep")
    database.close()
    path.unlink()
    shutil.move(folder / "keep", f"{path}-wal")


def newest_of_many(folder):
    (path,) = folder.glob("cache-*.sqlite3")
    path.rename(folder / "cache-7.sqlite3")
    (folder / "cache-12.sqlite3").write_bytes(b"x")
    (folder / "cache-x.sqlite3").write_bytes(b"x")


DAMAGES = (
    *(delete, truncate, empty, garbage, foreign_ledger, foreign_database, newer_format),
    *(orphaned_write_ahead_log, newest_of_many),
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_bad_cache_changes_nothing(folder, lines, damage):
    expected = projection(folder)
    damage(folder)
    assert projection(folder) == expected
    if damage is not newest_of_many:
        damage(folder)
    with Ledger(folder) as ledger:
        assert ledger.append(created("next"))["seq"] == 6


@pytest.mark.parametrize("damage", [delete, garbage, truncate])
def test_a_cache_that_breaks_while_it_is_open_changes_nothing(folder, lines, damage):
    expected = projection(folder)
    with Ledger(folder) as ledger:
        ledger.tasks()
        damage(folder)
        assert ledger.tasks() == expected[0]
        assert ledger.append(created("next"))["seq"] == 6
        assert [task["task_id"] for task in ledger.tasks()] == ["t", "u", "next"]


def test_a_stale_cache_catches_up(folder, lines):
    (path,) = folder.glob("cache-*.sqlite3")
    shutil.copy(path, folder / "old")
    with Ledger(folder) as ledger:
        for number in range(150):
            ledger.append(created(f"more{number}"))
    expected = projection(folder)
    shutil.move(folder / "old", path)
    assert projection(folder) == expected


def test_a_wrong_cache_is_found_by_the_doctor(folder, lines):
    expected = projection(folder)
    (path,) = folder.glob("cache-*.sqlite3")
    with sqlite3.connect(path) as database:
        database.execute("UPDATE tasks SET body = replace(body, 'queued', 'failed')")
    database.close()
    with Ledger(folder) as ledger:
        assert not ledger.verify()
        assert ledger.verify()
    assert projection(folder) == expected


def test_a_hook_does_not_replay_a_long_log(folder, lines):
    delete(folder)
    with pytest.raises(LedgerError, match="doctor"):
        Ledger(folder, max_replay=100)
    assert len(projection(folder)[0]) == 2
    with Ledger(folder, max_replay=100) as ledger:
        ledger.append(created("new"))


# -- fail closed --------------------------------------------------------------------------------------------


def changed(line, **fields):
    return json.dumps(json.loads(line) | fields).encode() + b"\n"


DAMAGED_LOGS = {
    "gap in seq": (3, lambda ls: [*ls[:2], *ls[3:]]),
    "repeat of seq": (3, lambda ls: [*ls[:2], ls[1], *ls[2:]]),
    "version jump": (3, lambda ls: [*ls[:2], changed(ls[2], version=3), *ls[3:]]),
    "version repeat": (5, lambda ls: [*ls[:4], changed(ls[4], version=2)]),
    "created twice": (2, lambda ls: [ls[0], changed(ls[1], task_id="t"), *ls[2:]]),
    "unknown task": (3, lambda ls: [*ls[:2], changed(ls[2], task_id="x"), *ls[3:]]),
    "unknown type": (2, lambda ls: [ls[0], changed(ls[1], type="TaskVanished"), *ls[2:]]),
    "no payload": (2, lambda ls: [ls[0], changed(ls[1], payload=None), *ls[2:]]),
    "bad payload": (4, lambda ls: [*ls[:3], changed(ls[3], payload={"known": True}), ls[4]]),
    "same id": (2, lambda ls: [ls[0], changed(ls[1], id=json.loads(ls[0])["id"]), *ls[2:]]),
    "bad time": (4, lambda ls: [*ls[:3], changed(ls[3], at="then"), ls[4]]),
    "surrogate": (2, lambda ls: [ls[0], ls[1].replace(b'"u"', b'"\\ud800"'), *ls[2:]]),
    "not JSON": (2, lambda ls: [ls[0], b"}{\n", *ls[2:]]),
    "binary": (2, lambda ls: [ls[0], b"\xff\x00\xfe\n", *ls[2:]]),
    "blank line": (2, lambda ls: [ls[0], b"\n", *ls[1:]]),
    "welded": (1, lambda ls: [ls[0][:-1] + ls[1], *ls[2:]]),
    "nan": (4, lambda ls: [*ls[:3], ls[3].replace(b":3", b":NaN", 1), ls[4]]),
    "a bad whole last line": (6, lambda ls: [*ls, b'{"seq": 6\n']),
    "deep": (2, lambda ls: [ls[0], b"[" * 100_000 + b"\n", *ls[2:]]),
}


@pytest.mark.parametrize(("has_cache", "batch"), [(False, 1), (False, 5000), (True, 5000)])
@pytest.mark.parametrize("name", DAMAGED_LOGS)
def test_a_damaged_log_is_refused_naming_the_line_and_not_changed(
    folder, lines, monkeypatch, name, has_cache, batch
):
    """Also where what it contradicts is in the cache already."""
    monkeypatch.setattr(replay, "_BATCH_EVENTS", batch)
    number, damage = DAMAGED_LOGS[name]
    log_of(folder).write_bytes(b"".join(damage(lines)))
    if not has_cache:
        delete(folder)
    before = content(folder)
    with pytest.raises(Invalid, match=f"line {number}:"), Ledger(folder) as ledger:
        ledger.verify()
    assert content(folder) == before


def test_an_open_ledger_does_not_append_to_a_log_that_was_damaged_meanwhile(folder, lines):
    with Ledger(folder) as ledger:
        with log_of(folder).open("ab") as file:
            file.write(b"}{\n")
        before = content(folder)
        for call in (lambda: ledger.append(created("x")), ledger.tasks):
            with pytest.raises(Invalid, match="line 6"):
                call()
        assert content(folder) == before


def test_an_old_log_opens_although_it_breaks_rules_of_the_append(folder, lines):
    """Completed without the owner, leased again while leased: structure, order and versions are right."""
    more = [
        (3, created()["payload"] | {"handoff_ref": "gone"}, "TaskReleased", "t", 4),
        (4, {}, "TaskCompleted", "t", 5),
        (5, {"harness_id": "h9"}, "TaskLeased", "t", 6),
    ]
    for n, (_, payload, kind, task, version) in enumerate(more):
        lines.append(
            changed(
                lines[0], seq=6 + n, id=f"old{n}", payload=payload, type=kind, task_id=task, version=version
            )
        )
    log_of(folder).write_bytes(b"".join(lines))
    with Ledger(folder) as ledger:
        assert ledger.task("t")["lease"]["lease_epoch"] == "legacy:old2"


# -- torn tails ---------------------------------------------------------------------------------------------


def test_every_tear_of_the_last_line_leaves_a_ledger_that_goes_on(folder, lines, clock):
    whole, last = b"".join(lines[:-1]), lines[-1]
    for cut in (*range(1, 40), *range(40, len(last) - 1, 17), len(last) - 2):
        shutil.rmtree(folder)
        folder.mkdir()
        log_of(folder).write_bytes(whole + last[:cut])
        with Ledger(folder, clock=clock) as ledger:
            assert ledger.append(created("next"))["seq"] == 5
            (notice,) = ledger.notices
        (torn,) = folder.glob("*.torn-*")
        assert torn.read_bytes() == last[:cut]
        assert str(torn) in notice
        assert log_of(folder).read_bytes().startswith(whole + b'{"id"')


def test_a_valid_last_line_without_its_newline_is_kept(folder, lines):
    log_of(folder).write_bytes(b"".join(lines)[:-1])
    with Ledger(folder) as ledger:
        assert ledger.append(created("next"))["seq"] == 6
        assert not ledger.notices
    assert log_of(folder).read_bytes().startswith(b"".join(lines))
    assert not list(folder.glob("*.torn-*"))


def test_a_last_line_without_newline_that_is_not_next_is_set_aside(folder, lines):
    log_of(folder).write_bytes(b"".join(lines) + lines[-1][:-1])
    with Ledger(folder) as ledger:
        assert len(ledger.notices) == 1
    assert log_of(folder).read_bytes() == b"".join(lines)


# -- the log is replaced or removed -------------------------------------------------------------------------


def test_a_removed_log_is_an_empty_ledger(folder, lines):
    with Ledger(folder) as ledger:
        log_of(folder).unlink()
        assert ledger.tasks() == []
        assert ledger.append(created("fresh"))["seq"] == 1
    assert log_of(folder).read_bytes().count(b"\n") == 1


def test_a_replaced_log_is_followed(folder, lines):
    with Ledger(folder) as ledger:
        (folder / "new").write_bytes(b"".join(lines[:2]))
        (folder / "new").rename(log_of(folder))
        assert [task["version"] for task in ledger.tasks()] == [1, 1]
        assert ledger.append(event("TaskAmended", "u", 2, title="x"))["seq"] == 3
    assert len(log_of(folder).read_bytes().splitlines()) == 3


def test_a_shorter_log_is_followed(folder, lines):
    with Ledger(folder) as ledger:
        os.truncate(log_of(folder), len(lines[0]))
        assert [task["task_id"] for task in ledger.tasks()] == ["t"]


# -- who may read it ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777])
def test_everything_is_private_under_any_umask(folder, umask):
    old = os.umask(umask)
    try:
        ledger = Ledger(folder)
        ledger.append(created())
        ledger.put_artifact(b"secret")
        modes = {str(p): stat.S_IMODE(p.stat().st_mode) for p in (folder, *folder.rglob("*"))}
        ledger.close()
    finally:
        os.umask(old)
    assert {mode for path, mode in modes.items() if os.path.isdir(path)} == {0o700}
    assert {mode for path, mode in modes.items() if not os.path.isdir(path)} == {0o600}


def test_an_open_folder_is_closed_to_others(folder):
    folder.mkdir(mode=0o755)
    Ledger(folder).close()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["events.jsonl", "events.lock", "cache-1.sqlite3"])
def test_a_planted_symlink_is_refused_and_its_target_untouched(folder, tmp_path, name):
    target = tmp_path / ".bashrc"
    target.write_bytes(b"alias ls=ls\n")
    folder.mkdir()
    (folder / name).symlink_to(target)
    with pytest.raises(LedgerError, match="symlink"):
        Ledger(folder)
    assert target.read_bytes() == b"alias ls=ls\n"


@pytest.mark.skipif(os.getuid() != 0, reason="needs root")
def test_a_folder_of_another_user_is_refused_and_left_as_it_is(folder):
    folder.mkdir(mode=0o755)
    os.chown(folder, 65534, 65534)
    with pytest.raises(LedgerError, match=r"belongs to user 65534.*sudo chown"):
        Ledger(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert not list(folder.iterdir())


def test_what_a_killed_writer_left_is_swept(folder, lines):
    for name, age in (("a.1.00.tmp", 7200), ("b.2.00.tmp", 60), ("c", 7200)):
        (folder / name).touch()
        os.utime(folder / name, (time.time() - age,) * 2)
    log_of(folder).write_bytes(b"".join(lines)[:-5])
    with Ledger(folder):
        pass
    assert not (folder / "a.1.00.tmp").exists()
    assert {"b.2.00.tmp", "c"} <= {path.name for path in folder.iterdir()}


@pytest.mark.parametrize(
    "error", [sqlite3.OperationalError("attempt to write a readonly database"), PermissionError(1, "no")]
)
def test_a_folder_that_cannot_be_used_says_what_to_do(folder, monkeypatch, error):
    def refuse(*_):
        raise error

    monkeypatch.setattr(cache.Cache, "_prepare", refuse)
    with pytest.raises(LedgerError, match="check the folder's"):
        Ledger(folder)
