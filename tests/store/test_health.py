"""Is a store sound, where a damaged one is kept, and what hooks have left a trace."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from store.support import Clock, set_column

from coordhooks.errors import StoreUnavailable
from coordhooks.store import CoordStore, calls, health, untold


@pytest.fixture
def sound(store: CoordStore, db_path: Path) -> Path:
    """The file of a store that has been used and closed."""
    store.register_instance("A")
    store.close()
    return db_path


def test_a_sound_store_has_no_faults(sound: Path) -> None:
    assert health.faults(str(sound), 1) == []
    assert health.journal_mode(str(sound), 1) == "wal"


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def garble(path: Path) -> None:
    page = path.read_bytes()
    path.write_bytes(page[:1024] + b"\xff\xfe rubbish" * 512 + page[1024 + 10 * 512 :])


def text(path: Path) -> None:
    path.write_text("not a database\n" * 200)


def no_table(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE leases")
    database.close()


def no_column(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("ALTER TABLE untold DROP COLUMN last_at")
    database.close()


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (cut, "cut off"),
        (garble, ""),
        (text, "not a database"),
        (no_table, "table leases is missing"),
        (no_column, "column untold.last_at is missing"),
    ],
)
def test_damage_is_found_and_said(sound: Path, damage: Callable[[Path], None], says: str) -> None:
    damage(sound)
    found = health.faults(str(sound), 1)
    assert 0 < len(found) <= health.MAX_FAULTS
    assert says in " ".join(found)


def test_a_newer_store_that_has_more_is_sound(sound: Path) -> None:
    with sqlite3.connect(sound) as database:
        database.execute("ALTER TABLE leases ADD COLUMN newer")
    database.close()
    assert health.faults(str(sound), 1) == []


def test_a_busy_store_is_not_called_damaged(sound: Path) -> None:
    other = sqlite3.connect(sound, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(sqlite3.OperationalError) as caught:
        health.faults(str(sound), 0)
    other.close()
    assert not health.is_damage(caught.value)


def test_a_link_is_not_followed(sound: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(sound)
    with pytest.raises(StoreUnavailable, match="is a link"):
        health.faults(str(tmp_path / "link"), 1)


def test_setting_aside_takes_every_part_and_never_covers_another(tmp_path: Path) -> None:
    path, kept = tmp_path / "coord.db", []
    for number in range(2):
        for part in health.PARTS[: number + 2]:
            Path(f"{path}{part}").write_text(f"{number}{part}")
        kept.append(Path(health.set_aside(str(path), "now")))
        assert not any(Path(f"{path}{part}").exists() for part in health.PARTS)
    assert [folder.name for folder in kept] == ["coord.db.damaged-now", "coord.db.damaged-now-1"]
    assert [sorted(p.read_text() for p in folder.iterdir()) for folder in kept] == [
        ["0", "0-wal"], ["1", "1-shm", "1-wal"],
    ]  # fmt: skip


def test_a_whole_folder_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "ledger").mkdir()
    (tmp_path / "ledger" / "x").touch()
    kept = Path(health.move_aside(str(tmp_path / "ledger"), "now"))
    assert (kept / "x").exists()
    assert not (tmp_path / "ledger").exists()


def test_the_last_trace_of_each_hook_is_found(store: CoordStore, clock: Clock) -> None:
    begun = clock.now
    a = store.register_instance("A", ttl_seconds=1e9)
    set_column(store, a, harness="codex")
    with store.transaction() as tx:
        calls.open_(tx, a, "c1", "Bash")
        tx.audit("leases_released", a, reason="turn_over")
        tx.audit("leases_released", a, reason="something of a newer release")
        tx.audit("could_not_tell", None, failure={"harness": "codex", "event": "SessionEnd"})
        tx.audit("could_not_tell", None, failure={})
        untold.count(tx, a, "shell")
    clock.advance(7)
    with store.transaction() as tx:
        untold.count(tx, a, "shell")
        assert health.last_fired(tx) == {
            ("codex", "PreToolUse"): begun + 7,
            ("codex", "Stop"): begun,
            ("codex", "SessionEnd"): begun,
        }
        assert health.untold(tx) == [("codex", "shell", 2, begun + 7)]
