"""Waits: how often somebody was refused, what is free again, and who waits for whom in a circle."""

from collections.abc import Callable
from pathlib import Path

import pytest
from store.support import file_want, take

from coordhooks.store import CoordStore, leases, notes, waits

Register = Callable[..., str]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "a.py"
    made.write_text("1\n")
    return made


def refused(store: CoordStore, who: str, file: Path, holder: str, turn: str = "t1", call: str = "c1") -> int:
    with store.transaction() as tx:
        return waits.note(tx, who, file_want(file), holder, turn, call)


def freed(store: CoordStore, who: str) -> list[str]:
    with store.transaction() as tx:
        return waits.freed(tx, who)


def circle(store: CoordStore, who: str, holder: str) -> list[str]:
    with store.transaction() as tx:
        return waits.circle(tx, who, holder)


def test_a_call_counts_once_and_a_new_turn_from_the_start(
    store: CoordStore, agent: Register, file: Path
) -> None:
    a, b = agent("A"), agent("B")
    told = [("t1", "c1"), ("t1", "c1"), ("t1", "c2"), ("t1", ""), ("t1", ""), ("t2", "c9")]
    assert [refused(store, b, file, a, *of) for of in told] == [1, 1, 2, 3, 4, 1]


def test_to_enlist_counts_no_refusal_and_keeps_those_there_were(
    store: CoordStore, agent: Register, file: Path
) -> None:
    a, b, c = agent("A"), agent("B"), agent("C")
    with store.transaction() as tx:
        waits.enlist(tx, b, file_want(file), a, "t1")
    assert refused(store, b, file, a) == 1
    with store.transaction() as tx:
        waits.enlist(tx, b, file_want(file), c, "t1")
        (row,) = waits.of(tx, b)
    assert (row["refusals"], row["holder"]) == (1, c)


def test_a_name_is_told_free_once_and_only_when_it_is(store: CoordStore, agent: Register, file: Path) -> None:
    a, b = agent("A"), agent("B")
    take(store, a, file)
    refused(store, b, file, a)
    assert freed(store, b) == []
    with store.transaction() as tx:
        leases.release(tx, a, [file_want(file)])
    assert freed(store, b) == [str(file)]
    assert freed(store, b) == []


def test_a_file_that_is_held_under_another_name_is_not_free(
    store: CoordStore, agent: Register, file: Path
) -> None:
    a, b = agent("A"), agent("B")
    other = file.with_name("other.py")
    other.hardlink_to(file)
    take(store, a, other)
    refused(store, b, file, a)
    assert freed(store, b) == []


def test_a_name_that_is_no_text_comes_back_as_it_is(
    store: CoordStore, agent: Register, tmp_path: Path
) -> None:
    a, b = agent("A"), agent("B")
    odd = tmp_path / "caf\udce9.py"
    refused(store, b, odd, a)
    assert freed(store, b) == [str(odd)]


def test_settling_one_name_leaves_the_others_and_clearing_none(
    store: CoordStore, agent: Register, tmp_path: Path
) -> None:
    a, b = agent("A"), agent("B")
    for who, name in ((b, "x"), (b, "y"), (a, "x")):
        refused(store, who, tmp_path / name, "nobody")
    with store.transaction() as tx:
        waits.settle(tx, b, file_want(tmp_path / "x"))
        assert [bytes(row["path"]).decode() for row in waits.of(tx, b)] == [str(tmp_path / "y")]
        waits.clear(tx, b)
        assert (waits.of(tx, b), len(waits.of(tx, a))) == ([], 1)


def test_there_is_something_to_tell_for_each_reason_and_for_nobody_else(
    store: CoordStore, agent: Register, file: Path
) -> None:
    def anyone() -> list[bool]:
        with store.transaction() as tx:
            return [waits.anything_to_tell(tx, who) for who in (a, b)]

    a, b = agent("A"), agent("B")
    assert anyone() == [False, False]
    message = store.send_message(a, recipient=b, body="hello")
    assert anyone() == [False, True]
    store.ack(b, [message])
    refused(store, b, file, a)
    assert anyone() == [False, True]
    assert freed(store, b)
    with store.transaction() as tx:
        notes.lapsed(tx, a, b"/x", "")  # to nobody: there is no one to tell about
    assert anyone() == [False, False]
    with store.transaction() as tx:
        notes.lapsed(tx, a, b"/x", b)
    assert anyone() == [True, False]


def test_a_circle_of_any_length_is_named_in_order(store: CoordStore, agent: Register, tmp_path: Path) -> None:
    ring = [agent(name) for name in "ABCD"]
    for number, who in enumerate(ring):
        take(store, who, tmp_path / str(number))
    assert circle(store, ring[0], ring[1]) == []
    for number, who in enumerate(ring[1:], 1):
        following = (number + 1) % len(ring)
        refused(store, who, tmp_path / str(following), ring[following])
    assert circle(store, ring[0], ring[1]) == [*ring[1:], ring[0]]
    assert circle(store, ring[0], ring[3]) == [ring[3], ring[0]]


def test_a_wait_for_what_is_free_by_now_closes_no_circle(
    store: CoordStore, agent: Register, file: Path
) -> None:
    a, b = agent("A"), agent("B")
    take(store, a, file)
    refused(store, b, file, a)
    assert circle(store, a, b) == [b, a]
    with store.transaction() as tx:
        leases.release(tx, a, [file_want(file)])
    assert circle(store, a, b) == []


def test_others_who_wait_for_each_other_do_not_keep_the_search_going(
    store: CoordStore, agent: Register, tmp_path: Path
) -> None:
    a, b, c = agent("A"), agent("B"), agent("C")
    for who, own, wanted, holder in ((a, "x", "y", b), (b, "y", "x", a)):
        take(store, who, tmp_path / own)
        refused(store, who, tmp_path / wanted, holder)
    assert circle(store, c, a) == []
