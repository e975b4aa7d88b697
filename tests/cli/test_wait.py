"""Waiting: free at once, freed meanwhile, still held, and never in a circle."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cli import support
from cli.support import Agent, Machine
from coordhooks.cli.commands import wait

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that a wait makes; none of them takes time."""
    made: list[float] = []
    now = [0.0]

    def sleep(seconds: float) -> None:
        made.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(wait.time, "sleep", sleep)
    monkeypatch.setattr(wait.time, "monotonic", lambda: now[0])
    return made


def test_free_names_cost_no_wait(machine: Machine, alice: Agent, pauses: list[float]) -> None:
    assert alice("wait", "src/a.py", "@deploy").out == "free: src/a.py\nfree: @deploy\n"
    assert machine.held() == {}
    assert alice("wait", "src/a.py", "--claim").out == "claimed src/a.py\n"
    assert machine.held() == {"src/a.py": alice.id}
    assert pauses == []


def test_one_never_waits_for_oneself(alice: Agent, pauses: list[float]) -> None:
    alice("claim", "src")
    assert alice("wait", "src/a.py").code == 0
    assert pauses == []


def test_still_held(machine: Machine, alice: Agent, bob: Agent, pauses: list[float]) -> None:
    alice("claim", "src/a.py")
    said = bob("wait", "src/a.py", "--timeout", "10s", "--claim")
    assert said.code == 3
    assert said.out == ""
    assert alice.handle in said.err
    assert "10 s" in said.err
    assert (pauses[0], max(pauses), sum(pauses)) == (0.05, 0.5, pytest.approx(10))
    assert machine.held() == {"src/a.py": alice.id}
    bob("wait", "src/a.py")
    assert sum(pauses) == pytest.approx(110)


def test_claims_all_of_it_when_it_is_free(
    machine: Machine, alice: Agent, bob: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice("claim", "src/a.py")

    def release(seconds: float) -> None:
        with machine.store.transaction() as tx:
            support.turns.end(tx, alice.id)
            tx.run("DELETE FROM leases")

    monkeypatch.setattr(wait.time, "sleep", release)
    assert bob("wait", "src/a.py", "notes.txt", "--claim").code == 0
    assert machine.held() == {"src/a.py": bob.id, "notes.txt": bob.id}
    with machine.store.transaction() as tx:
        assert tx.all("SELECT * FROM waits") == []


def test_killed_holder_is_not_waited_for(
    machine: Machine, alice: Agent, bob: Agent, pauses: list[float]
) -> None:
    alice("claim", "src/a.py")
    alice.die()
    assert bob("wait", "src/a.py", "--claim").code == 0
    assert machine.held() == {"src/a.py": bob.id}


def test_circle_of_two_is_refused_at_once(alice: Agent, bob: Agent, pauses: list[float]) -> None:
    alice("claim", "src/a.py")
    bob("claim", "src/b.py")
    assert alice("wait", "src/b.py", "--timeout", "1s").code == 3
    paused = len(pauses)
    said = bob("wait", "src/a.py")
    assert (said.code, len(pauses)) == (1, paused)
    for part in (f"you would wait for {alice.handle} waits for you", "coord release src/b.py"):
        assert part in said.err


def test_circle_of_three_names_all(machine: Machine, alice: Agent, bob: Agent, pauses: list[float]) -> None:
    carol = machine.agent("sess-C")
    for agent, name in ((alice, "src/a.py"), (bob, "src/b.py"), (carol, "@deploy")):
        agent("claim", name)
    assert alice("wait", "src/b.py", "--timeout", "1s").code == 3
    assert bob("wait", "@deploy", "--timeout", "1s").code == 3
    said = carol("wait", "src/a.py")
    assert said.code == 1
    assert f"you would wait for {alice.handle} waits for {bob.handle} waits for you" in said.err
    assert "coord release @deploy" in said.err


def test_persons_wait_is_not_on_record(machine: Machine, alice: Agent, pauses: list[float]) -> None:
    alice("claim", "src/a.py")
    assert machine.coord("wait", "src/a.py", "--timeout", "1s").code == 3
    with machine.store.transaction() as tx:
        assert tx.all("SELECT * FROM waits") == []


def test_real_process_waits_until_the_holder_is_killed(machine: Machine, alice: Agent) -> None:
    alice("claim", "src/a.py")
    environ = {"PATH": os.environ["PATH"], "HOME": str(machine.home), "PYTHONPATH": str(CHECKOUT)}
    program = [sys.executable, str(Path(__file__).with_name("harness_process.py")), "sess-real"]
    waiting = subprocess.Popen([*program, "wait", "src/a.py", "--claim"], cwd=machine.repo, env=environ, text=True,
                               stdout=subprocess.PIPE)  # fmt: skip
    registered = threading.Event()
    while not registered.is_set():
        with machine.store.transaction() as tx:
            if tx.all("SELECT 1 FROM waits"):
                registered.set()
    alice.die()
    out, _ = waiting.communicate(timeout=60)
    assert (waiting.returncode, out) == (0, "claimed src/a.py\n")
