"""The ledger's folder is not what it was: the log alone decides, and what can't be used is named."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hooks.agent import Agent
from hooks.tasklog import tasks, types
from hooks.world import World

from conditions import survival
from conditions.conftest import Tally
from coordhooks.errors import LedgerError
from coordhooks.ledger import Ledger


@pytest.fixture
def agents(world: World) -> tuple[Agent, Agent]:
    """Two agents with an open turn, so that there is a ledger."""
    return world.pair()


def folder_in_place(name: str) -> Callable[[Path], None]:
    def replace(ledger: Path) -> None:
        (ledger / name).unlink(missing_ok=True)
        (ledger / name).mkdir()
        (ledger / name / "photo").write_text("mine")

    return replace


def no_cache(ledger: Path) -> None:
    for path in ledger.glob("cache-*"):
        path.unlink()


TROUBLES: dict[str, Callable[[Path], object]] = {
    "no cache": no_cache,
    "a folder in the cache's place": folder_in_place("cache-1.sqlite3"),
    "a folder in the place of its -wal": folder_in_place("cache-1.sqlite3-wal"),
    "a folder in the place of its -shm": folder_in_place("cache-1.sqlite3-shm"),
    "a folder in the place of its journal": folder_in_place("cache-1.sqlite3-journal"),
    "a text in the cache's place": lambda ledger: (ledger / "cache-1.sqlite3").write_text("Shopping list\n" * 99),
    "no lock": lambda ledger: (ledger / "events.lock").unlink(),
    "a cut in the last line": lambda ledger: cut(ledger / "events.jsonl"),
    "a folder that others can enter": lambda ledger: ledger.chmod(0o777),
}  # fmt: skip


def cut(log: Path) -> None:
    log.write_bytes(log.read_bytes()[:-9])


@pytest.mark.parametrize("name", TROUBLES)
def test_the_next_hook_puts_it_right(
    world: World, agents: tuple[Agent, Agent], tally: Tally, name: str
) -> None:
    a, b = agents
    ledger = world.state / "ledger"
    before = tasks(world)
    TROUBLES[name](ledger)
    a.stop()
    survival.works_as_ever(world, a, b)
    assert not world.problems()
    assert [task["task_id"] for task in tasks(world)][: len(before)] == [task["task_id"] for task in before]
    assert types(world).count("Completed") == 2
    tally(name, 1)


LOST = {"a folder in the log's place": "events.jsonl", "a folder in the lock's place": "events.lock"}


@pytest.mark.parametrize("name", LOST)
def test_what_can_not_be_put_right_is_named_and_stops_no_write(
    world: World, agents: tuple[Agent, Agent], tally: Tally, name: str
) -> None:
    a, b = agents
    folder_in_place(LOST[name])(world.state / "ledger")
    with pytest.raises(LedgerError, match="remove what is in its place") as caught:
        Ledger(world.state / "ledger")
    assert str(world.state / "ledger") in str(caught.value)
    assert not a.stop().stdout
    assert not a.write(world.repo / "src/a.py").denied
    assert b.write(world.repo / "src/a.py").denied.startswith("Not an error")
    assert "ledger" in world.problems()[0]["reason"]
    shutil.rmtree(world.state / "ledger" / LOST[name])
    survival.works_as_ever(world, a, b)
    tally(name, 1)


def test_a_ledger_on_a_disk_that_is_read_only(
    world: World, agents: tuple[Agent, Agent], tally: Tally
) -> None:
    a, b = agents
    place = str(world.state / "ledger")
    if subprocess.run(["mount", "--bind", place, place], check=False, capture_output=True).returncode:
        pytest.skip("a folder can be made read-only for root only by a mount")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", place], check=True)
        with pytest.raises(LedgerError, match=r"Read-only file system; `coord log` still shows") as caught:
            Ledger(place)
        assert place in str(caught.value)
        assert not survival.in_time(a.stop()).stdout
        assert not a.write(world.repo / "src/a.py").denied
        assert place in world.problems()[0]["reason"]
    finally:
        subprocess.run(["umount", place], check=True)
    survival.works_as_ever(world, b, a)
    tally("a ledger folder that is read-only", 1)
