"""Leasing, renewing and expiring tasks, and what a scheduler sees."""

import pytest
from ledger.made import START, created, event, owned

from coordhooks.errors import Conflict, Invalid, NotFound
from coordhooks.ledger import Ledger


@pytest.fixture
def task(ledger):
    ledger.append(created())
    return ledger.lease("t", "h1", 60)


def epoch(task):
    return task["lease"]["lease_epoch"]


@pytest.mark.parametrize("ttl", [0, -1, "60", None, True, float("nan"), float("inf")])
def test_a_ttl_is_a_positive_number(ledger, ttl):
    ledger.append(created())
    with pytest.raises(Invalid, match="ttl"):
        ledger.lease("t", "h1", ttl)


def test_a_lease_ends_after_its_ttl(task):
    assert task["lease"]["until_ns"] == int((START + 60) * 1e9)


def test_only_a_queued_task_can_be_leased(ledger, task):
    with pytest.raises(Conflict, match="queued"):
        ledger.lease("t", "h2", 60)
    with pytest.raises(NotFound):
        ledger.lease("nobody", "h2", 60)


def test_an_optimistic_lease(ledger):
    ledger.append(created())
    with pytest.raises(Conflict, match="expected_version"):
        ledger.lease("t", "h1", 60, expected_version=2)
    assert ledger.lease("t", "h1", 60, expected_version=1)["version"] == 2


def test_renewing_needs_owner_epoch_and_version(ledger, task, clock):
    clock.now += 30
    for harness, name, version in (("h2", epoch(task), 2), ("h1", "old", 2), ("h1", epoch(task), 1)):
        with pytest.raises(Conflict):
            ledger.renew_lease("t", harness, name, version, 60)
    renewed = ledger.renew_lease("t", "h1", epoch(task), 2, 60)
    assert renewed["lease"]["until_ns"] == int((START + 90) * 1e9)
    assert epoch(renewed) == epoch(task)


def test_only_a_lease_that_has_ended_expires(ledger, task):
    assert not ledger.expire_lease("t", START + 59)
    assert ledger.expire_lease("t", START + 60)
    after = ledger.task("t")
    assert (after["state"], after["attempt"], after["failure_class"]) == ("queued", 1, "lease_expired")
    assert not ledger.expire_lease("t", START + 60)


def test_the_expiry_of_a_lease_that_was_just_renewed_is_refused(ledger, task, folder, clock, monkeypatch):
    """Between the look and the release the owner renews."""
    with Ledger(folder, clock=clock) as owner:
        look = ledger.task

        def look_and_be_overtaken(task_id):
            seen = look(task_id)
            owner.renew_lease("t", "h1", epoch(task), 2, 600)
            return seen

        monkeypatch.setattr(ledger, "task", look_and_be_overtaken)
        assert not ledger.expire_lease("t", START + 60)
    assert epoch(look("t")) == epoch(task)


def test_expire_all_due_spares_the_living_and_the_later(ledger, clock):
    for name, harness, ttl in (("a", "dead", 20), ("b", "alive", 10), ("c", "dead", 10), ("d", "dead", 99)):
        ledger.append(created(name))
        ledger.lease(name, harness, ttl)
    assert ledger.expire_leases(START + 30, is_alive=lambda harness: harness == "alive") == ["c", "a"]
    assert [made["state"] for made in ledger.tasks()] == ["queued", "leased", "queued", "leased"]


def test_the_snapshot_has_open_tasks_and_active_leases(ledger, task):
    for name in ("a", "b", "c"):
        ledger.append(created(name))
    ledger.lease("a", "h1", 60)
    ledger.lease("b", "h2", 60)
    ledger.append(event("TaskCompleted", "c", 2))
    ledger.append(owned("TaskNeedsAttention", 3, lease_epoch=epoch(task)))
    snapshot = ledger.scheduling_snapshot()
    assert [made["task_id"] for made in snapshot["tasks"]] == ["t", "a", "b"]
    assert snapshot["active_leases"] == {"h1": 2, "h2": 1}


def test_look_ups(ledger, task):
    assert ledger.task_by_source("s", "t") == ledger.task("t") == task
    assert ledger.tasks() == [task]
    for ask in (lambda: ledger.task("x"), lambda: ledger.task_by_source("s", "x")):
        with pytest.raises(NotFound, match="'x'"):
            ask()


def test_events_after_a_seq(ledger, task):
    assert [made["seq"] for made in ledger.events()] == [1, 2]
    assert [made["seq"] for made in ledger.events(1)] == [2]
    assert list(ledger.events(2)) == list(ledger.events(99)) == []
