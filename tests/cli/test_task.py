"""``coord task``: who may take and end what, quality gates, listings."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from harness.gate import until

from cli import support
from cli.support import Agent, Machine
from coordhooks.cli import gates
from coordhooks.ledger import Ledger

CHECKOUT = Path(__file__).parents[2]


def ledger(machine: Machine) -> Ledger:
    return Ledger(machine.home / support.STATE / "ledger")


def add(machine: Machine, title: str = "Fix the parser", *options: str) -> str:
    """Queue a task; its id."""
    said = machine.coord("task", "add", "--title", title, *options, "--json")
    assert said.code == 0, said
    return str(said.json["task_id"])


def task(machine: Machine, task_id: str) -> dict[str, Any]:
    with ledger(machine) as opened:
        return opened.task(task_id)


def state(machine: Machine, task_id: str) -> str:
    return str(task(machine, task_id)["state"])


def configure(machine: Machine, text: str) -> None:
    path = machine.home / ".config" / "coordhooks" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


# -- queueing and listing ---------------------------------------------------------------------------------


def test_add_says_everything(machine: Machine) -> None:
    parent = add(machine, "the whole")
    made = add(
        machine, "a part", "--description", "long\ntext", "--priority", "2", "--due", "2027-01-01T00:00:00Z",
        "--capability", "gpu", "--capability", "python", "--acceptance", "tests pass", "--quality-gate", "tests",
        "--parent", parent[:8],
    )  # fmt: skip
    facts = task(machine, made)
    expected = {
        "source": "coord", "external_id": made, "project": str(machine.repo / ".git"), "title": "a part",
        "description": "long\ntext", "inherent_priority": 2.0, "due": "2027-01-01T00:00:00Z", "capability": ["gpu", "python"],
        "acceptance": ["tests pass"], "quality_gate": "tests", "parent": parent, "state": "queued",
    }  # fmt: skip
    assert {name: facts[name] for name in expected} == expected


def test_add_for_another_project(machine: Machine, tmp_path: Path) -> None:
    said = machine.coord("task", "add", "--title", "x", "--project", str(machine.repo / "src"), cwd=tmp_path)
    assert said.code == 0
    assert "x" in machine.coord("task", "list").out
    assert machine.coord("task", "add", "--title", "x", "--project", "nowhere").code == 1


def test_wrong_use(machine: Machine) -> None:
    made = add(machine)
    for words in (("add",), ("amend", made), ("correct", made), ("fail", made), ("block", made), ("done",)):
        assert machine.coord("task", *words).code == 2, words
    said = machine.coord("task", "add", "--title", "x", "--due", "tomorrow")
    assert said.code == 1
    assert "RFC 3339" in said.err


def test_list_shows_open_tasks_of_this_project(machine: Machine, alice: Agent, tmp_path: Path) -> None:
    assert machine.coord("task", "list").out == "no such tasks here\n"
    first, second = add(machine, "one", "--due", "2027-03-01T00:00:00Z"), add(machine, "two\x1b[2J")
    alice("task", "lease", first)
    header, one, two = machine.coord("task", "list").lines
    assert header.split() == ["ID", "STATE", "OWNER", "TITLE", "ATTEMPT", "DUE"]
    assert one.split()[:4] == [first[:8], "leased", alice.handle, "one"]
    assert "2027-03-01" in one
    assert "\x1b" not in two
    assert machine.coord("task", "list", cwd=tmp_path).out == "no such tasks here\n"
    assert len(machine.coord("task", "list", "--all", cwd=tmp_path).lines) == 3
    assert [t["task_id"] for t in machine.coord("task", "list", "--json").json] == [first, second]
    alice("task", "done", first)
    assert [t["task_id"] for t in machine.coord("task", "list", "--json").json] == [second]
    assert [t["task_id"] for t in machine.coord("task", "list", "--state", "completed", "--json").json] == [
        first
    ]


def test_the_beginning_of_an_id_is_enough(machine: Machine) -> None:
    made = add(machine)
    assert machine.coord("task", "show", made[:8], "--json").json["task_id"] == made
    for said in (made[:7], "00000000"):
        answer = machine.coord("task", "show", said)
        assert answer.code == 1
        assert "coord task list" in answer.err
    with ledger(machine) as opened:
        for end in "ab":
            payload = {"source": "s", "external_id": end, "project": "p"}
            opened.append({"type": "TaskCreated", "task_id": f"twins-of-one-{end}", "version": 1, "surface": "cli", "payload": payload})  # fmt: skip
    assert "beginning of 2 task ids" in machine.coord("task", "show", "twins-of").err
    machine.coord("task", "done", made)
    assert machine.coord("task", "show", made[:8]).code == 0  # also a finished one


def test_show_names_the_owner(machine: Machine, alice: Agent) -> None:
    made = add(machine)
    alice("task", "lease", made)
    assert alice.handle in machine.coord("task", "show", made).out


# -- taking and ending ------------------------------------------------------------------------------------


def test_an_agent_takes_and_ends_a_task(machine: Machine, alice: Agent) -> None:
    made = add(machine)
    assert alice("task", "lease", made).code == 0
    lease = task(machine, made)["lease"]
    assert lease["harness_id"] == alice.id
    assert alice.row["task"] == "Fix the parser"  # what a veto says that it is at
    assert alice("task", "renew", made, "--ttl", "2h").code == 0
    assert task(machine, made)["lease"]["until_ns"] > lease["until_ns"]
    assert alice("task", "done", made, "--report", "-", stdin=b"it was easy\xff").code == 0
    assert state(machine, made) == "completed"
    with ledger(machine) as opened:
        assert opened.artifact(task(machine, made)["report_ref"]) == b"it was easy\xff"


@pytest.mark.parametrize(
    ("words", "expected", "facts"),
    [
        (("fail", "--reason", "impossible"), "failed", {"failure_class": "impossible"}),
        (("block", "--reason", "waiting for the API key"), "blocked", {"block_reason": "credentials"}),
        (("release",), "queued", {"attempt": 1, "failure_class": "released"}),
        (("release", "--reason", "not mine"), "queued", {"attempt": 1, "failure_class": "not mine"}),
    ],
)
def test_other_ends(
    machine: Machine, alice: Agent, words: tuple[str, ...], expected: str, facts: dict[str, Any]
) -> None:
    made = add(machine)
    alice("task", "lease", made)
    assert alice("task", words[0], made, *words[1:]).code == 0
    found = task(machine, made)
    assert (found["state"], found["lease"]) == (expected, None)
    assert {name: found[name] for name in facts} == facts


def test_a_handoff_goes_along_and_is_no_failed_attempt(machine: Machine, alice: Agent, bob: Agent) -> None:
    made = add(machine)
    alice("task", "lease", made)
    (machine.repo / "notes").write_text("half done")
    assert alice("task", "release", made, "--handoff", "notes").code == 0
    found = task(machine, made)
    assert (found["attempt"], found["next_retry"]) == (0, None)
    assert bob("task", "lease", made).code == 0
    assert machine.coord("artifact", "get", task(machine, made)["handoff_ref"]).out == "half done"


VERBS = [("done",), ("fail", "--reason", "x"), ("block", "--reason", "x"), ("release",), ("renew",)]


@pytest.mark.parametrize("words", VERBS)
def test_a_stale_worker_is_refused_and_the_new_owner_is_not(
    machine: Machine, alice: Agent, bob: Agent, words: tuple[str, ...]
) -> None:
    made = add(machine)
    alice("task", "lease", made)
    alice("task", "release", made)
    stale = alice("task", words[0], made, *words[1:])
    assert stale.code == 1
    assert "no lease" in stale.err
    bob("task", "lease", made)
    stale = alice("task", words[0], made, *words[1:])
    assert (stale.code, stale.out) == (1, "")
    assert f"leased by {bob.handle}, not by you" in stale.err
    assert state(machine, made) == "leased"
    assert bob("task", words[0], made, *words[1:]).code == 0


def test_an_old_epoch_of_ones_own_does_not_come_back(machine: Machine, alice: Agent) -> None:
    made = add(machine)
    alice("task", "lease", made)
    old = task(machine, made)["lease"]["lease_epoch"]
    alice("task", "release", made)
    alice("task", "lease", made)
    assert task(machine, made)["lease"]["lease_epoch"] != old


def test_only_a_queued_task_can_be_leased(machine: Machine, alice: Agent, bob: Agent) -> None:
    made = add(machine)
    alice("task", "lease", made)
    said = bob("task", "lease", made)
    assert said.code == 1
    assert f"leased by {alice.handle}" in said.err


def test_a_person_ends_what_nobody_has(machine: Machine, alice: Agent) -> None:
    made, other = add(machine), add(machine)
    assert machine.coord("task", "done", made).code == 0
    alice("task", "lease", other)
    assert machine.coord("task", "done", other).code == 1
    assert machine.coord("task", "done", other, "--as", alice.handle).code == 0
    assert alice("task", "done", made).code == 1  # it is done


def test_a_person_leases_as_human(machine: Machine) -> None:
    made = add(machine)
    assert machine.coord("task", "lease", made).code == 0
    assert task(machine, made)["lease"]["harness_id"] == "human"
    assert machine.coord("task", "renew", made).code == 0
    assert machine.coord("task", "done", made).code == 0


def test_a_dead_agents_task_is_free_at_once(machine: Machine, alice: Agent, bob: Agent) -> None:
    made = add(machine)
    alice("task", "lease", made)
    alice.die()
    assert bob("task", "lease", made).code == 0
    found = task(machine, made)
    assert (found["attempt"], found["failure_class"]) == (1, "pane_exited")


def test_amend_and_correct(machine: Machine, alice: Agent) -> None:
    made = add(machine)
    assert machine.coord("task", "amend", made, "--title", "Better", "--priority", "3").code == 0
    assert machine.coord("task", "correct", made, "--capability", "gpu", "--acceptance", "it works").code == 0
    found = task(machine, made)
    assert (found["title"], found["inherent_priority"], found["capability"]) == ("Better", 3, ["gpu"])
    alice("task", "lease", made)
    alice("task", "block", made, "--reason", "waits")
    assert alice("task", "correct", made, "--state", "queued").code == 0
    assert state(machine, made) == "queued"
    with ledger(machine) as opened:
        first = next(opened.events())["id"]
    assert machine.coord("task", "correct", made, "--event", first[:12], "--title", "Best").code == 0
    assert machine.coord("task", "correct", made, "--event", "nonsense-id", "--title", "x").code == 1
    with ledger(machine) as opened:
        assert [*opened.events()][-1]["payload"]["corrects"] == first


def test_what_anybody_may_say_is_not_said_in_the_owners_name(machine: Machine, alice: Agent) -> None:
    made = add(machine, "x")
    alice("task", "lease", made)
    assert machine.coord("task", "amend", made, "--title", "Better").code == 0
    assert machine.coord("task", "correct", made, "--title", "Best").code == 0
    assert alice("task", "correct", made, "--state", "queued").code == 0
    with Ledger(machine.home / support.STATE / "ledger") as opened:
        amended, corrected, queued = [event["payload"] for event in opened.events(2)]
    assert not {"harness_id", "lease_epoch"} & (amended.keys() | corrected.keys())
    assert queued["harness_id"] == alice.id


def test_a_state_is_corrected_by_its_owner(machine: Machine, alice: Agent, bob: Agent) -> None:
    made = add(machine)
    alice("task", "lease", made)
    assert bob("task", "correct", made, "--state", "failed").code == 1
    assert alice("task", "correct", made, "--state", "failed").code == 0


# -- quality gates ----------------------------------------------------------------------------------------


def test_a_gate_must_pass(machine: Machine, alice: Agent) -> None:
    configure(machine, "[gates]\ntests = 'pwd; test -e good || { echo \"no good\" >&2; exit 3; }'")
    made = add(machine, "x", "--quality-gate", "tests")
    alice("task", "lease", made)
    said = alice("task", "done", made, cwd=machine.repo / "src")
    assert said.code == 1
    assert "quality gate 'tests' ended with exit code 3" in said.err
    assert state(machine, made) == "leased"
    ref = said.err.split("coord artifact get ")[1].split("`")[0]
    assert machine.coord("artifact", "get", ref).out == f"{machine.repo}\nno good\n"
    (machine.repo / "good").touch()
    assert alice("task", "done", made).code == 0


def test_the_gate_runs_in_the_project_of_the_task(
    machine: Machine, alice: Agent, worktree: Path, tmp_path: Path
) -> None:
    configure(machine, "gates.where = 'pwd; false'")
    made = add(machine, "x", "--quality-gate", "where")
    alice("task", "lease", made)
    for cwd, expected in ((worktree, worktree), (tmp_path, machine.repo)):
        ref = alice("task", "done", made, cwd=cwd).err.split("coord artifact get ")[1].split("`")[0]
        assert machine.coord("artifact", "get", ref).out == f"{expected}\n"


def test_a_gate_of_the_project_goes_first(machine: Machine) -> None:
    configure(machine, f'[gates]\na = "false"\nb = "true"\n[project."{machine.repo}".gates]\na = "true"')
    for gate in ("a", "b"):
        assert machine.coord("task", "done", add(machine, "x", "--quality-gate", gate)).code == 0


def test_a_gate_that_is_not_configured_is_refused(machine: Machine) -> None:
    for name in ("missing", "touch pwned", "$(touch pwned)"):
        made = add(machine, "x", "--quality-gate", name)
        said = machine.coord("task", "done", made)
        assert said.code == 1
        assert "your settings have no such gate" in said.err
        assert state(machine, made) == "queued"
    assert not (machine.repo / "pwned").exists()


def test_a_gate_is_given_up(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "TIMEOUT", 0.3)
    configure(machine, "gates.slow = 'echo begun; sleep 60 & sleep 60'")
    said = machine.coord("task", "done", add(machine, "x", "--quality-gate", "slow"))
    assert "took longer than 0.3 s" in said.err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_gate_ends_with_the_command(machine: Machine, number: int) -> None:
    configure(machine, "gates.slow = 'sleep 60 & echo $! > pid; wait'")
    made = add(machine, "x", "--quality-gate", "slow")
    environ = {"PATH": os.environ["PATH"], "HOME": str(machine.home), "PYTHONPATH": str(CHECKOUT)}
    code = "import sys; from coordhooks.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "task", "done", made], cwd=machine.repo, env=environ
    )
    pid = machine.repo / "pid"
    until(lambda: pid.exists() and pid.read_text().endswith("\n"), "the gate runs")
    process.send_signal(number)
    assert process.wait(60) in (128 + signal.SIGTERM, -signal.SIGKILL)
    until(lambda: not is_running(int(pid.read_text())), "the gate has ended")
    assert state(machine, made) == "queued"


def is_running(pid: int) -> bool:
    """Is it, and no zombie that nobody has buried yet?"""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_no_gate_for_a_sandboxed_call(machine: Machine, alice: Agent) -> None:
    configure(machine, "gates.tests = 'touch ran'")
    made = add(machine, "x", "--quality-gate", "tests")
    alice("task", "lease", made)
    for variable in ("CODEX_SANDBOX_NETWORK_DISABLED", "COORD_CALLER"):
        said = alice("task", "done", made, env={variable: alice.id})
        assert said.code == 1
        assert "not run for a sandboxed call" in said.err
    assert not (machine.repo / "ran").exists()


def test_an_agent_does_not_go_around_a_gate(machine: Machine, alice: Agent) -> None:
    made = add(machine, "x", "--quality-gate", "tests")
    alice("task", "lease", made)
    for words in (("--quality-gate", ""), ("--state", "completed")):
        said = alice("task", "correct", made, *words)
        assert said.code == 1
        assert "only a person may" in said.err


def test_bad_gates_are_told(machine: Machine) -> None:
    for text in ("gates = 3", "gates.x = 3", "gates.x = ''"):
        configure(machine, text)
        assert "gates" in machine.coord("status").out


# -- what else shows tasks --------------------------------------------------------------------------------


def test_status_counts_open_tasks(machine: Machine, alice: Agent, tmp_path: Path) -> None:
    assert "tasks" not in machine.coord("status").out
    made = add(machine)
    add(machine)
    alice("task", "lease", made)
    assert "tasks: 1 leased, 1 queued\n" in machine.coord("status").out
    assert machine.coord("status", "--json").json["tasks"] == {"leased": 1, "queued": 1}
    assert "tasks" not in machine.coord("status", cwd=tmp_path).out
    alice.die()
    assert "tasks: 2 queued\n" in machine.coord("status").out


def test_status_survives_a_damaged_ledger(machine: Machine) -> None:
    add(machine)
    path = machine.home / support.STATE / "ledger" / "events.jsonl"
    path.write_text("damage\n" + path.read_text())
    said = machine.coord("status")
    assert said.code == 0
    assert "Task ledger:" in said.out
    assert "line 1" in said.out
    assert machine.coord("task", "list").code == 1
    assert machine.coord("task", "add", "--title", "x").code == 1
