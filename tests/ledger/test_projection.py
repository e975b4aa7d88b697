"""What each event does to its task."""

import pytest
from ledger.made import START, created, event, leased, owned

from coordhooks.ledger import times


@pytest.fixture
def after(ledger):
    """Appends events and gives the task."""

    def append(*events):
        for made in events:
            ledger.append(made)
        return ledger.task("t")

    return append


def test_created(after):
    full = {
        "parent": "p0", "inherent_priority": 2, "due": "2026-02-01T00:00:00Z", "title": "T", "description": "D",
        "estimate": {"value": 3, "who": "me", "confidence": 0.5}, "capability": ["python"],
        "acceptance": ["works"], "quality_gate": "tests",
    }  # fmt: skip
    task = after(created(**full))
    assert (
        task.items()
        >= (full | {"source": "s", "external_id": "t", "project": "p", "state": "queued"}).items()
    )
    assert (task["lease"], task["attempt"], task["version"]) == (None, 0, 1)


def test_leased(after):
    task = after(created(), leased())
    assert (task["state"], task["phase"], task["last_error"]) == ("leased", "lease_issued", None)
    until_ns = int((START + 60) * 1e9)
    assert task["lease"] == {"harness_id": "h1", "lease_epoch": "e1", "until_ns": until_ns, "ttl": 60}


def test_a_lease_clears_the_last_error(after):
    assert after(created(last_error="boom"))["last_error"] == "boom"
    assert after(leased())["last_error"] is None


def test_renewed(after):
    task = after(created(), leased(), owned("TaskLeaseRenewed", 3, until_ns=7))
    assert (task["lease"]["until_ns"], task["lease"]["lease_epoch"]) == (7, "e1")


def test_acknowledged_returns_from_attention(after):
    task = after(created(), leased(), owned("TaskNeedsAttention", 3, blocker="ok?"))
    assert (task["state"], task["blocker"]) == ("needs_attention", "ok?")
    task = after(owned("TaskLaunchAcknowledged", 4))
    assert (task["state"], task["phase"], task["blocker"]) == ("leased", "started", None)


def release(version, **payload):
    return owned("TaskReleased", version, **payload)


@pytest.mark.parametrize(
    ("attempt", "minutes"), [(1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 30), (7, 30), (70, 30)]
)
def test_reclaim_backs_off(after, attempt, minutes):
    after(created())
    for number in range(attempt):
        task = after(leased(version=2 + 2 * number), release(3 + 2 * number, reason="pane_exited"))
    assert (task["state"], task["phase"], task["lease"], task["attempt"]) == (
        "queued",
        "reclaimed",
        None,
        attempt,
    )
    assert task["failure_class"] == "pane_exited"
    assert task["next_retry"] == times.text(times.moment(START + 60 * minutes))


def test_a_reclaim_prefers_the_failure_class_given(after):
    task = after(created(), leased(), release(3, reason="r", failure_class="crash"))
    assert task["failure_class"] == "crash"


def test_handoff_clears_the_retry_and_is_carried_on(after, ledger):
    ref = ledger.put_artifact(b"notes")
    handoff = {"handoff_ref": ref, "transaction_id": "tx", "anchor_sha": "abc"}
    after(created(), leased(), release(3, reason="lost"))
    after(leased(version=4), owned("TaskPickupValidated", 5, transaction_id="tx0", lease_version=4))
    task = after(release(6, reason="handoff", **handoff))
    assert task.items() >= handoff.items()
    assert (task["attempt"], task["next_retry"], task["failure_class"]) == (1, None, None)
    assert (task["pickup_transaction_id"], task["pickup_lease_version"]) == (None, None)
    assert ledger.lease("t", "h2", 60).items() >= handoff.items()
    assert list(ledger.events())[-1]["payload"].items() >= handoff.items()


def test_pickup(after):
    task = after(created(), leased(), owned("TaskPickupValidated", 3, transaction_id="tx", lease_version=2))
    assert (task["pickup_transaction_id"], task["pickup_lease_version"]) == ("tx", 2)
    task = after(release(4, reason="r"))
    assert (task["pickup_transaction_id"], task["pickup_lease_version"]) == (None, None)


@pytest.mark.parametrize(("kind", "state"), [("TaskCompleted", "completed"), ("TaskFailed", "failed")])
def test_terminal(after, kind, state):
    task = after(created(), leased(), owned(kind, 3))
    assert (task["state"], task["lease"]) == (state, None)


def test_blocked(after):
    task = after(created(), leased(), owned("TaskBlocked", 3, blocker="needs your approval", pane_id="%1"))
    assert (task["state"], task["lease"], task["block_reason"]) == ("blocked", None, "permission")
    assert task["session_evidence"] == {"pane_id": "%1", "harness_id": "h1", "pane_state": "unknown"}


@pytest.mark.parametrize(
    ("blocker", "given", "reason"),
    [
        ("API rate limit reached", None, "quota"),
        ("please log in again", "", "credentials"),
        ("waiting for task 7", "some nonsense", "dependency"),
        ("which of the two?", None, "question"),
        ("anything", "conflict", "conflict"),
        ("anything", None, "other"),
        (None, None, "other"),
    ],
)
def test_block_reasons(after, blocker, given, reason):
    task = after(created(), event("TaskBlocked", "t", 2, blocker=blocker, block_reason=given))
    assert task["block_reason"] == reason


def test_attention_keeps_the_lease(after):
    before = after(created(), leased())
    task = after(owned("TaskNeedsAttention", 3, blocker="?", pane_state="asking"))
    assert (task["state"], task["lease"]) == ("needs_attention", before["lease"])
    assert task["session_evidence"]["pane_state"] == "asking"


def test_amended_changes_metadata_only(after):
    before = after(created())
    task = after(
        event("TaskAmended", "t", 2, title="new", inherent_priority=9, project="other", state="failed")
    )
    changed = {name for name in task if task[name] != before[name]}
    assert changed == {"title", "inherent_priority", "version"}


def test_any_payload_carries_phase_error_and_evidence_which_outlive_the_lease(after):
    evidence = {"pane_id": "%2", "harness_id": "h1", "pane_state": "dead"}
    common = {"lifecycle_phase": "building", "last_error": "E", "session_evidence": evidence}
    task = after(created(), leased(), owned("TaskLaunchAcknowledged", 3, **common))
    assert (task["phase"], task["last_error"]) == ("building", "E")
    task = after(release(4, reason="r"))
    assert (task["lease"], task["session_evidence"]) == (None, evidence)


def test_times_of_the_task(after, clock):
    after(created())
    clock.now += 5
    task = after(event("TaskAmended", "t", 2, title="x"))
    assert (task["created_at"][17:19], task["updated_at"][17:19]) == ("00", "05")
