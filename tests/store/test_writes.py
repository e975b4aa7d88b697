"""Writes: whose work lies in a file, until it has landed."""

from pathlib import Path

import pytest
from store.support import Clock, take

from coordhooks import fingerprint
from coordhooks.model import Target
from coordhooks.paths import OUTSIDE
from coordhooks.store import CoordStore, runtimes, writes
from coordhooks.store.engine import Row

PROJECT = "/p/.git"


def target(path: Path, tree: str = "/p", project: str = PROJECT, folder: bool = False) -> Target:
    return Target(str(path), project, tree, path.name, key=str(path), rel=f"/{path.name}", folder=folder)


def write(store: CoordStore, who: str, path: Path, text: str | None = "1\n", **where: object) -> Row:
    """What a conversation's hook records after it has written; ``None`` deletes."""
    if text is None:
        path.unlink(missing_ok=True)
    else:
        path.write_text(text)
    with store.transaction() as tx:
        runtime = runtimes.get(tx, who)
        assert runtime is not None
        writes.record(tx, runtime, target(path, **where))  # type: ignore[arg-type]
        return writes.of_file(tx, str(path).encode(), runtime["conversation_id"])  # type: ignore[return-value]


@pytest.fixture
def pair(store: CoordStore) -> tuple[str, str]:
    return store.register_instance("A", ttl_seconds=1e9), store.register_instance("B", ttl_seconds=1e9)


@pytest.mark.parametrize("where", [{"project": OUTSIDE}, {"folder": True}])
def test_what_no_commit_takes_in_has_no_record(
    store: CoordStore, pair: tuple[str, str], tmp_path: Path, where: dict[str, object]
) -> None:
    assert write(store, pair[0], tmp_path / "a", **where) is None


def test_the_work_began_with_the_first_write_since_it_landed(
    store: CoordStore, clock: Clock, pair: tuple[str, str], tmp_path: Path
) -> None:
    file, begun = tmp_path / "a", clock.now
    write(store, pair[0], file)
    clock.advance(10)
    row = write(store, pair[0], file, "22\n")
    assert (row["first_at"], row["at"], row["size"]) == (begun, begun + 10, 3)
    with store.transaction() as tx:
        writes.land(tx, str(file).encode(), "B")  # not theirs to land
        assert writes.of_file(tx, str(file).encode(), "A")["landed"] == 0  # type: ignore[index]
        writes.land(tx, str(file).encode(), "A")
    clock.advance(10)
    row = write(store, pair[0], file)
    assert (row["first_at"], row["landed"]) == (begun + 20, 0)


def test_a_file_that_was_deleted_is_work_too(
    store: CoordStore, pair: tuple[str, str], tmp_path: Path
) -> None:
    row = write(store, pair[0], tmp_path / "gone", None)
    assert (row["size"], row["ino"], row["digest"]) == (None, None, None)
    with store.transaction() as tx:
        assert writes.by_others(tx, target(tmp_path / "gone"), "B")
        assert writes.explains(tx, str(tmp_path / "gone").encode(), fingerprint.Fingerprint())


def test_a_lease_follows_a_file_that_was_replaced(
    store: CoordStore, pair: tuple[str, str], tmp_path: Path
) -> None:
    file, other = tmp_path / "a", tmp_path / "b"
    file.write_text("1\n")
    take(store, pair[0], file)
    other.write_text("2\n")
    other.rename(file)
    write(store, pair[0], file, "3\n")
    with store.transaction() as tx:
        (lease,) = tx.all("SELECT dev, ino FROM leases")
    assert (lease["dev"], lease["ino"]) == (file.stat().st_dev, file.stat().st_ino)


def test_others_are_those_of_other_conversations_that_have_not_landed(
    store: CoordStore, clock: Clock, pair: tuple[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "a"
    for who in pair:
        write(store, who, file)
        clock.advance(1)
    with store.transaction() as tx:
        place = target(file)
        assert [row["conversation_id"] for row in writes.others(tx, place, "C")] == ["B", "A"]
        assert [row["conversation_id"] for row in writes.others(tx, place, "A")] == ["B"]
        writes.land(tx, str(file).encode(), "B")
        assert (writes.others(tx, place, "A"), writes.by_others(tx, place, "A")) == ([], False)
        assert [row["conversation_id"] for row in writes.of_path(tx, place)] == ["B", "A"]


def test_below_a_folder_is_what_lies_in_it_and_no_namesake(
    store: CoordStore, pair: tuple[str, str], tmp_path: Path
) -> None:
    for name in ("src/b", "src/a", "src.py", "src0", "src-"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write(store, pair[0], tmp_path / name)
    with store.transaction() as tx:
        found = writes.below(tx, str(tmp_path / "src").encode(), "B")
        assert [Path(bytes(row["path"]).decode()).name for row in found] == ["a", "b"]
        assert len(writes.below(tx, str(tmp_path / "src.py").encode(), "B")) == 1
        assert writes.below(tx, str(tmp_path / "src").encode(), "A") == []


def test_a_change_that_was_told_is_explained_from_then_on(
    store: CoordStore, pair: tuple[str, str], tmp_path: Path
) -> None:
    file, key = tmp_path / "a", str(tmp_path / "a").encode()
    write(store, pair[0], file)
    write(store, pair[1], file)
    file.write_text("by a person\n")
    now = fingerprint.take(str(file))
    with store.transaction() as tx:
        assert not writes.explains(tx, key, now)
        writes.adopt(tx, key, now)
        assert writes.explains(tx, key, now)
        assert {bytes(row["digest"]) for row in writes.of_path(tx, target(file))} == {now.digest}


def test_changed_since_is_the_newest_of_each_file_that_one_wrote_before(
    store: CoordStore, clock: Clock, pair: tuple[str, str], tmp_path: Path
) -> None:
    a, b = pair
    c = store.register_instance("C", ttl_seconds=1e9)
    for who, name in ((b, "early"), (a, "early"), (a, "late"), (b, "late"), (c, "late"), (b, "never")):
        write(store, who, tmp_path / name)
        clock.advance(1)
    with store.transaction() as tx:
        found = writes.changed_since(tx, "A")
        assert [(Path(bytes(row["path"]).decode()).name, row["conversation_id"]) for row in found] == [
            ("late", "C")
        ]
        assert writes.changed_since(tx, "C") == []


def test_what_has_not_landed_is_listed_by_conversation_and_by_tree(
    store: CoordStore, pair: tuple[str, str], tmp_path: Path
) -> None:
    a, b = pair
    for who, name, tree in ((a, "y", "/p"), (a, "x", "/p"), (a, "z", "/q"), (b, "x", "/p")):
        write(store, who, tmp_path / name, tree=tree)
    with store.transaction() as tx:
        writes.land(tx, str(tmp_path / "y").encode(), "A")

        def names(rows: list[Row]) -> list[str]:
            return [f"{row['conversation_id']}{Path(bytes(row['path']).decode()).name}" for row in rows]

        assert names(writes.of_conversation(tx, "A")) == ["Ax", "Az"]
        assert names(writes.of_conversation(tx, "A", "/p")) == ["Ax"]
        assert sorted(names(writes.of_tree(tx, "/p"))) == ["Ax", "Bx"]
