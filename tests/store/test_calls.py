"""Calls that are open, files that are watched meanwhile, and what could not be told."""

from pathlib import Path

from store.support import Clock

from coordhooks import fingerprint
from coordhooks.store import CoordStore, calls, untold, watches

# -- calls --------------------------------------------------------------------------------------------------


def test_a_call_without_an_id_is_not_kept_open(store: CoordStore) -> None:
    with store.transaction() as tx:
        calls.open_(tx, "a", "", "Bash", coord=True)
        assert not calls.any_open(tx, "a")
        assert calls.callers_of_coord(tx, ["a"]) == ["a"]  # the audit knows it


def test_a_call_that_two_hooks_open_is_one(store: CoordStore) -> None:
    with store.transaction() as tx:
        for head in ("", "ref: main"):
            calls.open_(tx, "a", "c1", "Bash", head=head)
        row = calls.get(tx, "a", "c1")
        assert row is not None
        assert row["head"] == "ref: main"
        calls.close(tx, "a", "c1")
        calls.close(tx, "a", "c1")
        assert calls.get(tx, "a", "c1") is None


def test_one_id_of_two_runtimes_is_two_calls(store: CoordStore) -> None:
    with store.transaction() as tx:
        for who in ("a", "b"):
            calls.open_(tx, who, "c1", "Bash")
        calls.open_(tx, "a", "c2", "Bash")
        calls.close_all(tx, "a")
        assert [calls.any_open(tx, who) for who in ("a", "b")] == [False, True]


def test_an_open_caller_of_coord_goes_before_one_of_just_now(store: CoordStore, clock: Clock) -> None:
    with store.transaction() as tx:
        calls.open_(tx, "a", "c1", "Bash", coord=True)
        calls.close(tx, "a", "c1")
        calls.open_(tx, "b", "c2", "Bash")
        assert calls.callers_of_coord(tx, ["a", "b"]) == ["a"]
        calls.open_(tx, "b", "c3", "Bash", coord=True)
        assert calls.callers_of_coord(tx, ["a", "b"]) == ["b"]
        assert calls.callers_of_coord(tx, ["a"]) == ["a"]
        assert calls.callers_of_coord(tx, ["x"]) == []
    clock.advance(calls.JUST_NOW)
    with store.transaction() as tx:
        assert calls.callers_of_coord(tx, ["a"]) == []


# -- watches ------------------------------------------------------------------------------------------------


def watch(store: CoordStore, who: str, call: str, path: Path, holder: str = "") -> None:
    with store.transaction() as tx:
        name = str(path).encode()
        watches.put(tx, who, call, name, name, holder, fingerprint.take(str(path)))


def test_what_a_file_looked_like_first_is_what_counts(store: CoordStore, tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("before")
    seen = fingerprint.take(str(file))
    watch(store, "a", "c1", file)
    file.write_text("after it")
    watch(store, "a", "c1", file)  # the same hook, installed twice
    with store.transaction() as tx:
        (row,) = watches.of_call(tx, "a", "c1")
        assert (watches.seen(row).status, watches.seen(row).digest) == (seen.status, seen.digest)
        assert watches.path_of(row) == str(file)
        assert fingerprint.changed(watches.seen(row), fingerprint.take(str(file)))


def test_a_file_that_was_not_there_is_seen_to_come(store: CoordStore, tmp_path: Path) -> None:
    watch(store, "a", "c1", tmp_path / "new")
    (tmp_path / "new").touch()
    with store.transaction() as tx:
        (row,) = watches.of_call(tx, "a")
        assert fingerprint.changed(watches.seen(row), fingerprint.take(str(tmp_path / "new")))


def test_watches_end_by_call_or_all_together_and_others_go_on(store: CoordStore, tmp_path: Path) -> None:
    for who, call, name in (("a", "c1", "x"), ("a", "c2", "x"), ("a", "c2", "y"), ("b", "c1", "x")):
        watch(store, who, call, tmp_path / name)
    with store.transaction() as tx:
        watches.close(tx, "a", "c1")
        assert [calls.watched(tx, "a", call) for call in ("c1", "c2", None)] == [False, True, True]
        assert len(watches.of_call(tx, "a")) == 2
        watches.close(tx, "a")
        assert not calls.watched(tx, "a")
        assert [row["runtime_id"] for row in watches.others(tx, str(tmp_path / "x").encode(), "a")] == ["b"]
        assert watches.others(tx, str(tmp_path / "x").encode(), "b") == []


def test_a_change_that_was_told_is_what_everyone_compares_with(store: CoordStore, tmp_path: Path) -> None:
    file = tmp_path / "a"
    for who in ("a", "b"):
        watch(store, who, "c1", file)
    file.write_text("new")
    now = fingerprint.take(str(file))
    with store.transaction() as tx:
        watches.renew(tx, str(file).encode(), now)
        for who in ("a", "b"):
            (row,) = watches.of_call(tx, who)
            assert fingerprint.changed(watches.seen(row), now) is False


# -- untold -------------------------------------------------------------------------------------------------


def test_what_could_not_be_told_is_counted_by_runtime_and_kind(store: CoordStore, clock: Clock) -> None:
    with store.transaction() as tx:
        untold.count(tx, "a", "shell")
        untold.count(tx, "b", "shell")
        untold.count(tx, "a", "mcp")
    clock.advance(5)
    with store.transaction() as tx:
        untold.count(tx, "a", "shell")
        found = [(row["what"], row["count"], row["last_at"]) for row in untold.of(tx, "a")]
    assert found == [("mcp", 1, clock.now - 5), ("shell", 2, clock.now)]
