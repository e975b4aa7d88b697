"""When the lease of a living holder gives way: turns, calls, permissions, transcripts, patience."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from store.support import (
    DAY,
    START,
    Clock,
    Sleeper,
    close_call,
    elsewhere,
    events,
    held,
    in_transaction,
    open_call,
    open_turn,
    set_column,
    take,
)  # fmt: skip

from coordhooks.errors import ClaimRefused
from coordhooks.store import leases, settings, turns, yielding
from coordhooks.store.coordstore import CoordStore

Agent = Callable[..., str]


@pytest.fixture
def holder(store: CoordStore, agent: Agent, sleeper: Callable[[], Sleeper]) -> str:
    """A session of Claude Code in a live process, with a turn open."""
    who = agent("A", process=sleeper().identity, harness="claude-code")
    open_turn(store, who)
    return who


@pytest.fixture
def contender(agent: Agent) -> str:
    return agent("B", ttl_seconds=100 * DAY)


def granted(store: CoordStore, who: str, path: Path) -> bool:
    try:
        take(store, who, path, call="other")
    except ClaimRefused:
        return False
    return True


def reasons(store: CoordStore) -> list[str]:
    return [event["details"]["reason"] for event in events(store, "lease_lapsed")]


def transcript(path: Path, *records: dict) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def said(kind: str, text: str, **more: object) -> dict:
    return {"type": kind, "message": {"role": kind, "content": [{"type": "text", "text": text}]}, **more}


def result(call: str) -> dict:
    return {
        "type": "user",
        "message": {"content": [{"type": "tool_result", "tool_use_id": call, "content": "ok"}]},
    }


# -- automatic leases -------------------------------------------------------------------------------------


def test_an_open_turn_keeps_past_the_ttl(
    store: CoordStore, clock: Clock, holder: str, contender: str, repo: Path
) -> None:
    take(store, holder, repo / "src/a.py", ttl=5)
    clock.advance(599)
    assert not granted(store, contender, repo / "src/a.py")


@pytest.mark.parametrize(
    ("name", "after", "yields"),
    [
        ("src/a.py", 599.0, False), ("src/a.py", 600.0, True),
        ("src/index.ts", 119.0, False), ("src/index.ts", 120.0, True),
        ("src/__init__.py", 120.0, True), ("src/mod.rs", 120.0, True),
        ("src/notindex.ts", 120.0, False),
    ],
)  # fmt: skip
def test_it_yields_after_its_time_untouched(
    store: CoordStore, clock: Clock, holder: str, contender: str, repo: Path, name: str, after: float, yields: bool
) -> None:  # fmt: skip
    take(store, holder, repo / name)
    clock.advance(after)
    assert granted(store, contender, repo / name) is yields
    assert reasons(store) == (["yielded"] if yields else [])


def test_a_touch_of_that_very_path_counts(
    store: CoordStore, clock: Clock, holder: str, contender: str, repo: Path
) -> None:
    from store.support import file_want

    take(store, holder, repo / "src/a.py")
    take(store, holder, repo / "src/b.py")
    clock.advance(500)
    in_transaction(store, leases.touch, holder, file_want(repo / "src/a.py"), "call-2")
    clock.advance(500)
    assert not granted(store, contender, repo / "src/a.py")
    assert granted(store, contender, repo / "src/b.py")


def test_the_settings_say_how_long(
    store: CoordStore, clock: Clock, holder: str, contender: str, repo: Path
) -> None:
    in_transaction(store, settings.put, "", "yield_after", 30)
    take(store, holder, repo / "src/a.py")
    clock.advance(30)
    assert granted(store, contender, repo / "src/a.py")


def test_an_open_call_keeps(store: CoordStore, clock: Clock, holder: str, contender: str, repo: Path) -> None:
    take(store, holder, repo / "src/a.py")
    open_call(store, holder, "long-test-run")
    clock.advance(8 * 3600)
    assert not granted(store, contender, repo / "src/a.py")
    close_call(store, holder, "long-test-run")
    assert granted(store, contender, repo / "src/a.py")


def test_the_one_that_yielded_is_refused_in_turn(
    store: CoordStore, clock: Clock, holder: str, contender: str, repo: Path
) -> None:
    take(store, holder, repo / "src/a.py")
    clock.advance(601)
    open_turn(store, contender)
    assert granted(store, contender, repo / "src/a.py")
    assert not granted(store, holder, repo / "src/a.py")


def test_without_a_turn_the_ttl_decides(
    store: CoordStore, clock: Clock, holder: str, contender: str, repo: Path
) -> None:
    in_transaction(store, turns.end, holder)
    take(store, holder, repo / "src/a.py", ttl=50)
    clock.advance(49)
    assert not granted(store, contender, repo / "src/a.py")
    clock.advance(1)
    assert granted(store, contender, repo / "src/a.py")


@pytest.mark.parametrize("change", [{"host": "another"}, {"pid_ns": 1}], ids=str)
def test_where_the_process_cannot_be_seen_the_ttl_decides(
    store: CoordStore, agent: Agent, clock: Clock, sleeper: Callable[[], Sleeper], contender: str, repo: Path,
    change: dict,
) -> None:  # fmt: skip
    far = agent("far", process=elsewhere(sleeper().identity, **change), ttl_seconds=DAY)
    open_turn(store, far)
    open_call(store, far)
    take(store, far, repo / "src/a.py", ttl=60)
    clock.advance(61)
    assert granted(store, contender, repo / "src/a.py")
    assert reasons(store) == ["expired"]


@pytest.mark.parametrize("back", [0.5, 3600, DAY])
def test_a_clock_that_goes_back_neither_yields_nor_extends(
    store: CoordStore, clock: Clock, holder: str, contender: str, repo: Path, back: float
) -> None:
    take(store, holder, repo / "src/a.py")
    clock.advance(-back)
    assert not granted(store, contender, repo / "src/a.py")
    clock.advance(599)
    assert not granted(store, contender, repo / "src/a.py")
    clock.advance(1)
    assert granted(store, contender, repo / "src/a.py")


# -- permissions ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", leases.KINDS)
def test_a_pending_permission_keeps_every_kind(
    store: CoordStore, clock: Clock, holder: str, contender: str, repo: Path, kind: str
) -> None:
    """Approval runs the write without asking again, so that nobody else may have the file by then."""
    take(store, holder, repo / "src/a.py", kind=kind, ttl=30)
    open_call(store, holder)
    in_transaction(store, turns.wait_for_person, holder)
    clock.advance(3600)
    assert not granted(store, contender, repo / "src/a.py")


@pytest.mark.parametrize("kind", leases.KINDS)
def test_a_no_at_the_dialog_frees_what_the_turn_held(
    store: CoordStore, clock: Clock, holder: str, contender: str, repo: Path, tmp_path: Path, kind: str
) -> None:
    take(store, holder, repo / "src/a.py", kind=kind, ttl=300)
    open_call(store, holder)
    in_transaction(store, turns.wait_for_person, holder)
    path = transcript(tmp_path / "t.jsonl", said("user", "[Request interrupted by user for tool use]"))
    set_column(store, holder, transcript=path)
    assert granted(store, contender, repo / "src/a.py") is (kind not in (leases.TIMED, leases.BACKGROUND))


def test_the_time_of_the_first_dialog_counts(store: CoordStore, clock: Clock, holder: str) -> None:
    in_transaction(store, turns.wait_for_person, holder)
    clock.advance(10)
    in_transaction(store, turns.wait_for_person, holder)
    row = next(row for row in store.live_instances() if row["runtime_id"] == holder)
    assert row["attention_at"] == START


# -- explicit claims --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "free"), [(leases.TIMED, True), (leases.TURN, False)])
def test_a_timed_claim_ends_with_its_time_a_turns_claim_not_within_a_call(
    store: CoordStore, clock: Clock, holder: str, contender: str, repo: Path, kind: str, free: bool
) -> None:
    take(store, holder, repo / "src/a.py", kind=kind, ttl=60)
    open_call(store, holder)
    clock.advance(59)
    assert not granted(store, contender, repo / "src/a.py")
    clock.advance(1)
    assert granted(store, contender, repo / "src/a.py") is free


@pytest.mark.parametrize("kind", [leases.TIMED, leases.TURN])
def test_explicit_claims_do_not_yield(
    store: CoordStore, clock: Clock, holder: str, contender: str, repo: Path, kind: str
) -> None:
    take(store, holder, repo / "src/__init__.py", kind=kind, ttl=DAY)
    clock.advance(DAY - 1)
    assert not granted(store, contender, repo / "src/__init__.py")


# -- call-long --------------------------------------------------------------------------------------------


def test_a_call_long_lease_ends_with_its_call(
    store: CoordStore, holder: str, contender: str, repo: Path
) -> None:
    take(store, holder, repo / "CHANGELOG.md", kind=leases.CALL)
    open_call(store, holder, "c1")
    open_call(store, holder, "c2")
    assert not granted(store, contender, repo / "CHANGELOG.md")
    close_call(store, holder, "c1")
    assert granted(store, contender, repo / "CHANGELOG.md")
    assert reasons(store) == ["call_over"]


@pytest.mark.parametrize("call", ["c1", ""], ids=["named", "without-an-id"])
def test_a_call_long_lease_ends_after_a_minute_otherwise(
    store: CoordStore, clock: Clock, holder: str, contender: str, repo: Path, call: str
) -> None:
    take(store, holder, repo / "CHANGELOG.md", kind=leases.CALL, call=call)
    open_call(store, holder, call)
    clock.advance(59.9)
    assert not granted(store, contender, repo / "CHANGELOG.md")
    clock.advance(0.1)
    assert granted(store, contender, repo / "CHANGELOG.md")


def test_a_result_in_the_transcript_ends_a_call(
    store: CoordStore, holder: str, contender: str, repo: Path, tmp_path: Path
) -> None:
    take(store, holder, repo / "CHANGELOG.md", kind=leases.CALL)
    open_call(store, holder, "c1")
    set_column(
        store, holder, transcript=transcript(tmp_path / "t.jsonl", result("c1"), said("assistant", "on"))
    )
    assert granted(store, contender, repo / "CHANGELOG.md")


# -- transcripts ------------------------------------------------------------------------------------------


METADATA = [{"type": "file-history-snapshot"}, {"type": "system", "content": "x"}, {"type": "summary"}]


@pytest.mark.parametrize(
    ("records", "over"),
    [
        ([said("user", "[Request interrupted by user]")], True),
        ([said("user", "[Request interrupted by user for tool use]")], True),
        ([said("user", "[Request interrupted by user]"), *METADATA], True),
        ([{"type": "user", "message": {"content": "[Request interrupted by user]"}}], True),
        ([said("assistant", "API Error: 529", isApiErrorMessage=True)], True),
        ([said("user", "[Request interrupted by user]"), said("user", "go on")], False),
        ([said("assistant", "API Error", isApiErrorMessage=True), said("assistant", "again")], False),
        ([said("user", "do it"), said("assistant", "doing")], False),
        ([*METADATA], False),
        ([], False),
    ],
)
def test_a_turn_that_ended_without_a_word_holds_nothing(
    store: CoordStore, holder: str, contender: str, repo: Path, tmp_path: Path, records: list, over: bool
) -> None:
    take(store, holder, repo / "src/a.py")
    take(store, holder, repo / "src/b.py", kind=leases.TURN)
    open_call(store, holder)
    set_column(store, holder, transcript=transcript(tmp_path / "t.jsonl", *records))
    assert granted(store, contender, repo / "src/a.py") is over
    assert granted(store, contender, repo / "src/b.py") is over
    assert reasons(store) == ["turn_over"] * 2 * over


def test_a_call_with_a_result_is_not_open(
    store: CoordStore, clock: Clock, holder: str, contender: str, repo: Path, tmp_path: Path
) -> None:
    take(store, holder, repo / "src/a.py")
    open_call(store, holder, "c1")
    open_call(store, holder, "c2")
    path = tmp_path / "t.jsonl"
    set_column(store, holder, transcript=transcript(path, result("c1"), said("assistant", "hm")))
    clock.advance(601)
    assert not granted(store, contender, repo / "src/a.py")
    transcript(path, result("c1"), result("c2"), said("assistant", "hm"), *METADATA)
    assert granted(store, contender, repo / "src/a.py")


def test_a_transcript_that_cannot_be_read_says_nothing(
    store: CoordStore, holder: str, contender: str, repo: Path, tmp_path: Path
) -> None:
    take(store, holder, repo / "src/a.py")
    set_column(store, holder, transcript=str(tmp_path / "missing.jsonl"))
    assert not granted(store, contender, repo / "src/a.py")


# -- what the former holder learns ------------------------------------------------------------------------


def test_the_former_holder_is_told_once_and_by_whom(
    store: CoordStore, clock: Clock, holder: str, contender: str, repo: Path
) -> None:
    from coordhooks.store import notes

    take(store, holder, repo / "src/a.py")
    clock.advance(601)
    granted(store, contender, repo / "src/a.py")
    told = in_transaction(store, notes.take_lapsed, holder)
    assert told == [(str(repo / "src/a.py"), contender)]
    assert in_transaction(store, notes.take_lapsed, holder) == []


def test_only_what_stands_in_the_way_is_looked_at(
    store: CoordStore, clock: Clock, holder: str, contender: str, repo: Path
) -> None:
    take(store, holder, repo / "src/a.py")
    take(store, holder, repo / "src/b.py")
    clock.advance(601)
    assert granted(store, contender, repo / "src/b.py")
    assert reasons(store) == [yielding.YIELDED]
    assert held(store) == {str(repo / "src/a.py"): holder, str(repo / "src/b.py"): contender}
