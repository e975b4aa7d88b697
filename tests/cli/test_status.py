"""The screen, the list of agents, names of one's own, the off-switch, the status line."""

import time

import pytest

from cli.support import Agent, Machine
from cli.test_leases import EVIL, controls
from coordhooks.cli.commands import status
from coordhooks.fastjson import dumps
from coordhooks.store import turns


def test_one_screen(machine: Machine, alice: Agent, bob: Agent) -> None:
    alice("claim", "src/a.py", "--for", "tidying")
    bob("send", alice.handle, "hello")
    with machine.store.transaction() as tx:
        turns.begin(tx, alice.id, "turn-2", "Tidy up")
        tx.run("UPDATE runtimes SET terminal = '%7' WHERE runtime_id = ?", alice.id)
    said = bob("status")
    line = next(line for line in said.lines if line.startswith(alice.handle))
    for part in ("Claude Code", "working since", "repo on main %7", "1", "Tidy up"):
        assert part in line
    assert any(line.startswith("src/a.py") and "tidying" in line for line in said.lines)
    assert said.lines[-1] == f"you are {bob.handle}"


def test_json_has_stable_names(machine: Machine, alice: Agent) -> None:
    alice("claim", "src/a.py")
    facts = alice("status", "--json").json
    assert {"project", "tree", "you", "agents", "leases", "off", "off_until", "could_not_tell"} <= set(facts)
    (agent,) = facts["agents"]
    assert (agent["runtime_id"], agent["state"], agent["branch"]) == (alice.id, "working", "main")
    assert facts["leases"][0]["runtime_id"] == alice.id


def test_other_projects_only_when_asked(machine: Machine, alice: Agent) -> None:
    machine.agent("sess-Z", cwd=machine.home)
    assert len(alice("who", "--json").json) == 1
    assert len(alice("who", "--all", "--json").json) == 2
    assert len(alice("status", "--all", "--json").json["agents"]) == 2
    assert alice("who", cwd=machine.home.parent).lines[0].startswith("AGENT")


def test_states(machine: Machine, alice: Agent, bob: Agent) -> None:
    with machine.store.transaction() as tx:
        turns.end(tx, alice.id)
        turns.wait_for_person(tx, bob.id)
    assert {agent["state"] for agent in alice("who", "--json").json} == {"idle", "attention"}
    bob.die()
    assert [agent["state"] for agent in alice("who", "--json").json] == ["idle"]


def test_problems_and_breaches_do_not_stay_unseen(machine: Machine) -> None:
    state = machine.home / ".local/state/coordhooks"
    (state / "problems.jsonl").write_text('{"reason": "x"}\n{"reason": "y"}\n')
    with machine.store.transaction() as tx:
        tx.audit("breach", None)
    config = machine.home / ".config/coordhooks/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("nonsense = 1\n")
    said = machine.coord("status")
    for part in ("2 times", "1 breaches", "config.toml: unknown setting 'nonsense'"):
        assert part in said.out


def test_settings_are_compiled(machine: Machine, alice: Agent, bob: Agent) -> None:
    config = machine.home / ".config/coordhooks/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'[project."{machine.repo}"]\nenabled = false\n')
    assert machine.coord("status").code == 0
    alice("claim", "src/a.py")
    assert bob("check", "src/a.py").code == 0


def test_watch_refreshes_until_it_is_stopped(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []

    def sleep(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(status.time, "sleep", sleep)
    said = machine.coord("status", "--watch")
    assert said.code == 130
    assert looks == [2.0] * 3
    assert said.out.count("no live agents here") == 3


def test_name_of_ones_own(machine: Machine, alice: Agent, bob: Agent) -> None:
    assert alice("name", "builder").code == 0
    assert "builder" in bob("who").out
    alice("claim", "src/a.py")
    assert "held by builder" in bob("claim", "src/a.py").err
    assert machine.coord("send", alice.handle, "by its handle").code == 0
    assert bob("name", "builder").code == 1
    assert bob("name", alice.handle).code == 1
    assert machine.coord("name", "boss").code == 1
    for bad in ("human", "all", "coordhooks", "", "two words", "-x", "x" * 40, "a\x1b[2J"):
        assert alice("name", "--", bad).code == 1, bad


def test_name_is_kept_over_a_resume(machine: Machine, alice: Agent, bob: Agent) -> None:
    alice("name", "builder")
    alice.die()
    resumed = machine.agent("sess-A")
    assert resumed.row["name"] == "builder"
    resumed.die()
    bob("who")  # the dead are buried
    assert bob("name", "builder").code == 0
    assert machine.agent("sess-A").row["name"] == ""


def test_off_and_on(machine: Machine) -> None:
    assert "NOT refused" in machine.coord("off", "--for", "5m").out
    facts = machine.coord("status", "--json").json
    assert facts["off"]
    assert 290 < facts["off_until"] - time.time() <= 300
    assert "OFF" in machine.coord("status").lines[0]
    assert machine.coord("off").code == 0
    facts = machine.coord("status", "--json").json
    assert (facts["off"], facts["off_until"]) == (True, None)
    assert "until `coord on`" in machine.coord("status").lines[0]
    assert not machine.coord("status", "--json", cwd=machine.home).json["off"]
    assert machine.coord("on").code == 0
    assert not machine.coord("status", "--json").json["off"]
    assert [len(machine.audit(event)) for event in ("switched_off", "switched_on")] == [2, 1]


def test_status_line(machine: Machine, alice: Agent, bob: Agent) -> None:
    bob("claim", "src/a.py")
    bob("send", alice.handle, "hello")
    told = dumps({"session_id": "sess-A", "cwd": str(machine.repo)}).encode()
    assert (
        machine.coord("statusline", stdin=told).out
        == f"{alice.handle} · 1 others here · 1 held by them · 1 unread\n"
    )
    machine.coord("off")
    assert " · OFF" in machine.coord("statusline", stdin=told).out


@pytest.mark.parametrize("told", [b"", b"no json", b"[]", b'{"session_id": 3}', b'{"session_id": "unknown"}'])
def test_status_line_never_fails(machine: Machine, told: bytes) -> None:
    assert machine.coord("statusline", stdin=told).code == 0
    machine.store.close()
    (machine.home / ".local/state/coordhooks/coord.sqlite3").write_bytes(b"no database " * 100)
    said = machine.coord("statusline", stdin=told)
    assert (said.code, len(said.lines)) == (0, 1)


def test_evil_agent_is_shown_safely(machine: Machine, alice: Agent) -> None:
    with machine.store.transaction() as tx:
        tx.run("UPDATE runtimes SET label = ?, task = ?, terminal = ?, name = ?", EVIL, EVIL, EVIL, EVIL)
    for command in (("status",), ("who",), ("status", "--json"), ("statusline",)):
        assert controls(alice(*command).out) == []
