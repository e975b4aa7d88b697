"""Many processes at one store: one winner, no 'database is locked', nothing lost or doubled by kill -9."""

import random
import select
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.torture import count
from store.support import child, held, kill

from coordhooks.store.coordstore import CoordStore

SIXTEEN = 16

RACER = """
import sys
from coordhooks.errors import ClaimRefused
from coordhooks.store.coordstore import CoordStore
store = CoordStore(sys.argv[1])
who = store.register_instance("conv-" + sys.argv[2])
print(who, flush=True)
for line in sys.stdin:
    try:
        print("won" if store.claim(who, [line.strip()]) else "odd", flush=True)
    except ClaimRefused as error:
        print("lost to", error.conflicts[0]["runtime_id"], flush=True)
    except BaseException as error:
        print("failed", type(error).__name__, error, flush=True)
store.close()
"""

OPENER = """
import sys
sys.stdin.readline()
from coordhooks.store.coordstore import CoordStore
try:
    store = CoordStore(sys.argv[1])
    print(store.register_instance("conv-" + sys.argv[2]), flush=True)
    store.close()
except BaseException as error:
    print("failed", type(error).__name__, error, flush=True)
"""

CLAIMER = """
import sys
from coordhooks.store.coordstore import CoordStore
store = CoordStore(sys.argv[1])
who, number = sys.argv[2], 0
while True:
    name = f"{who}/{number}"
    store.claim(who, [name])
    print("+", name, flush=True)
    message = store.send_message(who, recipient="reader", body=name)
    print("m", message, flush=True)
    if number % 3 == 2:
        print("?", name, flush=True)
        store.release(who, [name])
        print("-", name, flush=True)
    number += 1
"""


@pytest.fixture
def racers(db_path: Path) -> Iterator[list[subprocess.Popen]]:
    started = [child(RACER, db_path, number) for number in range(SIXTEEN)]
    yield started
    for one in started:
        one.stdin.close()
        assert one.wait(30) == 0
        assert one.stderr.read() == ""
        one.stdout.close()
        one.stderr.close()


def test_sixteen_ask_for_one_free_name_at_once(racers: list[subprocess.Popen], db_path: Path) -> None:
    ids = [one.stdout.readline().strip() for one in racers]
    for number in range(count(12, 50)):
        for one in racers:
            one.stdin.write(f"round/{number}\n")
        for one in racers:  # all are already waiting, so the round begins with the first flush
            one.stdin.flush()
        answers = [one.stdout.readline().strip() for one in racers]
        winners = [who for who, answer in zip(ids, answers, strict=True) if answer == "won"]
        assert len(winners) == 1, answers
        assert answers.count(f"lost to {winners[0]}") == SIXTEEN - 1, answers
    store = CoordStore(db_path)
    assert len(held(store)) == count(12, 50)
    store.close()


@pytest.mark.parametrize("number", range(count(2, 30)))
def test_sixteen_first_openings_at_once(db_path: Path, number: int) -> None:
    """No folder, no file, no schema: each finds or makes the one store."""
    openers = [child(OPENER, db_path, number) for number in range(SIXTEEN)]
    for one in openers:
        one.stdin.write("go\n")
    for one in openers:
        one.stdin.flush()
    answers = [one.communicate(timeout=60) for one in openers]
    assert all(err == "" for _, err in answers)
    assert not [out for out, _ in answers if out.startswith("failed")]
    store = CoordStore(db_path)
    assert {row["runtime_id"] for row in store.live_instances()} == {out.strip() for out, _ in answers}
    store.close()
    assert sorted(path.name for path in db_path.parent.iterdir()) == ["coord.db"]


def _acknowledged(lines: list[str]) -> tuple[set[str], set[str], set[str]]:
    """What was certainly claimed, what was about to be released when the end came, and the messages sent."""
    kept: set[str] = set()
    unsure: set[str] = set()
    sent: set[str] = set()
    for mark, _, name in (line.partition(" ") for line in lines):
        if mark == "+":
            kept.add(name)
        elif mark == "m":
            sent.add(name)
        elif mark == "?":
            kept.discard(name)
            unsure = {name}
        else:
            unsure = set()
    return kept, unsure, sent


def test_kill_at_any_moment_loses_and_doubles_nothing(db_path: Path) -> None:
    store = CoordStore(db_path)
    reader = store.register_instance("reader", runtime_id="reader-id", ttl_seconds=1e6)
    who = store.register_instance("claimer", ttl_seconds=1e6)
    chance = random.Random(7)
    for _ in range(count(20, 200)):
        one = child(CLAIMER, db_path, who)
        one.stdin.close()
        assert one.stdout.readline().startswith("+")
        first = one.stdout.readline()
        select.select([], [], [], chance.random() * 0.05)  # any moment of the loop will do
        kill_after = child_output(one)
        lines = [f"+ {who}/0", first.strip(), *kill_after]
        kept, unsure, sent = _acknowledged([line for line in lines if line])
        _check(store, db_path, who, kept, unsure)
        delivered = [d["message_id"] for d in store.inbox(reader, limit=10_000)]
        assert len(delivered) == len(set(delivered))
        assert sent <= set(delivered)
        assert len(set(delivered) - sent) <= 1  # the one that was sent, but not said so any more
        store.ack(reader, delivered)
        store.release(who, list(held(store)))
    store.close()


def child_output(one: subprocess.Popen) -> list[str]:
    """Kill it, and read the whole lines that it had written."""
    one.kill()
    text = one.stdout.read()
    one.wait()
    assert one.stderr.read() == ""
    one.stdout.close()
    one.stderr.close()
    return text.split("\n")[:-1]


def _check(store: CoordStore, path: Path, who: str, kept: set[str], unsure: set[str]) -> None:
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert connection.execute("SELECT count(*) FROM leases").fetchone()[0] == len(held(store))
    orphans = "SELECT count(*) FROM deliveries WHERE message_id NOT IN (SELECT message_id FROM messages)"
    assert connection.execute(orphans).fetchone() == (0,)
    claimed = connection.execute("SELECT count(*) FROM audit WHERE event = 'leases_claimed'").fetchone()[0]
    connection.close()
    now = set(held(store))
    assert kept <= now
    assert len(now - kept - unsure) <= 1  # the one that was claimed, but not said so any more
    assert claimed >= len(now)
    assert set(held(store).values()) <= {who}
    fresh = CoordStore(path)
    assert held(fresh) == held(store)
    fresh.close()


def test_a_killed_writer_does_not_block_the_next(db_path: Path) -> None:
    store = CoordStore(db_path)
    holder = child(
        "import sys\nfrom coordhooks.store.coordstore import CoordStore\n"
        "store = CoordStore(sys.argv[1])\n"
        "with store.transaction() as tx:\n    tx.audit('unfinished')\n    print('in', flush=True)\n    sys.stdin.read()",
        db_path,
    )
    assert holder.stdout.readline() == "in\n"
    kill(holder)
    assert store.record_event("next")
    assert [event["event"] for event in store.audit_events()] == ["next"]
    store.close()
