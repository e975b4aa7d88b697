"""The append rules of an event by itself: schema, names, surface, identity."""

import json

import pytest
from ledger.made import START, created, event, leased, log_of, quota

from coordhooks.errors import Conflict, Duplicate, Invalid, LedgerError, NotFound
from coordhooks.ledger import Ledger
from coordhooks.ledger.vocabulary import SURFACES, TYPES


def test_fills_in_what_is_absent(ledger, folder):
    written = ledger.append(created())
    assert len(written["id"]) == 32
    assert (written["seq"], written["version"], written["schema_version"]) == (1, 1, 1)
    assert written["at"] == "2027-01-15T08:00:00.000000Z"
    assert [json.loads(line) for line in log_of(folder).read_bytes().splitlines()] == [written]


def test_keeps_what_is_given_with_times_in_utc(ledger):
    written = ledger.append(created() | {"id": "mine", "at": "2026-03-01T12:00:00+02:00", "seq": 1})
    assert (written["id"], written["at"]) == ("mine", "2026-03-01T10:00:00.000000Z")


BAD = {
    "no dict": (["x"], "dict"),
    "unknown field": (created() | {"extra": 1}, "extra"),
    "unknown type": (created() | {"type": "TaskForgotten"}, "type"),
    "no type": ({k: v for k, v in created().items() if k != "type"}, "type"),
    "no surface": (created() | {"surface": None}, "surface"),
    "unknown surface": (created() | {"surface": "web"}, "surface"),
    "no task": (created() | {"task_id": None}, "task_id"),
    "no version": (created() | {"version": None}, "version"),
    "text version": (created() | {"version": "1"}, "version"),
    "true version": (created() | {"version": True}, "version"),
    "version 0": (created() | {"version": 0}, "version"),
    "task of a taskless type": (quota("h", 1) | {"task_id": "t"}, "task_id"),
    "newer schema": (created() | {"schema_version": 2}, "schema_version"),
    "bad time": (created() | {"at": "yesterday"}, "yesterday"),
    "payload is a list": (created() | {"payload": []}, "payload"),
    "no source": (event("TaskCreated", "t", 1, external_id="1", project="p"), "source"),
    "empty source": (created(source=""), "source"),
    "title is a number": (created(title=5), "title"),
    "capability is a text": (created(capability="x"), "capability"),
    "due without offset": (created(due="2026-01-01T00:00:00"), "due"),
    "due is a day": (created(due="2026-01-01"), "due"),
    "path as task": (created("../../etc/passwd"), "task_id"),
    "dots as task": (created(".."), "task_id"),
    "path as id": (created() | {"id": "a/b"}, "id"),
    "control character": (created("a\nb"), "task_id"),
    "lone surrogate": (created(external_id="\ud800"), "external_id"),
    "endless name": (created("x" * 1001), "task_id"),
    "nan": (created(inherent_priority=float("nan")), "payload"),
    "no JSON": (event("StandupAdvisory", None, what={1, 2}), "payload"),
    "lease without epoch": (leased(epoch=None), "lease_epoch"),
    "lease without end": (leased(until_ns=None), "until_ns"),
    "lease with an old epoch": (leased(epoch="legacy:1"), "lease_epoch"),
    "known without number": (quota("h", None), "consumed"),
    "negative quota": (quota("h", -1), "consumed"),
    "unknown metadata": (event("TaskCorrected", "t", 2, corrects="x", metadata={"titel": "y"}), "titel"),
    "unknown state": (event("TaskCorrected", "t", 2, corrects="x", state="lost"), "state"),
}


@pytest.mark.parametrize("name", BAD)
def test_refuses_what_is_not_well_formed_and_writes_nothing(ledger, folder, name):
    bad, field = BAD[name]
    with pytest.raises(Invalid, match=field):
        ledger.append(bad)
    assert log_of(folder).read_bytes() == b""


def test_a_line_has_a_limit(ledger, folder):
    with pytest.raises(Invalid, match="artifact"):
        ledger.append(created(description="x" * 17_000_000))
    assert log_of(folder).read_bytes() == b""


def test_deep_nesting_is_refused(ledger):
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(Invalid):
        ledger.append(event("StandupAdvisory", None, deep=deep))


# As documented, written out: a type that moves in the table must be moved here too.
LIFECYCLE = {
    *("TaskCreated", "TaskLeased", "TaskLeaseRenewed", "TaskLaunchAcknowledged", "TaskReleased"),
    *("TaskPickupValidated", "TaskCompleted", "TaskFailed", "TaskBlocked", "TaskNeedsAttention"),
}
MAY = {
    "system": TYPES,
    "cli": TYPES,
    "hook": LIFECYCLE | {"QuotaReported"},
    "import": {"TaskCreated", "TaskAmended", "TaskCompleted", "TaskFailed", "QuotaReported"},
}
PAYLOADS = {
    "TaskCreated": created()["payload"],
    "TaskLeased": leased()["payload"],
    "TaskLeaseRenewed": leased()["payload"],
    "TaskPickupValidated": {"transaction_id": "x"},
    "TaskCorrected": {"corrects": "x"},
    "QuotaReported": {"harness_id": "h", "consumed": 1, "known": True},
}
TASKLESS = ("QuotaReported", "StandupAdvisory", "ApprovalGranted", "ApprovalDenied")


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("kind", sorted(TYPES))
def test_surfaces(ledger, surface, kind):
    """An event of a surface that may is refused for another reason, or not at all."""
    task = {"task_id": None} if kind in TASKLESS else {"task_id": "t", "version": 1}
    made = {"type": kind, "surface": surface, "payload": PAYLOADS.get(kind, {}), **task}
    refused = "surface" in outcome(ledger, made)
    assert refused == (kind not in MAY[surface])


def outcome(ledger, made):
    try:
        return str(ledger.append(made))[:0]
    except LedgerError as error:
        return str(error)


def test_an_event_id_is_unique(ledger, clock, folder):
    ledger.append(created("a") | {"id": "same"})
    with pytest.raises(Duplicate, match="same"):
        ledger.append(created("b") | {"id": "same"})
    with Ledger(folder, clock=clock) as again, pytest.raises(Duplicate, match="same"):
        again.append(created("c") | {"id": "same"})


def test_a_source_is_unique(ledger):
    ledger.append(created("a", external_id="1"))
    with pytest.raises(Duplicate, match="external_id"):
        ledger.append(created("b", external_id="1"))
    ledger.append(created("b", source="other", external_id="1"))


def test_a_task_id_is_unique(ledger):
    ledger.append(created("a"))
    with pytest.raises(Duplicate, match="task_id"):
        ledger.append(created("a", external_id="2"))


def test_a_creation_has_version_1(ledger):
    with pytest.raises(Conflict, match="version"):
        ledger.append(created() | {"version": 2})


def test_an_unknown_task_is_not_found(ledger):
    with pytest.raises(NotFound, match="nobody"):
        ledger.append(event("TaskAmended", "nobody", 1, title="x"))


@pytest.mark.parametrize("version", [1, 3, 99])
def test_versions_follow_each_other(ledger, version):
    ledger.append(created())
    with pytest.raises(Conflict, match="version"):
        ledger.append(event("TaskAmended", "t", version, title="x"))


def test_a_seq_that_is_not_next_is_a_conflict(ledger):
    with pytest.raises(Conflict, match="seq"):
        ledger.append(created() | {"seq": 2})


@pytest.mark.parametrize("expected", [0, 2, "1", 1.0, True, []])
def test_expected_version_must_be_the_current_whole_number(ledger, expected):
    ledger.append(created())
    with pytest.raises(Conflict, match="expected_version"):
        ledger.append(leased(expected_version=expected))
    assert ledger.append(leased(expected_version=1))["seq"] == 2


def test_expected_version_needs_a_known_task(ledger):
    for made in (created(expected_version=1), event("TaskAmended", "new", 1, expected_version=1)):
        with pytest.raises(Conflict, match="expected_version"):
            ledger.append(made)


def test_references_must_exist_and_hash_right(ledger, folder):
    ledger.append(created())
    done = event("TaskCompleted", "t", 2)
    with pytest.raises(Invalid, match="reference"):
        ledger.append(done | {"payload": {"report_ref": "../secret"}})
    with pytest.raises(NotFound, match="f" * 64):
        ledger.append(done | {"payload": {"report_ref": "f" * 64}})
    ref = ledger.put_artifact(b"report")
    (folder / "artifacts" / ref).write_bytes(b"forged")
    with pytest.raises(Invalid, match="corrupt"):
        ledger.append(done | {"payload": {"report_ref": ref}})
    assert ledger.put_artifact(b"report") == ref
    assert ledger.append(done | {"payload": {"report_ref": ref}})["seq"] == 2
    assert ledger.task("t")["report_ref"] == ref


def test_taskless_events_change_no_task(ledger):
    ledger.append(created())
    before = ledger.tasks()
    for kind in TASKLESS[1:]:
        ledger.append(event(kind, None, anything={"goes": [1]}, task="t"))
    assert ledger.tasks() == before
    assert [made["task_id"] for made in ledger.events(1)] == [None] * 3


@pytest.mark.parametrize("size", [100, 300 * 1024])
def test_events_of_any_size_come_back_whole(ledger, size):
    ledger.append(created(description="ü" * size))
    assert [made["payload"]["description"] for made in ledger.events()] == ["ü" * size]
    assert ledger.task("t")["description"] == "ü" * size


def test_the_clock_is_passed_in(ledger, clock):
    clock.now = START + 1.5
    assert ledger.append(created())["at"] == "2027-01-15T08:00:01.500000Z"
