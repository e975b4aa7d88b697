"""A person at the real Codex: questions are on record while they wait, and `coord` prompts cost nothing."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from coordhooks.store import CoordStore
from harness.codex import Codex
from harness.scripted_codex import ScriptedCodex, add, patch, shell
from harness.turn import Json, say

Script = Callable[..., ScriptedCodex]
STORE = ".local/state/coordhooks/coord.sqlite3"


@pytest.fixture
def events(home: Path, codex: Codex) -> Iterator[Callable[[], list[str]]]:
    codex.install()
    store = CoordStore(home / STORE)
    yield lambda: [str(event["event"]) for event in store.audit_events()]
    store.close()


def outputs(run: Json) -> str:
    return " ".join(str(entry) for entry in run.get("entries", []))


def test_a_question_is_on_record_while_it_waits(
    codex: Codex, codex_script: Script, repo: Path, events: Callable[[], list[str]]
) -> None:
    seen: list[bool] = []

    def ask(_question: Any) -> str:
        seen.append("needs_attention" in events())
        return "decline"

    outside = shell("touch /nonexistent/x", sandbox_permissions="require_escalated", justification="why not")
    model = codex_script(outside, say("done"))
    codex.server(model=model, cwd=repo, ask=ask).prompt("try it")
    assert seen == [True]


def test_a_prompt_for_coord_never_reaches_the_model(
    codex: Codex, codex_script: Script, repo: Path, events: Callable[[], list[str]]
) -> None:
    model = codex_script(patch(add("n.py", "1")), say("done"), say("never asked"))
    server = codex.server(model=model, cwd=repo)
    server.prompt("write n.py")
    assert (repo / "n.py").exists()
    for text in ("coord status", "coord off 5m", "coord on"):
        server.prompt(text)
    assert len(model.turn_bodies()) == 2
    assert events()[-2:] == ["switched_off", "switched_on"]
    shown = " ".join(outputs(run) for run in server.hooks)
    assert "AGENT" in shown


def test_an_installation_that_is_gone_is_told(
    codex: Codex, codex_script: Script, repo: Path, tmp_path: Path
) -> None:
    codex.install(root=tmp_path / "nowhere")
    server = codex.server(model=codex_script(patch(add("n.py", "1")), say("done")), cwd=repo)
    server.prompt("write n.py")
    assert (repo / "n.py").exists()
    assert "NOTHING guards writes" in " ".join(outputs(run) for run in server.hooks)
