"""Patches that the real Codex gets as a heredoc in its shell: the same rules as for the tool (case c15)."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from coordhooks.store import CoordStore, friendly_handle
from harness.codex import Codex
from harness.gate import Gate, until
from harness.scripted_codex import ScriptedCodex, patch, shell, update
from harness.turn import say

Script = Callable[..., ScriptedCodex]


@pytest.fixture(autouse=True)
def hooked(codex: Codex) -> None:
    codex.install()


@pytest.fixture
def store(home: Path) -> Iterator[CoordStore]:
    store = CoordStore(home / ".local/state/coordhooks/coord.sqlite3")
    yield store
    store.close()


def heredoc(name: str, old: str, new: str) -> str:
    hunk = f"*** Begin Patch\n*** Update File: {name}\n@@\n-{old}\n+{new}\n*** End Patch"
    return f"cd src && apply_patch <<'PATCH-1'\n{hunk}\nPATCH-1\n"


def test_c15_a_heredoc_patch_of_a_held_file_is_refused(
    codex: Codex, codex_script: Script, repo: Path
) -> None:
    done = Gate("the other one is done")
    holding = codex_script(patch(update("src/a.py", "1", "mine")), say("done").after(done))
    holder = codex.start("guard a.py", model=holding, cwd=repo)
    until(lambda: (repo / "src/a.py").read_text() == "mine\n", "the holder's write")
    model = codex_script(shell(heredoc("a.py", "mine", "yours")), say("refused"))
    assert codex("do the other thing", model=model, cwd=repo).rc == 0
    [refused] = model.tool_results()
    assert "Not an error: src/a.py is being edited by" in refused.text
    assert friendly_handle(holder.session_id, "conversation") in refused.text
    assert (repo / "src/a.py").read_text() == "mine\n"
    done.open()
    assert holder.wait().rc == 0


def test_a_permitted_heredoc_patch_is_on_record(
    codex: Codex, codex_script: Script, repo: Path, store: CoordStore
) -> None:
    model = codex_script(shell(heredoc("b.py", "1", "2")), say("done"))
    run = codex.start("patch b.py", model=model, cwd=repo)
    assert run.wait().rc == 0
    assert (repo / "src/b.py").read_text() == "2\n"
    with store.transaction() as tx:
        rows = tx.all("SELECT rel, conversation_id FROM writes")
    assert [(bytes(row["rel"]), row["conversation_id"]) for row in rows] == [(b"/src/b.py", run.session_id)]
    assert store.active_leases() == []
