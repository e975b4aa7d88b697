"""The files of the store are not what they were: missing, from elsewhere, or of a newer release.

What can't be used is refused and left alone (``hooks/test_store_trouble.py``); here, what must go on by itself, and
that one `coord doctor --fix` is all that the rest needs.
"""

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.git import make_repository
from hooks.agent import Agent
from hooks.world import CHECKOUT, World

from conditions import survival
from conditions.conftest import Tally
from hooks import test_store_trouble as trouble


@pytest.fixture
def held(world: World) -> tuple[Agent, Agent]:
    """``sess-A`` holds src/a.py; everything is in the store's own file."""
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    world.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    return a, b


@pytest.fixture
def another(tmp_path: Path) -> World:
    """A store of somebody else, with leases of its own in its -wal."""
    (tmp_path / "away").mkdir()
    other = World(tmp_path / "away", make_repository(tmp_path / "away-repo"))
    try:
        for name in ("else-A", "else-B"):
            other.agent(name).write(other.repo / f"src/{name}.py")
        keep = sqlite3.connect(other.database)
        keep.execute("SELECT count(*) FROM runtimes").fetchone()
        for part in ("", "-wal", "-shm"):
            shutil.copy(f"{other.database}{part}", tmp_path / f"foreign{part}")
        keep.close()
    finally:
        other.close()
    return other


def part(world: World, suffix: str) -> Path:
    return Path(f"{world.database}{suffix}")


def noise(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 200)


BESIDE: dict[str, Callable[[World, Path], object]] = {
    "-shm missing": lambda world, foreign: part(world, "-shm").unlink(missing_ok=True),
    "-wal and -shm missing": lambda world, foreign: [part(world, s).unlink(missing_ok=True) for s in ("-wal", "-shm")],
    "-shm from another store": lambda world, foreign: shutil.copy(f"{foreign}-shm", part(world, "-shm")),
    "-shm of noise": lambda world, foreign: noise(part(world, "-shm")),
    "-shm of no bytes": lambda world, foreign: part(world, "-shm").write_bytes(b""),
    "-wal of noise": lambda world, foreign: noise(part(world, "-wal")),
    "-wal cut off in its header": lambda world, foreign: part(world, "-wal").write_bytes(b"\x37\x7f\x06\x82"),
    "-journal of noise": lambda world, foreign: noise(part(world, "-journal")),
}  # fmt: skip


@pytest.mark.parametrize("name", BESIDE)
def test_what_lies_beside_a_sound_store_changes_nothing(
    world: World, held: tuple[Agent, Agent], another: World, tmp_path: Path, tally: Tally, name: str
) -> None:
    a, b = held
    BESIDE[name](world, tmp_path / "foreign")
    assert survival.in_time(b.write(world.repo / "src/a.py")).denied.startswith("Not an error")
    assert not a.write(world.repo / "src/a.py").denied
    survival.works_as_ever(world, b, a)
    assert not world.problems()
    tally(name, 1)


def test_a_wal_from_another_store_is_never_taken_for_no_lease(
    world: World, held: tuple[Agent, Agent], another: World, tmp_path: Path, tally: Tally
) -> None:
    """SQLite can't tell it from the store's own. Whatever comes of it, two never write the same file."""
    a, b = held
    shutil.copy(tmp_path / "foreign-wal", part(world, "-wal"))
    replies = [survival.in_time(agent.write(world.repo / "src/a.py")) for agent in (b, a)]
    assert any(reply.denied for reply in replies)
    tally("-wal from another store", 1)


def doctor(world: World) -> None:
    """`coord doctor --fix`, by hand. It may have something else to say of a machine without hooks."""
    done = subprocess.run(
        [sys.executable, "-c", "from coordhooks.cli import main; main()", "doctor", "--fix"],
        cwd=CHECKOUT, env=world.environ, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr


def orphan_index(world: World) -> None:
    """An index in the schema whose table is not there."""
    connection = sqlite3.connect(world.database, isolation_level=None)
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute(
        "INSERT INTO sqlite_master VALUES ('index', 'orphan', 'gone', 3, 'CREATE INDEX orphan ON gone (x)')"
    )
    connection.close()


SET_ASIDE = [trouble.garble, trouble.truncate, trouble.empty, trouble.replace_by_text, trouble.drop_leases,
             orphan_index]  # fmt: skip


@pytest.mark.parametrize("damage", SET_ASIDE)
def test_one_repair_and_all_agents_go_on(
    world: World, held: tuple[Agent, Agent], tally: Tally, damage: Callable[[World], None]
) -> None:
    a, b = held
    damage(world)
    assert survival.in_time(b.write(world.repo / "src/a.py")).denied.startswith("Not written")
    doctor(world)
    survival.works_as_ever(world, a, b)
    tally(f"{damage.__name__.replace('_', ' ')}, then `coord doctor --fix`", 1)


def test_two_repairs_at_once_end_with_one_store(
    world: World, held: tuple[Agent, Agent], tally: Tally
) -> None:
    a, b = held
    trouble.replace_by_text(world)
    damaged = world.database.read_bytes()
    repairs = [threading.Thread(target=doctor, args=(world,)) for _ in range(3)]
    for repair in repairs:
        repair.start()
    for repair in repairs:
        repair.join()
    kept = [file.read_bytes() for file in world.state.glob("coord.sqlite3.damaged-*/coord.sqlite3")]
    assert kept == [damaged], "the damaged one is kept, once, and no sound one is set aside"
    survival.works_as_ever(world, a, b)
    tally("three `coord doctor --fix` at once", 1)


def test_a_page_of_zeros_anywhere(world: World, held: tuple[Agent, Agent], tally: Tally) -> None:
    """Each page in turn. Refused or judged, never a crash; and what it is judged by is no other agent's lease."""
    b = held[1]
    whole = world.database.read_bytes()
    pages = range(len(whole) // 1024)
    for page in pages:
        for suffix in ("-wal", "-shm"):
            part(world, suffix).unlink(missing_ok=True)
        world.database.write_bytes(whole[: page * 1024] + bytes(1024) + whole[(page + 1) * 1024 :])
        survival.in_time(b.write(world.repo / "src/a.py"))
        assert not survival.in_time(b.bash("true")).denied
    tally("one page of zeros, each in turn", len(pages))


def test_every_table_may_have_grown(world: World, held: tuple[Agent, Agent], tally: Tally) -> None:
    """A newer release has added a column to each table, a table and an index, and lets us read."""
    tables = [row["name"] for row in world.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    tables = [name for name in tables if not name.startswith("sqlite_")]
    for name in tables:
        world.rows(f"ALTER TABLE {name} ADD COLUMN of_the_future TEXT NOT NULL DEFAULT 'x'")
    world.rows("CREATE TABLE later (x)")
    world.rows("CREATE INDEX leases_later ON leases (of_the_future)")
    world.rows("PRAGMA user_version = 99")
    a, b = held
    survival.works_as_ever(world, a, b)
    assert not world.problems()
    assert not world.audit("could_not_tell")
    tally("a newer schema, each table with one more column", len(tables))


def test_a_link_in_the_place_of_a_journal_is_not_followed(world: World, held: tuple[Agent, Agent]) -> None:
    victim = world.home / "victim"
    victim.write_text("mine")
    os.symlink(victim, part(world, "-journal"))
    held[1].write(world.repo / "src/b.py")
    assert victim.read_text() == "mine"
