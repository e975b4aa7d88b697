"""The file: who may read it, what may stand in its place, and that a store that can't be read never says "free"."""

import contextlib
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from store.support import NOBODY, Clock, as_nobody, give_away, held, mode, needs_root

from coordhooks.errors import ClaimRefused, StoreUnavailable
from coordhooks.store import db as db_module
from coordhooks.store.coordstore import CoordStore
from coordhooks.store.db import PAGE_SIZE, Transaction

PARTS = ("", "-wal", "-shm")


@pytest.fixture
def loose_umask() -> object:
    before = os.umask(0)
    yield
    os.umask(before)


def made(path: Path) -> Path:
    """A good store with one lease in it, closed."""
    store = CoordStore(path)
    store.claim(store.register_instance("A"), ["x"])
    store.close()
    return path


# -- modes ------------------------------------------------------------------------------------------------


def test_everything_is_private_whatever_the_umask(db_path: Path, loose_umask: None) -> None:
    deep = db_path.parent / "new" / "folders" / "coord.db"
    store = CoordStore(deep)
    store.register_instance("A")
    assert {part: mode(f"{deep}{part}") for part in PARTS} == dict.fromkeys(PARTS, 0o600)
    assert {mode(folder) for folder in [deep.parent, deep.parent.parent, db_path.parent]} == {0o700}
    assert sorted(os.listdir(deep.parent)) == ["coord.db", "coord.db-shm", "coord.db-wal"]
    store.close()


def test_loose_modes_are_tightened(db_path: Path) -> None:
    first = CoordStore(db_path)
    first.register_instance("A")
    for part in PARTS:
        os.chmod(f"{db_path}{part}", 0o666)
    db_path.parent.chmod(0o777)
    second = CoordStore(db_path)
    assert {mode(f"{db_path}{part}") for part in PARTS} == {0o600}
    assert mode(db_path.parent) == 0o700
    first.close()
    second.close()


def test_a_folder_that_is_shared_by_design_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "like-tmp").mkdir()
    (tmp_path / "like-tmp").chmod(0o1777)
    CoordStore(tmp_path / "like-tmp" / "coord.db").close()
    assert os.stat(tmp_path / "like-tmp").st_mode & 0o7777 == 0o1777


# -- what stands in its place -----------------------------------------------------------------------------


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("target", ["file", "nothing"])
def test_a_link_in_its_place_is_refused_and_its_target_untouched(
    db_path: Path, tmp_path: Path, part: str, target: str
) -> None:
    made(db_path)
    victim = tmp_path / "victim"
    if target == "file":
        victim.write_text("precious")
        victim.chmod(0o644)
    place = Path(f"{db_path}{part}")
    place.unlink(missing_ok=True)
    place.symlink_to(victim)
    with pytest.raises(StoreUnavailable, match="not a regular file"):
        CoordStore(db_path)
    assert victim.exists() is (target == "file")
    if target == "file":
        assert (victim.read_text(), mode(victim)) == ("precious", 0o644)


@pytest.mark.parametrize("plant", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_what_is_no_file_is_refused(db_path: Path, plant: Callable) -> None:
    db_path.parent.mkdir()
    plant(db_path)
    with pytest.raises(StoreUnavailable, match="not a regular file"):
        CoordStore(db_path)


@needs_root
@pytest.mark.parametrize("part", ["folder", *PARTS])
def test_what_belongs_to_another_user_is_refused_by_name(db_path: Path, part: str) -> None:
    made(db_path)
    place = db_path.parent if part == "folder" else Path(f"{db_path}{part}")
    place.touch()
    os.chown(place, NOBODY, NOBODY)
    with pytest.raises(StoreUnavailable, match=f"{place.name} belongs to user {NOBODY}"):
        CoordStore(db_path)


def test_a_folder_above_that_is_a_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    with pytest.raises(StoreUnavailable, match="state"):
        CoordStore(tmp_path / "state" / "coord.db")


def test_a_linked_folder_is_fine(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "state").symlink_to(tmp_path / "disk")
    CoordStore(tmp_path / "state" / "coord.db").close()
    assert (tmp_path / "disk" / "coord.db").is_file()


# -- could not tell ---------------------------------------------------------------------------------------


def _drop(name: str) -> Callable[[Path], None]:
    def drop(path: Path) -> None:
        connection = sqlite3.connect(path)
        connection.execute(f"DROP TABLE {name}")
        connection.commit()
        connection.close()

    return drop


def _zero_page(name: str = "") -> Callable[[Path], None]:
    """Overwrite the first page of a table or index (by default the file's own) with zeros."""

    def zero(path: Path) -> None:
        connection = sqlite3.connect(path)
        found = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()
        connection.close()
        with path.open("r+b") as file:
            file.seek(PAGE_SIZE * (found[0] - 1) if found else 0)
            file.write(bytes(PAGE_SIZE))

    return zero


def _foreign(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE photos (name)")
    connection.commit()
    connection.close()


BROKEN = {
    "text": lambda path: path.write_text("This is no database.\n" * 500),
    "short text": lambda path: path.write_text("x"),
    "empty": lambda path: path.write_bytes(b""),
    "cut off": lambda path: os.truncate(path, PAGE_SIZE),
    "zeroed header": _zero_page(),
    "zeroed table": _zero_page("leases"),
    "zeroed index": _zero_page("sqlite_autoindex_leases_1"),
    "no leases": _drop("leases"),
    "no runtimes": _drop("runtimes"),
    "another program's": _foreign,
}


def ask(path: Path) -> object:
    store = CoordStore(path)
    try:
        return store.claim(store.register_instance("B"), ["x"])
    finally:
        store.close()


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_store_never_says_that_a_name_is_free(db_path: Path, name: str) -> None:
    made(db_path)
    BROKEN[name](db_path)
    before = db_path.read_bytes()
    with pytest.raises(StoreUnavailable) as caught:
        ask(db_path)
    assert str(db_path) in str(caught.value) or "another program" in str(caught.value)
    if not name.startswith(("no ", "zeroed ", "cut")) or name == "zeroed header":
        assert db_path.read_bytes() == before  # nothing is repaired, wiped or made anew


def test_a_store_that_breaks_while_it_is_open_says_so(db_path: Path) -> None:
    store = CoordStore(db_path)
    who = store.register_instance("A")
    _drop("leases")(db_path)
    with pytest.raises(StoreUnavailable, match="leases"):
        store.claim(who, ["x"])
    with pytest.raises(StoreUnavailable, match="leases"):
        store.active_leases()
    assert [row["runtime_id"] for row in store.live_instances()] == [who]
    store.close()


def test_an_empty_wal_beside_a_good_store_is_normal(db_path: Path) -> None:
    made(db_path)
    Path(f"{db_path}-wal").write_bytes(b"")
    with pytest.raises(ClaimRefused):
        ask(db_path)


NO_RIGHTS = """
path = sys.argv[1]
try:
    store = CoordStore(path)
    print("claimed", store.claim(store.register_instance("B"), ["x"]))
except StoreUnavailable as error:
    print("unavailable", error)
except ClaimRefused as error:
    print("refused", error)
"""


@pytest.mark.parametrize(
    ("name", "modes"),
    [
        ("no rights on the file", {"coord.db": 0o000}),
        ("no rights on the folder", {".": 0o000}),
        ("read-only folder", {".": 0o500}),
        ("read-only file", {"coord.db": 0o400}),
    ],
)
def test_without_rights_it_says_which_file(db_path: Path, name: str, modes: dict) -> None:
    made(db_path)
    give_away(db_path)
    give_away(db_path.parent)
    for place, rights in modes.items():
        (db_path.parent / place).chmod(rights)
    done = as_nobody(NO_RIGHTS, db_path)
    db_path.parent.chmod(0o700)
    assert done.stderr == ""
    assert done.stdout.startswith("unavailable")
    assert str(db_path.parent) in done.stdout


def test_a_read_only_home_is_named(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    give_away(home)
    home.chmod(0o500)
    done = as_nobody(NO_RIGHTS, home / ".local" / "state" / "coordhooks" / "coord.db")
    assert done.stderr == ""
    assert done.stdout.startswith("unavailable")
    assert str(home) in done.stdout
    assert os.listdir(home) == []


def _fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)


def _claim_much(store: CoordStore, who: str) -> None:
    for number in range(200):
        store.claim(who, [f"y{number}/" + "long" * 200])


@needs_root
def test_a_full_disk_is_reported_and_nothing_is_lost(tmp_path: Path) -> None:
    import subprocess

    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", disk], check=False)
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    store = CoordStore(disk / "state" / "coord.db")
    try:
        holder, other = store.register_instance("A"), store.register_instance("B")
        store.claim(holder, ["x"])
        with pytest.raises(OSError, match="space"):
            _fill(disk / "filler")
        with pytest.raises((ClaimRefused, StoreUnavailable)):
            store.claim(other, ["x"])
        with pytest.raises(StoreUnavailable, match=r"full|I/O"):
            _claim_much(store, holder)
        (disk / "filler").unlink()
        assert store.claim(holder, ["z"]) == ["z"]
        with pytest.raises(ClaimRefused):
            store.claim(other, ["x"])
    finally:
        store.close()
        subprocess.run(["umount", disk], check=True)


# -- WAL --------------------------------------------------------------------------------------------------


def test_it_is_in_wal_mode(store: CoordStore, db_path: Path) -> None:
    connection = sqlite3.connect(db_path)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_a_file_system_without_wal_is_worked_with(db_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pragma's answer is believed, not its request: over a network file system it says ``delete``."""
    asked = []

    def stubborn(_: object, pragma: str) -> str:
        asked.append(pragma)
        return "delete"

    monkeypatch.setattr(db_module, "_mode", stubborn)
    made(db_path)
    assert "PRAGMA journal_mode=WAL" in asked
    with pytest.raises(ClaimRefused):
        ask(db_path)


def test_a_locked_switch_is_tried_again(db_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, failures = db_module._mode, iter([True, True, False])

    def locked(connection: sqlite3.Connection, pragma: str) -> str:
        if next(failures, False):
            raise sqlite3.OperationalError("database is locked")
        return plain(connection, pragma)

    monkeypatch.setattr(db_module, "_mode", locked)
    made(db_path)
    assert next(failures, None) is None


# -- transactions -----------------------------------------------------------------------------------------


def test_an_error_takes_everything_back(store: CoordStore) -> None:
    def fail() -> None:
        with store.transaction() as tx:
            tx.audit("lost")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert store.audit_events() == []
    assert store.record_event("kept")


def test_a_clock_that_fails_leaves_no_transaction_behind(store: CoordStore, clock: Clock) -> None:
    def broken() -> float:
        raise OSError("no time")

    store.db.clock = broken
    with pytest.raises(OSError, match="no time"):
        store.record_event("x")
    store.db.clock = clock
    worked = []
    thread = threading.Thread(target=lambda: worked.append(store.record_event("y")))
    thread.start()
    thread.join(10)
    assert worked


def test_a_lock_held_too_long_is_an_error_with_the_files_name(store: CoordStore, db_path: Path) -> None:
    impatient = CoordStore(db_path, timeout=0.05)
    with store.transaction(), pytest.raises(StoreUnavailable, match=f"{db_path.name}: database is locked"):
        impatient.record_event("x")
    assert impatient.record_event("y")
    impatient.close()


def test_reading_needs_no_lock(store: CoordStore, db_path: Path) -> None:
    other = CoordStore(db_path, timeout=0.05)
    with store.transaction() as tx:
        tx.audit("unfinished")
        assert other.audit_events() == []
    other.close()


def test_all_of_a_transaction_happens_at_one_moment(store: CoordStore, clock: Clock) -> None:
    with store.transaction() as tx:
        before = tx.now
        clock.advance(100)
        assert tx.now == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_opens_the_store_anew(store: CoordStore) -> None:
    who = store.register_instance("A")
    parent = store.db.connection()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            store.claim(who, ["from the child"])
            code = 0 if store.db.connection() is not parent else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert store.claim(who, ["from the parent"])
    assert held(store) == {"from the child": who, "from the parent": who}


def test_threads_share_a_store(store: CoordStore) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def work(number: int) -> str:
        who = store.register_instance(f"conv-{number}")
        store.claim(who, [f"own/{number}"])
        store.send_message(who, recipient=who, body=str(number))
        return store.inbox(who)[0]["body"]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(40))) == [str(number) for number in range(40)]
    assert len(held(store)) == 40


def test_of_many_threads_one_wins(store: CoordStore) -> None:
    agents = [store.register_instance(f"conv-{number}") for number in range(8)]
    barrier, won = threading.Barrier(8), []

    def race(who: str) -> None:
        barrier.wait()
        with contextlib.suppress(ClaimRefused):
            won.append(store.claim(who, ["x"]))

    threads = [threading.Thread(target=race, args=(who,)) for who in agents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert won == [["x"]]


def test_closing_twice_is_harmless(db_path: Path) -> None:
    store = CoordStore(db_path)
    store.close()
    store.close()


def test_a_relative_path_is_that_of_the_opening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = CoordStore("sub/coord.db")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    store.record_event("x")
    store.close()
    assert os.listdir(tmp_path / "other") == []


def test_a_folder_of_any_name_will_do(tmp_path: Path) -> None:
    for name in ("a b", "c?mode=ro", "d#e", "f%20g", "é", os.fsdecode(b"\xff\xfe")):
        made(tmp_path / name / "coord.db")
        assert (tmp_path / name / "coord.db").is_file()


def test_half_made_stores_do_not_stay(db_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> None:
        raise sqlite3.OperationalError("disk full")

    monkeypatch.setattr(db_module.migrations, "migrate", broken)
    with pytest.raises(StoreUnavailable, match="disk full"):
        CoordStore(db_path)
    assert os.listdir(db_path.parent) == []


def test_without_hard_links_a_store_is_made_too(db_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", unsupported)
    made(db_path)
    assert sorted(os.listdir(db_path.parent)) == ["coord.db"]


def test_the_connection_is_fit_after_a_failed_commit(
    store: CoordStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing:
        def __init__(self, connection: sqlite3.Connection) -> None:
            self.connection = connection
            self.in_transaction = True

        def execute(self, sql: str, *values: object) -> object:
            if sql == "COMMIT":
                raise sqlite3.OperationalError("disk I/O error")
            return self.connection.execute(sql, *values)

    def fail() -> None:
        with Transaction(store.db) as tx:
            tx.audit("lost")
            tx.connection = Failing(tx.connection)

    with pytest.raises(StoreUnavailable, match="I/O"):
        fail()
    assert store.record_event("kept")
    assert [event["event"] for event in store.audit_events()] == ["kept"]


def test_the_folder_may_go_and_come_back(db_path: Path) -> None:
    made(db_path)
    shutil.rmtree(db_path.parent)
    made(db_path)
