"""Claim, release, renew and list, as agents and as a person."""

from pathlib import Path

import pytest

from cli.support import Agent, Machine

EVIL = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x1bPq#0\x1b\\\x9b31mred\rfake line\u202e"


def kinds(machine: Machine) -> dict[str, str]:
    return {
        str(lease["path"]).rpartition("/")[2]: str(lease["kind"]) for lease in machine.store.active_leases()
    }


def controls(text: str) -> list[str]:
    return [
        c for c in text if (c < " " and c not in "\n\t") or "\x7f" <= c <= "\x9f" or "\u202a" <= c <= "\u202e"
    ]


def test_agents_claim_lasts_for_its_turn_and_a_persons_for_an_hour(machine: Machine, alice: Agent) -> None:
    assert alice("claim", "src/a.py").out == "claimed src/a.py\n"
    assert machine.coord("claim", "notes.txt").code == 0
    assert alice("claim", "src/b.py", "--ttl", "30m").code == 0
    assert kinds(machine) == {"a.py": "turn", "notes.txt": "timed", "b.py": "timed"}
    ends = {
        str(e["path"]).rpartition("/")[2]: e["expires_at"] - e["claimed_at"]
        for e in machine.store.active_leases()
    }
    assert ends == {"a.py": 3600, "notes.txt": 3600, "b.py": 1800}


def test_refusal_lists_every_conflict_and_claims_nothing(machine: Machine, alice: Agent, bob: Agent) -> None:
    alice("claim", "src/a.py", "notes.txt", "--for", "the great tidying")
    said = bob("claim", "lib/a.py", "src", "notes.txt")
    assert (said.code, said.out) == (1, "")
    for part in (
        "src/a.py",
        "notes.txt",
        alice.handle,
        "the great tidying",
        "coord wait src/a.py",
        "Nothing was claimed",
    ):
        assert part in said.err
    assert "lib/a.py" not in machine.held()


def test_refused_agent_waits_from_then_on_without_that_counting_as_a_refused_write(
    machine: Machine, alice: Agent, bob: Agent
) -> None:
    alice("claim", "src/a.py")
    bob("claim", "src/a.py")
    with machine.store.transaction() as tx:
        (row,) = tx.all("SELECT * FROM waits")
    assert (row["runtime_id"], row["holder"], row["refusals"]) == (bob.id, alice.id, 0)
    alice("release", "src/a.py")
    bob("claim", "src/a.py")
    with machine.store.transaction() as tx:
        assert tx.all("SELECT * FROM waits") == []


def test_names_are_relative_to_the_working_folder(machine: Machine, alice: Agent) -> None:
    alice("claim", "a.py", "../notes.txt", cwd=machine.repo / "src")
    assert set(machine.held()) == {"src/a.py", "notes.txt"}


@pytest.mark.parametrize("spelled", ["src", "src/", "./src/../src", "{repo}/src"])
def test_folder_covers_what_is_in_it(machine: Machine, alice: Agent, bob: Agent, spelled: str) -> None:
    alice("claim", spelled.replace("{repo}", str(machine.repo)))
    assert bob("claim", "src/new.py").code == 1
    assert bob("claim", "src2").code == 0


def test_slash_is_the_root_of_the_working_tree(machine: Machine, alice: Agent, bob: Agent) -> None:
    assert alice("claim", "/").out == "claimed /\n"
    assert bob("claim", "lib/a.py").code == 1
    assert machine.coord("claim", "/", cwd=machine.home).code == 1


def test_resources_have_a_name_space_of_their_own(machine: Machine, alice: Agent, bob: Agent) -> None:
    alice("claim", "@src/a.py")
    assert bob("claim", "src/a.py").code == 0
    assert "@src/a.py" in bob("claim", "@src").err
    assert bob("claim", "./@src").code == 0
    assert alice("release", "@src/a.py").code == 0
    assert bob("claim", "@src").code == 0


def test_everywhere_meets_other_worktrees(machine: Machine, alice: Agent, worktree: Path) -> None:
    carol = machine.agent("sess-C", cwd=worktree)
    alice("claim", "src/a.py")
    assert carol("claim", "src/a.py", cwd=worktree).code == 0
    assert alice("claim", "src/b.py", "--everywhere").code == 0
    assert carol("claim", "src/b.py", cwd=worktree).code == 1
    assert "everywhere" in alice("leases").out
    assert alice("release", "src/b.py").code == 0
    assert carol("claim", "src/b.py", cwd=worktree).code == 0


def test_append_meets_only_exclusive(alice: Agent, bob: Agent) -> None:
    alice("claim", "notes.txt", "--append")
    assert bob("claim", "notes.txt", "--append").code == 0
    assert bob("claim", "notes.txt").code == 1


def test_large_folder_is_warned_about(machine: Machine, alice: Agent) -> None:
    for number in range(51):
        (machine.repo / "lib" / f"{number}.txt").touch()
    assert "more than 50 files" in alice("claim", "lib").err
    assert alice("claim", "src").err == ""
    assert machine.coord("claim", "other").err == ""


def test_release_of_what_one_does_not_hold_is_no_error(machine: Machine, alice: Agent, bob: Agent) -> None:
    alice("claim", "src/a.py")
    assert bob("release", "src/a.py").code == 0
    assert machine.held() == {"src/a.py": alice.id}
    assert alice("release", "--all").out == "released src/a.py\n"
    assert alice("release").code == 2


def test_renew(machine: Machine, alice: Agent) -> None:
    alice("claim", "src/a.py", "--ttl", "10s")
    assert alice("renew", "--ttl", "2h").code == 0
    (lease,) = machine.store.active_leases()
    assert lease["expires_at"] - lease["claimed_at"] > 7000  # type: ignore[operator]
    assert alice("renew", "src/b.py").code == 1


@pytest.mark.parametrize("ttl", ["0", "soon", "-5m", "inf", "nan"])
def test_bad_duration_is_wrong_use(alice: Agent, ttl: str) -> None:
    assert alice("claim", "src/a.py", f"--ttl={ttl}").code == 2


def test_unusable_names_are_refused_whole(machine: Machine, alice: Agent) -> None:
    for name in ("", "@", "@..", "@/x"):
        said = alice("claim", "src/a.py", name)
        assert said.code == 1, name
        assert said.err.startswith("coord: ")
    assert machine.held() == {}


def test_listing_as_json_has_the_stores_names(machine: Machine, alice: Agent) -> None:
    alice("claim", "src/a.py", "--for", "x")
    (lease,) = alice("leases", "--json").json
    assert lease["path"] == str(machine.repo / "src/a.py")
    assert lease["runtime_id"] == alice.id
    assert lease["conversation_id"] == "sess-A"
    assert {"mode", "purpose", "expires_at", "claimed_at", "scope", "kind"} <= set(lease)


def test_listing_of_paths_shows_what_stands_in_the_way(alice: Agent, bob: Agent) -> None:
    alice("claim", "src")
    bob("claim", "lib")
    assert [alice.handle in line for line in bob("leases", "src/a.py").lines] == [False, True]
    assert bob("leases", "notes.txt").out == "nothing is held here\n"


def test_listing_is_plain_whatever_the_width(machine: Machine, alice: Agent) -> None:
    long = "a/" * 60 + "x.py"
    alice("claim", long, "--for", "word " * 60)
    said = alice("leases", env={"COLUMNS": "20"})
    assert long in said.lines[1]
    assert len(said.lines) == 2
    assert controls(said.out) == []


def test_no_control_character_reaches_the_terminal(machine: Machine, alice: Agent, bob: Agent) -> None:
    name = "evil\x1b[2J\x07.py"
    alice("claim", name, "--for", EVIL)
    for said in (
        bob("leases"),
        bob("claim", name),
        bob("status"),
        bob("check", name),
        alice("release", name),
    ):
        assert controls(said.out + said.err) == []
        assert "ZXZpbA" not in said.out + said.err
    assert alice("claim", b"\xff.py".decode("utf-8", "surrogateescape")).code == 0
    assert bob("leases").code == 0
    assert bob("leases", "--json").json[0]["path"].endswith("\udcff.py")


def test_looking_takes_no_lease_away(machine: Machine, alice: Agent, bob: Agent) -> None:
    alice("claim", "src/a.py")
    with machine.store.transaction() as tx:  # an automatic lease that was not touched for long: it yields
        tx.run("UPDATE leases SET kind = 'automatic', touched_at = touched_at - 3600")
    for command in (("leases",), ("status",), ("leases", "src"), ("check", "src/a.py"), ("statusline",)):
        assert bob(*command).code == 0
        assert machine.held() == {"src/a.py": alice.id}
    assert bob("claim", "src/a.py").code == 0
    assert machine.held() == {"src/a.py": bob.id}
