"""Is it alive? Real processes, killed; places that can't be compared; clocks that jump."""

import os
from collections.abc import Callable

import pytest
from store.support import (
    DAY,
    NOBODY,
    START,
    YEAR,
    Clock,
    Sleeper,
    elsewhere,
    events,
    held,
    needs_root,
    set_column,
)

from coordhooks import process
from coordhooks.errors import ClaimRefused
from coordhooks.store.coordstore import CoordStore

Agent = Callable[..., str]
Start = Callable[[], Sleeper]


def refused(store: CoordStore, who: str, name: str = "x") -> bool:
    try:
        store.claim(who, [name])
    except ClaimRefused:
        return True
    return False


@pytest.mark.parametrize("how", ["kill", "kill_only"], ids=["gone", "zombie"])
def test_the_lease_of_a_killed_agent_blocks_nobody(
    store: CoordStore, agent: Agent, sleeper: Start, how: str
) -> None:
    process_ = sleeper()
    dead, other = agent("A", process=process_.identity), agent("B")
    store.claim(dead, ["x"], ttl_seconds=YEAR)
    assert refused(store, other)
    getattr(process_, how)()
    assert not refused(store, other)
    assert held(store) == {"x": other}
    assert events(store, "runtime_ended")[-1]["details"] == {"reason": "found_dead", "leases_released": 1}


@pytest.mark.parametrize(
    "column",
    [{"pid_start": "1"}, {"pid_boot": "00000000-0000-0000-0000-000000000000"}],
    ids=["reused", "boot"],
)
def test_a_pid_of_another_process_or_boot_is_dead(
    store: CoordStore, agent: Agent, sleeper: Start, column: dict
) -> None:
    """A pid alone proves nothing: it is reused, and so it is after a restart of the machine."""
    who = agent("A", process=sleeper().identity)
    store.claim(who, ["x"], ttl_seconds=YEAR)
    set_column(store, who, **column)
    assert not refused(store, agent("B"))


@pytest.mark.parametrize(
    "change",
    [{"pid_ns": 1}, {"host": "another"}, {"boot": None}, {"start": None}, {"pid": None}, {"host": None}],
    ids=lambda change: next(iter(change)),
)
def test_what_cannot_be_compared_lives_by_its_heartbeat(
    store: CoordStore, agent: Agent, sleeper: Start, clock: Clock, change: dict
) -> None:
    one = sleeper()
    who = elsewhere(one.identity, **change)
    store.claim(agent("A", process=who, ttl_seconds=60), ["x"], ttl_seconds=YEAR)
    other = agent("B", ttl_seconds=1e6)
    if change != {"start": None}:  # that it is gone can be seen without a start
        one.kill()
    assert refused(store, other)
    clock.advance(59)
    assert refused(store, other)
    clock.advance(1)
    assert not refused(store, other)


def test_a_live_process_with_an_expired_heartbeat_is_renewed_on_the_spot(
    store: CoordStore, agent: Agent, sleeper: Start, clock: Clock
) -> None:
    who = agent("A", process=sleeper().identity, ttl_seconds=60)
    store.claim(who, ["x"], ttl_seconds=1e6)
    clock.advance(8 * 3600)
    assert refused(store, agent("B"))
    row = next(row for row in store.live_instances() if row["runtime_id"] == who)
    assert row["heartbeat_at"] == clock.now
    assert row["expires_at"] == clock.now + 60
    assert store.claim(who, ["y"]) == ["y"]


def test_a_silent_subagent_dies_although_the_shared_process_lives(
    store: CoordStore, agent: Agent, sleeper: Start, clock: Clock
) -> None:
    shared = sleeper().identity
    parent = agent("A", process=shared, ttl_seconds=60)
    child = agent("A", process=shared, parent=parent, agent_id="sub", ttl_seconds=60)
    store.claim(child, ["x"], ttl_seconds=YEAR)
    clock.advance(61)
    assert [row["runtime_id"] for row in store.live_instances()] == [parent]
    assert held(store) == {}


def test_a_started_session_has_a_process_of_its_own(
    store: CoordStore, agent: Agent, sleeper: Start, clock: Clock
) -> None:
    parent = agent("A", process=sleeper().identity, ttl_seconds=60)
    below = agent("B", process=sleeper().identity, parent=parent, ttl_seconds=60)
    clock.advance(3600)
    assert {row["runtime_id"] for row in store.live_instances()} == {parent, below}


def test_a_resume_after_a_kill_carries_over(store: CoordStore, agent: Agent, sleeper: Start) -> None:
    one = sleeper()
    old = agent("A", process=one.identity)
    store.send_message(agent("S"), recipient=old, body="unread")
    one.kill()
    heir = agent("A", process=sleeper().identity)
    assert [d["body"] for d in store.inbox(heir)] == ["unread"]


# -- clocks that jump -------------------------------------------------------------------------------------


def test_a_lease_made_under_a_wrong_clock_is_capped_at_its_ttl(
    store: CoordStore, agent: Agent, clock: Clock
) -> None:
    clock.now = START + 9 * YEAR
    wrong = agent("A", ttl_seconds=DAY)
    store.claim(wrong, ["x"], ttl_seconds=60)
    clock.now = START
    other = agent("B", ttl_seconds=DAY)
    with pytest.raises(ClaimRefused) as caught:
        store.claim(other, ["x"])
    assert caught.value.conflicts[0]["expires_at"] == START + 60
    clock.advance(60)
    assert not refused(store, other)


def test_a_heartbeat_of_a_wrong_clock_is_capped_at_its_ttl(
    store: CoordStore, agent: Agent, clock: Clock
) -> None:
    clock.now = START + 9 * YEAR
    agent("A", ttl_seconds=60)
    clock.now = START
    assert len(store.live_instances()) == 1
    clock.advance(61)
    assert store.live_instances() == []


def test_a_clock_a_day_back_neither_crashes_nor_extends(
    store: CoordStore, agent: Agent, clock: Clock
) -> None:
    a, b = agent("A", ttl_seconds=900), agent("B", ttl_seconds=900)
    store.claim(a, ["x"], ttl_seconds=600)
    clock.advance(-DAY)
    assert refused(store, b)
    clock.advance(601)
    assert not refused(store, b)


@pytest.mark.parametrize("alive", [True, False])
def test_eight_hours_of_sleep_are_symmetric(
    store: CoordStore, agent: Agent, sleeper: Start, clock: Clock, alive: bool
) -> None:
    """Never do both write: either the holder keeps it, or it is gone for its former holder too."""
    holder = agent("A", process=sleeper().identity if alive else None, ttl_seconds=900)
    store.claim(holder, ["x"], ttl_seconds=DAY if alive else 1800)
    clock.advance(8 * 3600)
    contender = agent("B")
    first = not refused(store, contender)
    second = alive and not refused(store, holder)
    assert (first, second) == (not alive, alive)


# -- the looking itself -----------------------------------------------------------------------------------


def test_ones_own_process_is_alive() -> None:
    here = process.Here()
    assert process.alive(process.identity(os.getpid(), here), here) is True


@needs_root
def test_a_process_of_another_user_is_alive(sleeper: Start) -> None:
    import subprocess

    other = subprocess.Popen(["sleep", "600"], user=NOBODY)
    try:
        here = process.Here()
        assert process.alive(process.identity(other.pid, here), here) is True
    finally:
        other.kill()
        other.wait()
