"""Transitions and fencing."""

import json

import pytest
from ledger.made import created, event, leased, log_of, owned

from coordhooks.errors import Conflict, NotFound
from coordhooks.ledger import Ledger

STATES = {  # how a task gets there
    "queued": [created()],
    "leased": [created(), leased()],
    "needs_attention": [created(), leased(), owned("TaskNeedsAttention", 3)],
    "blocked": [created(), event("TaskBlocked", "t", 2)],
    "completed": [created(), event("TaskCompleted", "t", 2)],
    "failed": [created(), event("TaskFailed", "t", 2)],
}
NEXT = {  # what a type's own event looks like, and from which states it may come
    "TaskLeased": (leased()["payload"], {"queued"}),
    "TaskLeaseRenewed": ({"until_ns": 1}, {"leased", "needs_attention"}),
    "TaskLaunchAcknowledged": ({}, {"leased", "needs_attention"}),
    "TaskReleased": ({"reason": "r"}, {"leased", "needs_attention"}),
    "TaskPickupValidated": ({"transaction_id": "x"}, {"leased", "needs_attention"}),
    "TaskCompleted": ({}, {"queued", "leased", "needs_attention", "blocked"}),
    "TaskFailed": ({}, {"queued", "leased", "needs_attention", "blocked"}),
    "TaskBlocked": ({"blocker": "b"}, {"queued", "leased", "needs_attention", "blocked"}),
    "TaskNeedsAttention": ({"blocker": "b"}, {"leased", "needs_attention"}),
    "TaskAmended": ({"title": "x"}, set(STATES)),
}


def put(ledger, state):
    for made in STATES[state]:
        ledger.append(made)
    return ledger.task("t")


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("kind", NEXT)
def test_transitions(ledger, state, kind):
    task = put(ledger, state)
    payload, allowed = NEXT[kind]
    owner = {"harness_id": "h1", "lease_epoch": "e1"} if task["lease"] else {}
    made = event(kind, "t", task["version"] + 1, **owner | payload)
    if state in allowed:
        ledger.append(made)
        assert ledger.task("t")["version"] == task["version"] + 1
    else:
        with pytest.raises(Conflict, match=state):
            ledger.append(made)
        assert ledger.task("t") == task


FENCED = [kind for kind in NEXT if kind not in ("TaskLeased", "TaskAmended")]
STALE = {
    "old epoch": {"harness_id": "h1", "lease_epoch": "e0"},
    "other harness": {"harness_id": "h2", "lease_epoch": "e1"},
    "no epoch": {"harness_id": "h1"},
    "nobody": {},
}


@pytest.mark.parametrize("state", ["leased", "needs_attention"])
@pytest.mark.parametrize("who", STALE)
@pytest.mark.parametrize("kind", FENCED)
def test_only_the_owner_gets_through(ledger, state, kind, who):
    task = put(ledger, state)
    payload = NEXT[kind][0]
    with pytest.raises(Conflict, match=r"payload\.(harness_id|lease_epoch)"):
        ledger.append(event(kind, "t", task["version"] + 1, **STALE[who] | payload))
    assert ledger.task("t") == task
    ledger.append(owned(kind, task["version"] + 1, **payload))


@pytest.mark.parametrize(
    "kind", ["TaskCompleted", "TaskFailed", "TaskBlocked", "TaskLeaseRenewed", "TaskReleased"]
)
def test_a_stale_worker_is_fenced_off_and_the_new_owner_is_not(ledger, kind):
    ledger.append(created())
    old = ledger.lease("t", "h1", 60)["lease"]
    ledger.append(event("TaskReleased", "t", 3, reason="lease_expired", **who(old)))
    new = ledger.lease("t", "h2", 60)["lease"]
    assert old["lease_epoch"] != new["lease_epoch"]
    with pytest.raises(Conflict):
        ledger.append(event(kind, "t", 5, **who(old) | NEXT[kind][0]))
    ledger.append(event(kind, "t", 5, **who(new) | NEXT[kind][0]))


def test_a_worker_whose_lease_has_ended_is_stale_even_when_nobody_else_has_it(ledger):
    ledger.append(created())
    old = ledger.lease("t", "h1", 60)["lease"]
    ledger.append(event("TaskReleased", "t", 3, reason="lease_expired", **who(old)))
    for kind in ("TaskCompleted", "TaskFailed", "TaskBlocked"):
        with pytest.raises(Conflict, match="stop working"):
            ledger.append(event(kind, "t", 4, **who(old)))
    ledger.append(event("TaskCompleted", "t", 4))  # from outside


def who(lease):
    return {name: lease[name] for name in ("harness_id", "lease_epoch")}


def test_attention_keeps_the_owner_who_may_complete_late(ledger):
    put(ledger, "needs_attention")
    with pytest.raises(Conflict):
        ledger.append(event("TaskCompleted", "t", 4))
    ledger.append(owned("TaskCompleted", 4))
    assert ledger.task("t")["state"] == "completed"


@pytest.mark.parametrize("reason", ["lease_expired", "pane_exited"])
def test_expiry_names_exactly_the_observed_lease(ledger, reason):
    put(ledger, "leased")
    for lie in STALE.values():
        with pytest.raises(Conflict):
            ledger.append(event("TaskReleased", "t", 3, reason=reason, **lie))
    ledger.append(owned("TaskReleased", 3, reason=reason))


def test_a_lease_of_an_old_log_is_visible_and_nobody_can_renew_it(folder, clock):
    old = leased(lease_epoch=None)
    del old["payload"]["lease_epoch"]
    write_log(folder, [created(), old])
    with Ledger(folder, clock=clock) as ledger:
        epoch = ledger.task("t")["lease"]["lease_epoch"]
        assert epoch == "legacy:id2"
        with pytest.raises(Conflict, match="renewed"):
            ledger.renew_lease("t", "h1", epoch, 2, 60)
        ledger.append(
            event("TaskReleased", "t", 3, reason="lease_expired", harness_id="h1", lease_epoch=epoch)
        )


def write_log(folder, events):
    folder.mkdir()
    full = (
        made | {"id": f"id{seq}", "seq": seq, "at": "2026-01-01T00:00:00Z", "schema_version": 1}
        for seq, made in enumerate(events, 1)
    )
    log_of(folder).write_text("".join(json.dumps(made) + "\n" for made in full))


# -- corrections -----------------------------------------------------------------------------------------------


def correct(task, corrects, **payload):
    return event("TaskCorrected", "t", task["version"] + 1, corrects=corrects, **payload)


@pytest.mark.parametrize("state", STATES)
def test_metadata_can_be_corrected_in_every_state_without_a_fence(ledger, state):
    task = put(ledger, state)
    first = next(ledger.events())["id"]
    ledger.append(correct(task, first, metadata={"title": "right", "project": "q"}))
    after = ledger.task("t")
    assert (after["title"], after["project"], after["state"]) == ("right", "q", state)
    assert after["lease"] == task["lease"]


def test_a_correction_names_an_earlier_event_of_this_task(ledger):
    task = put(ledger, "queued")
    other = ledger.append(created("other"))["id"]
    for name in (other, "nothing"):
        with pytest.raises(NotFound, match="corrects"):
            ledger.append(correct(task, name, metadata={}))


def test_a_blocked_task_goes_back_to_work_by_a_correction(ledger):
    task = put(ledger, "blocked")
    ledger.append(correct(task, next(ledger.events())["id"], state="queued"))
    after = ledger.task("t")
    assert (after["state"], after["blocker"], after["block_reason"]) == ("queued", None, None)
    assert ledger.lease("t", "h2", 1)["state"] == "leased"


def test_a_state_change_while_leased_needs_the_owner_and_drops_the_lease(ledger):
    task = put(ledger, "leased")
    first = next(ledger.events())["id"]
    with pytest.raises(Conflict):
        ledger.append(correct(task, first, state="queued"))
    ledger.append(correct(task, first, state="queued", harness_id="h1", lease_epoch="e1"))
    assert (ledger.task("t")["state"], ledger.task("t")["lease"]) == ("queued", None)


def test_a_correction_to_leased_keeps_the_lease_and_needs_one(ledger):
    task = put(ledger, "needs_attention")
    first = next(ledger.events())["id"]
    ledger.append(correct(task, first, state="leased", harness_id="h1", lease_epoch="e1"))
    assert ledger.task("t")["lease"]["lease_epoch"] == "e1"
    ledger.append(owned("TaskCompleted", 5))
    with pytest.raises(Conflict, match="no lease"):
        ledger.append(correct(ledger.task("t"), first, state="leased"))
