"""Who calls: the process tree, the noted call, the exported variable, ``--as``."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli import support
from cli.support import Agent, Machine

CHECKOUT = Path(__file__).parents[2]
HARNESS = Path(__file__).with_name("harness_process.py")


def who(said: object) -> str:
    return str(said.json["you"])  # type: ignore[attr-defined]


def test_nearest_process_with_a_runtime_is_ours(machine: Machine, alice: Agent, bob: Agent) -> None:
    shell = os.getpid()
    above = [shell, bob.process.pid, alice.process.pid]
    assert who(machine.coord("status", "--json", above=above)) == bob.handle
    bob.die()
    assert who(machine.coord("status", "--json", above=above)) == alice.handle


def test_person_without_harness(machine: Machine) -> None:
    assert who(machine.coord("status", "--json")) == "human"


def test_tree_outranks_the_variable(machine: Machine, alice: Agent, bob: Agent) -> None:
    env = {"COORD_RUNTIME": bob.id}
    assert who(alice("status", "--json", env=env)) == alice.handle
    assert who(machine.coord("status", "--json", env=env)) == bob.handle


def test_stale_variable_alone_is_nobody_not_a_person(machine: Machine, alice: Agent) -> None:
    alice.die()
    said = machine.coord("claim", "src/a.py", env={"COORD_RUNTIME": alice.id})
    assert said.code == 1
    assert "not registered" in said.err
    assert machine.held() == {}


def test_noted_call_tells_subagents_apart(machine: Machine, alice: Agent) -> None:
    child = alice.subagent("agent-1")
    said = alice("claim", "src/a.py")
    assert said.code == 1
    assert "--as HANDLE" in said.err
    assert alice.handle in said.err
    alice.calls_coord(child)
    assert alice("claim", "src/a.py").code == 0
    assert machine.held() == {"src/a.py": child}
    alice.calls_coord(alice.id)  # now both
    assert alice("claim", "src/b.py").code == 1


def test_command_in_the_background_starts_after_its_call_has_ended(machine: Machine, alice: Agent) -> None:
    child = alice.subagent("agent-1")
    alice.calls_coord(child)
    with machine.store.transaction() as tx:
        support.calls.close(tx, child, "call-coord")
    assert alice("claim", "src/a.py").code == 0
    assert machine.held() == {"src/a.py": child}
    with machine.store.transaction() as tx:
        tx.run("UPDATE audit SET at = at - 60")
    assert alice("claim", "src/b.py").code == 1


def test_as_is_for_ones_own_process(machine: Machine, alice: Agent, bob: Agent) -> None:
    child = alice.subagent("agent-1")
    handle = str(machine.row(child)["conversation_handle"])
    assert alice("claim", "src/a.py", "--as", handle).code == 0
    assert alice("claim", "src/b.py", "--as", alice.id).code == 0
    assert machine.held() == {"src/a.py": child, "src/b.py": alice.id}
    said = alice("claim", "lib", "--as", bob.handle)
    assert (said.code, machine.held().get("lib")) == (1, None)


def test_person_may_speak_for_anyone(machine: Machine, alice: Agent) -> None:
    assert machine.coord("claim", "src/a.py", "--as", alice.handle).code == 0
    assert machine.held() == {"src/a.py": alice.id}
    assert machine.coord("claim", "src/a.py", "--as", "nobody").code == 1


@pytest.mark.parametrize("command", [("off",), ("on",), ("revoke", "src/a.py")])
def test_agents_may_not(machine: Machine, alice: Agent, command: tuple[str, ...]) -> None:
    for said in (
        alice(*command),
        machine.coord(*command, env={"COORD_RUNTIME": alice.id}),
        machine.coord(*command, env={"COORD_RUNTIME": "stale"}),
    ):
        assert said.code == 1
        assert "only a person may" in said.err


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("program", ["claude", "codex"])
def test_program_of_a_harness_among_the_ancestors_is_enough(
    machine: Machine, program: str, tmp_path: Path
) -> None:
    harness = tmp_path / program
    shutil.copy(shutil.which("sleep") or "/bin/sleep", harness)
    process = subprocess.Popen([harness, "1000"])
    try:
        assert "only a person may" in machine.coord("off", above=[process.pid]).err
        assert "not registered" in machine.coord("claim", "src/a.py", above=[process.pid]).err
        assert machine.coord("leases", above=[process.pid]).code == 0
    finally:
        process.kill()
        process.wait()


def start(machine: Machine, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """``coord`` as a real child of a real process that has registered a runtime for itself."""
    environ = {"PATH": os.environ["PATH"], "HOME": str(machine.home), "PYTHONPATH": str(CHECKOUT), **env}
    command = [sys.executable, str(HARNESS), "sess-real", *arguments]
    return subprocess.run(
        command, cwd=machine.repo, env=environ, capture_output=True, text=True, timeout=60, check=False
    )


def test_real_process_tree(machine: Machine, alice: Agent) -> None:
    done = start(machine, "claim", "src/a.py", COORD_RUNTIME=alice.id)
    assert (done.returncode, done.stdout) == (0, "claimed src/a.py\n"), done.stderr
    (claimed,) = [e for e in machine.store.audit_events() if e["event"] == "leases_claimed"]
    (registered,) = [
        e for e in machine.store.audit_events() if e["details"].get("conversation_id") == "sess-real"
    ]  # type: ignore[attr-defined]
    assert claimed["runtime_id"] == registered["runtime_id"]
    assert start(machine, "off").returncode == 1


def test_real_process_through_a_shell(machine: Machine) -> None:
    done = start(machine, "--shell", "coord claim src/a.py && (setsid -w coord leases --json)")
    assert done.returncode == 0, done.stderr
    assert "sess-real" in done.stdout
