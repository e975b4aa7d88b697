"""Names: how they are normalised, when two overlap, and that looking for overlaps is one index range."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from store.support import Clock

from coordhooks.errors import ClaimRefused
from coordhooks.store import leases, overlap
from coordhooks.store.coordstore import CoordStore


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("src/a.py", "src/a.py"),
        ("  src/a.py\n", "src/a.py"),
        ("./src//a.py/", "src/a.py"),
        ("src/../lib/a.py", "lib/a.py"),
        ("src/./a.py", "src/a.py"),
        ("push/origin/main", "push/origin/main"),
        ("...", "..."),
        ("a b", "a b"),
        (r"src\a.py", r"src\a.py"),
    ],
)
def test_names_are_stripped_and_normalised(spelled: str, name: str) -> None:
    assert overlap.normalize(spelled) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "  ",
        ".",
        "./",
        "..",
        "../a",
        "a/../..",
        "a/../../b",
        "a/..",
        "/etc/passwd",
        " /x",
        "a\0b",
        "\ud800",
    ],
)
def test_unusable_names_are_refused(store: CoordStore, name: str) -> None:
    who = store.register_instance("A")
    with pytest.raises(ValueError, match=r"."):
        store.claim(who, ["good", name])
    assert store.active_leases() == []


@pytest.mark.parametrize("names", [[], (), [None], [5], [b"bytes"], [["nested"]]])
def test_requests_that_name_nothing_usable_are_refused(store: CoordStore, names: list) -> None:
    who = store.register_instance("A")
    with pytest.raises(ValueError, match=r"."):
        store.claim(who, names)


def test_names_are_deduplicated_in_order(store: CoordStore) -> None:
    who = store.register_instance("A")
    assert store.claim(who, ["b", "a", "./b", "a/", "c"]) == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("held", "asked", "refused"),
    [
        ("src", "src", True),
        ("src", "src/a.py", True),
        ("src/a.py", "src", True),
        ("src/deep/er/a.py", "src", True),
        ("src", "src2", False),
        ("src2", "src", False),
        ("src", "src.py", False),
        ("src", "src-old/a.py", False),
        ("src", "src0", False),
        ("src/a", "src/ab", False),
        ("a/b", "b", False),
        ("SRC", "src", False),
        ("app/[slug]/page.tsx", "app/s/page.tsx", False),
        ("app/[slug]/page.tsx", "app/[[...sign-in]]/page.tsx", False),
        ("app/[slug]/page.tsx", "app/[slug]/page.tsx", True),
        ("a%", "ab", False),
        ("a_c", "abc", False),
        ("a*", "ab", False),
        ("a?", "ab", False),
        ("a%", "a%/x", True),
    ],
)
def test_overlap_is_equality_or_containment_at_a_slash(
    store: CoordStore, held: str, asked: str, refused: bool
) -> None:
    one, other = store.register_instance("A"), store.register_instance("B")
    store.claim(one, [held])
    if not refused:
        assert store.claim(other, [asked]) == [asked]
        return
    with pytest.raises(ClaimRefused) as caught:
        store.claim(other, [asked])
    assert [conflict["path"] for conflict in caught.value.conflicts] == [held]


segments = st.text("ab/.%_*[é\n\t ", min_size=1, max_size=4).filter(lambda text: "/" not in text)
names = st.lists(segments, min_size=1, max_size=4).map("/".join)


@given(names, names)
def test_condition_finds_exactly_the_overlapping(one: str, other: str) -> None:
    """The SQL says the same as the definition, spelled out."""
    import sqlite3

    first, second = (f"/{name}".encode() for name in (one, other))
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (space TEXT, key BLOB)")
    connection.execute("INSERT INTO t VALUES ('s', ?)", (second,))
    found = sum(
        connection.execute(f"SELECT count(*) FROM t WHERE {condition}", values).fetchone()[0]
        for condition, values in overlap.where("space", "s", "key", first)
    )
    connection.close()
    expected = first == second or first.startswith(second + b"/") or second.startswith(first + b"/")
    assert found == expected


@pytest.mark.parametrize("analysed", [False, True], ids=["plain", "analysed"])
@pytest.mark.parametrize("everywhere", [False, True], ids=["checkout", "repository"])
def test_every_look_for_overlaps_is_a_bounded_index_range(
    store: CoordStore, monkeypatch: pytest.MonkeyPatch, everywhere: bool, analysed: bool
) -> None:
    """The cost of a claim does not grow with leases that do not overlap: the plan says so, whatever their number."""
    who = store.register_instance("A")
    _fill(store, who)
    want = overlap.Want(
        overlap.REPOSITORY + "p" if everywhere else overlap.FILES,
        b"/home/u/p/src/a.py", b"", project="p", rel=b"/src/a.py", inode=None if everywhere else (1, 2),
    )  # fmt: skip
    plans = []
    with store.transaction() as tx:
        if analysed:
            tx.run("ANALYZE")
        plain = tx.all

        def explained(sql: str, *values: object) -> list:
            plans.append([row["detail"] for row in plain("EXPLAIN QUERY PLAN " + sql, *values)])
            return plain(sql, *values)

        monkeypatch.setattr(tx, "all", explained)
        leases.overlapping(tx, want)
    assert len(plans) == (4 if everywhere else 5)
    for plan in plans:
        searches = [step for step in plan if "leases" in step]
        assert searches
        assert not any(step.startswith("SCAN") for step in plan), plan
        assert all(_bounded(step) for step in searches), plan


def _fill(store: CoordStore, who: str) -> None:
    """Many leases of one project and space, so that a plan that only looks at these would be a slow one."""
    with store.transaction() as tx:
        for i in range(300):
            tx.run(
                "INSERT INTO leases(space, key, path, project, rel, dev, ino, runtime_id, mode, kind, claimed_at,"
                " touched_at, ttl, expires_at) VALUES ('file', ?, '', 'p', ?, 1, ?, ?, 'exclusive', 'timed', 0, 0, 1, 1)",
                b"/home/u/p/%d" % i, b"/%d" % i, i, who,
            )  # fmt: skip


def _bounded(step: str) -> bool:
    """Does the search use the name or the inode itself, not only the space or the project?"""
    return step.startswith("SEARCH") and any(
        part in step for part in ("key=?", "key>? AND key<?", "rel=?", "rel>? AND rel<?", "ino=? AND dev=?")
    )


def test_a_claims_other_questions_use_indexes_too(
    store: CoordStore, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    who = store.register_instance("A")
    store.claim(store.register_instance("B"), ["x"])
    asked: list[tuple[str, tuple]] = []
    from coordhooks.store.db import Transaction

    for name in ("all", "one", "run"):
        plain = getattr(Transaction, name)

        def noted(self: object, sql: str, *values: object, plain: object = plain) -> object:
            asked.append((sql, values))
            return plain(self, sql, *values)

        monkeypatch.setattr(Transaction, name, noted)
    store.claim(who, ["y", "z/a"])
    with pytest.raises(ClaimRefused):
        store.claim(who, ["x"])
    monkeypatch.undo()
    with store.transaction() as tx:
        for sql, values in asked:
            plan = [row["detail"] for row in tx.all("EXPLAIN QUERY PLAN " + sql, *values)]
            assert not any(step.startswith("SCAN") for step in plan), (sql, plan)
