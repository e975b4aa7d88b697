"""Leases: modes, conflicts, all or nothing, release, renewal, expiry."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.git import git
from store.support import START, Clock, events, held, take

from coordhooks.errors import ClaimRefused
from coordhooks.store.coordstore import CoordStore

Agent = Callable[..., str]
BAD_TTLS = [0, -1, float("nan"), float("inf"), "900", None]


@pytest.mark.parametrize(
    ("first", "second", "refused"),
    [
        ("exclusive", "exclusive", True),
        ("exclusive", "append", True),
        ("append", "exclusive", True),
        ("append", "append", False),
    ],
)
def test_modes(store: CoordStore, agent: Agent, first: str, second: str, refused: bool) -> None:
    a, b = agent("A"), agent("B")
    store.claim(a, ["log"], mode=first)
    if refused:
        with pytest.raises(ClaimRefused):
            store.claim(b, ["log"], mode=second)
    else:
        assert store.claim(b, ["log"], mode=second) == ["log"]


@pytest.mark.parametrize("mode", ["exclusive", "append"])
def test_a_runtime_never_conflicts_with_itself(store: CoordStore, agent: Agent, mode: str) -> None:
    a = agent("A")
    store.claim(a, ["src", "src/a.py"])
    assert store.claim(a, ["src/b.py", "src"], mode=mode) == ["src/b.py", "src"]


def test_unknown_mode_is_refused(store: CoordStore, agent: Agent) -> None:
    with pytest.raises(ValueError, match="exclusive or append"):
        store.claim(agent(), ["x"], mode="shared")


@pytest.mark.parametrize("ttl", BAD_TTLS)
def test_a_ttl_is_a_positive_number(store: CoordStore, agent: Agent, ttl: object) -> None:
    a = agent("A")
    with pytest.raises(ValueError, match="time to live"):
        store.claim(a, ["x"], ttl_seconds=ttl)
    store.claim(a, ["x"])
    with pytest.raises(ValueError, match="time to live"):
        store.renew_leases(a, ttl_seconds=ttl)


def test_a_refusal_lists_every_conflict_and_claims_nothing(store: CoordStore, agent: Agent) -> None:
    a, b, c = agent("A"), agent("B"), agent("C")
    store.claim(a, ["src/a.py"], purpose="parser", ttl_seconds=60)
    store.claim(b, ["lib"], mode="append", purpose="notes", ttl_seconds=120)
    with pytest.raises(ClaimRefused) as caught:
        store.claim(c, ["free", "src", "lib/x.py"])
    facts = [
        {name: conflict[name] for name in ("path", "runtime_id", "mode", "purpose", "expires_at")}
        for conflict in caught.value.conflicts
    ]
    assert facts == [
        {
            "path": "src/a.py",
            "runtime_id": a,
            "mode": "exclusive",
            "purpose": "parser",
            "expires_at": START + 60,
        },
        {"path": "lib", "runtime_id": b, "mode": "append", "purpose": "notes", "expires_at": START + 120},
    ]
    assert held(store) == {"src/a.py": a, "lib": b}
    assert "src/a.py" in str(caught.value)
    assert a in str(caught.value)


def test_one_lease_that_two_names_meet_is_one_conflict(store: CoordStore, agent: Agent) -> None:
    a, b = agent("A"), agent("B")
    store.claim(a, ["src"])
    with pytest.raises(ClaimRefused) as caught:
        store.claim(b, ["src/a.py", "src/b.py"])
    assert len(caught.value.conflicts) == 1


def test_a_repeat_updates_mode_purpose_and_expiry_and_keeps_the_claim_time(
    store: CoordStore, agent: Agent, clock: Clock
) -> None:
    a = agent("A")
    store.claim(a, ["x"], purpose="one", ttl_seconds=60)
    clock.advance(10)
    store.claim(a, ["x"], mode="append", purpose="two", ttl_seconds=600)
    (lease,) = store.active_leases()
    assert (lease["claimed_at"], lease["mode"], lease["purpose"]) == (START, "append", "two")
    assert lease["expires_at"] == START + 10 + 600


def test_a_repeat_may_shorten(store: CoordStore, agent: Agent, clock: Clock) -> None:
    a, b = agent("A"), agent("B")
    store.claim(a, ["x"], ttl_seconds=600)
    store.claim(a, ["x"], ttl_seconds=5)
    clock.advance(6)
    assert store.claim(b, ["x"]) == ["x"]


def test_a_repeat_as_exclusive_meets_others_that_append(store: CoordStore, agent: Agent) -> None:
    a, b = agent("A"), agent("B")
    store.claim(a, ["log"], mode="append")
    store.claim(b, ["log"], mode="append")
    with pytest.raises(ClaimRefused):
        store.claim(a, ["log"])
    assert {lease["mode"] for lease in store.active_leases()} == {"append"}


@pytest.mark.parametrize(("after", "free"), [(59.9, False), (60, True), (61, True)])
def test_a_lease_ends_with_its_ttl(
    store: CoordStore, agent: Agent, clock: Clock, after: float, free: bool
) -> None:
    a, b = agent("A"), agent("B")
    store.claim(a, ["x"], ttl_seconds=60)
    clock.advance(after)
    assert (held(store) == {}) is free
    if free:
        store.claim(b, ["x"])
    else:
        with pytest.raises(ClaimRefused):
            store.claim(b, ["x"])


def test_the_former_holder_of_a_lapsed_lease_is_refused_like_anyone(
    store: CoordStore, agent: Agent, clock: Clock
) -> None:
    a, b = agent("A"), agent("B")
    store.claim(a, ["x"], ttl_seconds=60)
    clock.advance(61)
    store.claim(b, ["x"])
    assert store.renew_leases(a) == []
    assert store.release(a, ["x"]) == []
    with pytest.raises(ClaimRefused):
        store.claim(a, ["x"])
    assert held(store) == {"x": b}


# -- release and renew ------------------------------------------------------------------------------------


def test_release_returns_what_there_was_sorted(store: CoordStore, agent: Agent) -> None:
    a = agent("A")
    store.claim(a, ["c", "a", "b"])
    assert store.release(a, ["c", "nothing", "./a"]) == ["a", "c"]
    assert store.release(a, ["c"]) == []
    assert held(store) == {"b": a}


def test_only_ones_own_are_released_and_exactly_those_named(store: CoordStore, agent: Agent) -> None:
    a, b = agent("A"), agent("B")
    store.claim(a, ["src/a.py", "src/b.py"])
    assert store.release(b, ["src/a.py"]) == []
    assert store.release(a, ["src"]) == []
    assert held(store) == {"src/a.py": a, "src/b.py": a}


def test_renew_all_or_a_list(store: CoordStore, agent: Agent, clock: Clock) -> None:
    a = agent("A")
    store.claim(a, ["b", "a", "c"], ttl_seconds=60)
    clock.advance(30)
    assert store.renew_leases(a, paths=["c", "b", "not-mine"], ttl_seconds=100) == ["b", "c"]
    assert {row["path"]: row["expires_at"] for row in store.active_leases()} == {
        "a": START + 60, "b": START + 130, "c": START + 130,
    }  # fmt: skip
    assert store.renew_leases(a, ttl_seconds=200) == ["a", "b", "c"]
    assert {row["expires_at"] for row in store.active_leases()} == {START + 230}


def test_an_expired_lease_cannot_be_renewed(store: CoordStore, agent: Agent, clock: Clock) -> None:
    a = agent("A")
    store.claim(a, ["x"], ttl_seconds=10)
    clock.advance(10)
    assert store.renew_leases(a) == []


@pytest.mark.parametrize("state", ["unknown", "ended", "expired"])
@pytest.mark.parametrize(
    "act",
    [
        lambda store, who: store.claim(who, ["x"]),
        lambda store, who: store.release(who, ["x"]),
        lambda store, who: store.renew_leases(who),
        lambda store, who: store.claim_resources(who, ["x"]),
        lambda store, who: store.release_resources(who, ["x"]),
        lambda store, who: store.renew_resources(who),
    ],
    ids=["claim", "release", "renew", "claim_resources", "release_resources", "renew_resources"],
)
def test_only_a_live_runtime_may(
    store: CoordStore, agent: Agent, clock: Clock, act: Callable, state: str
) -> None:
    who = agent("A", ttl_seconds=60) if state != "unknown" else "no-such-runtime"
    if state == "ended":
        store.end_instance(who)
    clock.advance(61)
    with pytest.raises(KeyError, match=who):
        act(store, who)
    assert store.active_leases() == []


# -- files, trees, scopes ---------------------------------------------------------------------------------


def in_tree(store: CoordStore, who: str, tree: Path, name: str, **options: object) -> bool:
    from coordhooks.paths import repository_of

    _, project = repository_of(str(tree), is_folder=True)
    try:
        store.claim(who, [name], tree=str(tree), project=project, **options)
    except ClaimRefused:
        return False
    return True


@pytest.mark.parametrize(
    ("first", "second", "other_tree", "granted"),
    [
        ("checkout", "checkout", False, False),
        ("checkout", "checkout", True, True),
        ("checkout", "repository", False, False),
        ("checkout", "repository", True, False),
        ("repository", "checkout", False, False),
        ("repository", "checkout", True, False),
        ("repository", "repository", True, False),
    ],
)
def test_scopes_of_a_lease(
    store: CoordStore, agent: Agent, repo: Path, worktree: Path, first: str, second: str, other_tree: bool, granted: bool
) -> None:  # fmt: skip
    a, b = agent("A"), agent("B")
    assert in_tree(store, a, repo, "src/a.py", scope=first)
    assert in_tree(store, b, worktree if other_tree else repo, "src/a.py", scope=second) is granted
    assert in_tree(store, b, worktree if other_tree else repo, "src", scope=second) is granted
    assert in_tree(store, b, worktree if other_tree else repo, "lib", scope=second)


def test_names_of_different_projects_never_conflict(store: CoordStore, agent: Agent, repo: Path) -> None:
    from harness.git import make_repository

    other = make_repository(repo.parent / "other")
    a, b = agent("A"), agent("B")
    for scope in ("checkout", "repository"):
        assert in_tree(store, a, repo, "src/a.py", scope=scope)
        assert in_tree(store, b, other, "src/a.py", scope=scope)


def test_a_folder_lease_reaches_into_trees_that_lie_inside(
    store: CoordStore, agent: Agent, repo: Path, tmp_path: Path
) -> None:
    """Harness worktrees lie inside the main tree; on disk they are below its folders all the same."""
    inner = repo / ".claude" / "worktrees" / "one"
    git(repo, "worktree", "add", "--quiet", str(inner))
    a, b = agent("A"), agent("B")
    assert in_tree(store, a, repo, ".claude")
    assert not in_tree(store, b, inner, "src/a.py")
    assert in_tree(store, b, repo, "src/a.py")


def test_two_spellings_of_one_file_are_one_lease(store: CoordStore, agent: Agent, repo: Path) -> None:
    (repo / "alias").symlink_to("src")
    a = agent("A")
    store.claim(a, ["alias/a.py", "src/a.py"], tree=str(repo))
    assert len(store.active_leases()) == 1


def test_dots_behind_a_link_mean_what_the_file_system_means(
    store: CoordStore, agent: Agent, repo: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere" / "dir").mkdir(parents=True)
    (repo / "j").symlink_to(tmp_path / "elsewhere" / "dir")
    a, b = agent("A"), agent("B")
    store.claim(a, ["j/../x.py"], tree=str(repo))
    assert [Path(row["path"]) for row in store.active_leases()] == [tmp_path / "elsewhere" / "x.py"]
    assert store.claim(b, ["x.py"], tree=str(repo))


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", ".", "..", ""])
def test_unusable_names_are_refused_in_a_tree_too(
    store: CoordStore, agent: Agent, repo: Path, name: str
) -> None:
    with pytest.raises(ValueError, match=r"."):
        store.claim(agent(), [name], tree=str(repo))


def test_unknown_scope_is_refused(store: CoordStore, agent: Agent) -> None:
    with pytest.raises(ValueError, match="scope"):
        store.claim(agent(), ["x"], scope="world")


def test_hard_links_are_one_file(store: CoordStore, agent: Agent, repo: Path) -> None:
    (repo / "AGENTS.md").write_text("1\n")
    (repo / "CLAUDE.md").hardlink_to(repo / "AGENTS.md")
    a, b = agent("A"), agent("B")
    take(store, a, repo / "AGENTS.md")
    with pytest.raises(ClaimRefused) as caught:
        take(store, b, repo / "CLAUDE.md")
    assert caught.value.conflicts[0]["path"].endswith("/AGENTS.md")


# -- resources --------------------------------------------------------------------------------------------


def test_resources_are_leases_too(store: CoordStore, agent: Agent) -> None:
    a, b = agent("A"), agent("B")
    assert store.claim_resources(a, ["push/origin/main"]) == ["push/origin/main"]
    with pytest.raises(ClaimRefused):
        store.claim_resources(b, ["push/origin"])
    assert store.renew_resources(a, names=["push/origin/main"]) == ["push/origin/main"]
    assert store.release_resources(a, ["push/origin/main"]) == ["push/origin/main"]
    assert store.claim_resources(b, ["push/origin"]) == ["push/origin"]


def test_resources_of_a_project_are_a_space_of_their_own(store: CoordStore, agent: Agent, repo: Path) -> None:
    a, b = agent("A"), agent("B")
    store.claim_resources(a, ["deploy"], project="one")
    assert store.claim_resources(b, ["deploy"], project="two") == ["deploy"]
    assert store.claim_resources(b, ["deploy"]) == ["deploy"]
    assert in_tree(store, b, repo, "deploy")
    with pytest.raises(ClaimRefused):
        store.claim_resources(b, ["deploy"], project="one")


def test_listing_by_project(store: CoordStore, agent: Agent, repo: Path) -> None:
    from coordhooks.paths import repository_of

    _, project = repository_of(str(repo), is_folder=True)
    a = agent("A")
    in_tree(store, a, repo, "src/a.py")
    in_tree(store, a, repo, "lib", scope="repository")
    store.claim_resources(a, ["deploy"], project=project)
    store.claim_resources(a, ["deploy"], project="other")
    assert sorted(Path(row["path"]).name for row in store.active_leases(project=project)) == [
        "a.py",
        "deploy",
        "lib",
    ]
    assert len(store.active_leases()) == 4


# -- audit and real time ----------------------------------------------------------------------------------


def test_each_change_is_audited_with_its_names(store: CoordStore, agent: Agent, clock: Clock) -> None:
    a, b = agent("A"), agent("B")
    store.claim(a, ["x", "y"], ttl_seconds=60)
    with pytest.raises(ClaimRefused):
        store.claim(b, ["x"])
    store.renew_leases(a, ttl_seconds=60)
    store.release(a, ["y"])
    store.release(a, ["y"])
    clock.advance(61)
    store.claim(b, ["x"])
    seen = [
        (e["event"], e["runtime_id"], e["details"].get("paths") or e["details"].get("path"))
        for e in events(store)
    ]
    assert seen[2:] == [
        ("leases_claimed", a, ["x", "y"]),
        ("claim_refused", b, ["x"]),
        ("leases_renewed", a, ["x", "y"]),
        ("leases_released", a, ["y"]),
        ("lease_lapsed", a, "x"),
        ("leases_claimed", b, ["x"]),
    ]


def test_without_a_clock_the_time_is_the_machines(db_path: Path) -> None:
    store = CoordStore(db_path)
    store.claim(store.register_instance("A"), ["x"], ttl_seconds=60)
    assert abs(store.active_leases()[0]["expires_at"] - time.time() - 60) < 30
    store.close()
