"""A person's prompt that is exactly one of ours is answered; everything else is the model's."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli.support import Agent, Machine
from cli.test_leases import EVIL, controls
from coordhooks.handlers import prompt_commands
from coordhooks.model import Event

CHECKOUT = Path(__file__).parents[2]


def prompt(machine: Machine, alice: Agent, text: str, monkeypatch: pytest.MonkeyPatch, *, above: list[int] | None = None,
           **fields: Any) -> str:  # fmt: skip
    event = Event("user_prompt_submit", "claude-code", "sess-A")
    event.prompt, event.cwd, event.attended = text, str(machine.repo), True
    for name, value in fields.items():
        setattr(event, name, value)
    around = SimpleNamespace(db=machine.store.db, environ=os.environ, state_dir="", process=alice.identity)
    monkeypatch.setattr(prompt_commands, "ancestors", lambda pid: above or [])
    return prompt_commands.answer(event, around)  # type: ignore[arg-type]


def test_answers(machine: Machine, alice: Agent, bob: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(text: str) -> str:
        return prompt(machine, alice, text, monkeypatch)

    bob("claim", "src/a.py", "with space.py")
    assert bob.handle in ask("coord status")
    assert bob.handle in ask("coord who")
    assert ask("coord revoke src/a.py").startswith("revoked src/a.py")
    assert ask("coord revoke with space.py").startswith("revoked with space.py")
    assert "nobody holds that" in ask("coord revoke src/a.py")
    assert machine.held() == {}
    assert "NOT refused" in ask("coord off 5m")
    assert "until `coord on`" in ask("coord off")
    assert "conflicting writes are refused" in ask(" coord on\n")


def test_switch_is_that_of_the_project_in_which_the_session_began(
    machine: Machine, alice: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompt(machine, alice, "coord off", monkeypatch, cwd=str(machine.home))
    assert machine.coord("status", "--json").json["off"]


@pytest.mark.parametrize(
    "text",
    ["coord", "coord status now", "coord statusx", "coord off never", "coord off 5m please", "coord on it", "coord revoke",
     "coord claim x", "please coord off", "Coord off", "coord off\nthen go on", "coord revoke a\nb"],
)  # fmt: skip
def test_anything_else_is_the_models(
    machine: Machine, alice: Agent, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    assert prompt(machine, alice, text, monkeypatch) == ""
    assert machine.audit("switched_off") == []


def test_only_a_persons(machine: Machine, alice: Agent, bob: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    for fields in ({"attended": False}, {"agent_id": "agent-1"}, {"above": [bob.process.pid]}):
        assert prompt(machine, alice, "coord off", monkeypatch, **fields) == ""
    assert machine.audit("switched_off") == []


def test_nothing_in_the_answer_controls_the_terminal(
    machine: Machine, alice: Agent, bob: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob("claim", "a\x1b[2J.py", "--for", EVIL)
    answer = prompt(machine, alice, "coord status", monkeypatch)
    assert bob.handle in answer
    assert controls(answer) == []


def test_answers_cost_the_store_nothing_but_what_they_do(
    machine: Machine, alice: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompt(machine, alice, "coord off", monkeypatch)
    with sqlite3.connect(machine.store.db.path) as connection:
        assert connection.execute("SELECT value FROM settings WHERE name = 'off'").fetchone() == (
            float("inf"),
        )
    connection.close()


def test_nothing_beyond_the_standard_library_is_needed(machine: Machine) -> None:
    """A hook runs without site-packages."""
    modules = ("whoami", "screen", "agents", "switch", "revoking")
    code = f"import sys; sys.path.insert(0, {str(CHECKOUT)!r}); "
    code += "; ".join(f"import coordhooks.cli.{module}" for module in modules)
    subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], check=True, env={"HOME": str(machine.home)}, timeout=60
    )
