"""Notes: told once to each, and leases that went to others are told once too."""

from coordhooks.store import CoordStore, notes


def test_each_is_told_each_thing_of_each_file_once(store: CoordStore) -> None:
    told = [("a", b"/x", "one"), ("a", b"/x", "two"), ("a", b"/y", "one"), ("b", b"/x", "one")]
    with store.transaction() as tx:
        assert [notes.first_time(tx, *what) for what in told] == [True] * 4
        assert [notes.first_time(tx, *what) for what in told] == [False] * 4


def test_a_lapse_to_somebody_is_told_once_and_remembered(store: CoordStore) -> None:
    with store.transaction() as tx:
        notes.lapsed(tx, "a", b"/caf\xe9", "b")
        notes.lapsed(tx, "a", b"/caf\xe9", "b")
        notes.lapsed(tx, "a", b"/caf\xe9", "c:d")
        assert sorted(notes.take_lapsed(tx, "a")) == [("/caf\udce9", "b"), ("/caf\udce9", "c:d")]
        assert notes.take_lapsed(tx, "a") == []
        assert notes.had_lapsed(tx, "a", b"/caf\xe9")
        assert not notes.had_lapsed(tx, "b", b"/caf\xe9")


def test_a_lapse_in_nobodys_favour_is_only_remembered(store: CoordStore) -> None:
    with store.transaction() as tx:
        notes.lapsed(tx, "a", b"/x", "")
        assert notes.take_lapsed(tx, "a") == []
        assert notes.had_lapsed(tx, "a", b"/x")
        notes.first_time(tx, "a", b"/x", "lapsing is no lapse")
        assert notes.take_lapsed(tx, "a") == []
