"""The audit: own events, reading after an id, export with and without secrets, in the same transaction."""

import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from store.support import START, Clock, events, mode

from coordhooks.store import audit
from coordhooks.store.coordstore import CoordStore

Agent = Callable[..., str]


def test_anyone_can_append_an_event(store: CoordStore, agent: Agent, clock: Clock) -> None:
    a = agent("A")
    clock.advance(1)
    first = store.record_event("deploy_started", runtime_id=a, details={"n": 1, "deep": [{"x": None}]})
    second = store.record_event("free_for_all")
    assert store.audit_events(after_id=first - 1) == [
        {"event_id": first, "at": START + 1, "event": "deploy_started", "runtime_id": a,
         "details": {"n": 1, "deep": [{"x": None}]}},
        {"event_id": second, "at": START + 1, "event": "free_for_all", "runtime_id": None, "details": {}},
    ]  # fmt: skip
    assert second > first


@pytest.mark.parametrize("name", ["event", "runtime_id", "self", "details", "at", "kind"])
def test_details_may_have_any_names(store: CoordStore, name: str) -> None:
    store.record_event("mine", details={name: "value"})
    assert events(store, "mine")[0]["details"] == {name: "value"}


def test_an_event_needs_a_name(store: CoordStore) -> None:
    with pytest.raises(ValueError, match="name"):
        store.record_event("")


@pytest.mark.parametrize("who", ["nobody", "ended"])
def test_a_runtime_if_named_is_live(store: CoordStore, agent: Agent, who: str) -> None:
    ended = agent("A")
    store.end_instance(ended)
    with pytest.raises(KeyError):
        store.record_event("mine", runtime_id=ended if who == "ended" else who)
    assert events(store, "mine") == []


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1}, b"x"], ids=repr)
def test_details_are_json(store: CoordStore, value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        store.record_event("mine", details={"x": value})
    with pytest.raises(ValueError, match=r"."):
        store.record_event("mine", details={"x": {"deep": [value]}})
    with pytest.raises(ValueError, match="strings"):
        store.record_event("mine", details={1: value})
    assert events(store, "mine") == []


def test_reading_is_by_id_after_a_given_one(store: CoordStore) -> None:
    ids = [store.record_event(f"e{number}") for number in range(5)]
    assert [e["event_id"] for e in store.audit_events()] == ids
    assert [e["event_id"] for e in store.audit_events(after_id=ids[2])] == ids[3:]
    assert store.audit_events(after_id=ids[-1]) == []


def test_ids_are_never_used_again(store: CoordStore) -> None:
    first = store.record_event("x")
    with store.transaction() as tx:
        tx.run("DELETE FROM audit")
    assert store.record_event("y") > first


def test_a_change_and_its_event_are_one(
    store: CoordStore, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = agent("A")
    from coordhooks.store.db import Transaction

    def full(*_: object, **__: object) -> int:
        raise OSError("no event can be written")

    monkeypatch.setattr(Transaction, "audit", full)
    with pytest.raises(OSError, match="no event"):
        store.claim(a, ["x"])
    monkeypatch.undo()
    assert store.active_leases() == []


# -- export -----------------------------------------------------------------------------------------------


def exported(store: CoordStore, **options: object) -> list[dict]:
    stream = io.StringIO()
    store.export_audit_jsonl(stream, **options)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_export_is_one_json_object_a_line(store: CoordStore) -> None:
    for details in ({"text": "two\nlines \u2028 é \ud800"}, {}, {"n": 1.5}):
        store.record_event("x", details=details)
    stream = io.StringIO()
    assert store.export_audit_jsonl(stream) == 3
    assert stream.getvalue().isascii()
    assert stream.getvalue().endswith("\n")
    assert exported(store) == store.audit_events()
    assert exported(store, after_id=1) == store.audit_events(after_id=1)


def test_export_of_more_than_one_batch(store: CoordStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "BATCH", 3)
    for number in range(10):
        store.record_event(f"e{number}")
    assert exported(store) == store.audit_events()


SECRETS = {
    "record": {
        "ownership_token": "s3cret",
        "keep": 1,
        "nested": [{"ownership_token": {"x": "s3cret"}, "keep": 2}],
    },
    "ownership_token": "s3cret",
}


def test_the_token_is_removed_at_every_depth(store: CoordStore, tmp_path: Path) -> None:
    store.record_event("x", details=SECRETS)
    store.save_workspace_record("y", {"instance_id": "i", "path": "/x", "ownership_token": "s3cret"})
    assert "s3cret" not in json.dumps(exported(store))
    assert exported(store)[0]["details"] == {"record": {"keep": 1, "nested": [{"keep": 2}]}}
    assert exported(store, include_secrets=True)[0]["details"] == SECRETS


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o002])
def test_an_exported_file_is_private(store: CoordStore, tmp_path: Path, umask: int) -> None:
    store.record_event("x")
    path = tmp_path / "new" / "deep" / "audit.jsonl"
    before = os.umask(umask)
    try:
        assert store.export_audit_jsonl(path) == 1
    finally:
        os.umask(before)
    assert mode(path) == 0o600
    assert mode(path.parent) == mode(path.parent.parent) == 0o700


def test_a_loose_file_is_tightened_and_rewritten(store: CoordStore, tmp_path: Path) -> None:
    store.record_event("x")
    path = tmp_path / "audit.jsonl"
    path.write_text("old " * 1000)
    path.chmod(0o666)
    store.export_audit_jsonl(str(path))
    assert mode(path) == 0o600
    assert [json.loads(line)["event"] for line in path.read_text().splitlines()] == ["x"]


def test_a_link_is_not_followed(store: CoordStore, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "audit.jsonl").symlink_to(victim)
    with pytest.raises(OSError, match=r"audit\.jsonl"):
        store.export_audit_jsonl(tmp_path / "audit.jsonl")
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("part", ["", "-wal", "-shm"])
def test_the_store_itself_is_not_overwritten(store: CoordStore, db_path: Path, part: str) -> None:
    store.record_event("x")
    with pytest.raises(ValueError, match="store itself"):
        store.export_audit_jsonl(f"{db_path}{part}")
    assert len(events(store)) == 1
