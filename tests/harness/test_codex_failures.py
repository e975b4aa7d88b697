"""Whatever becomes of our hook, the real Codex writes nothing unchecked; an installation that is gone locks nobody out."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.codex import Codex
from harness.hooks import ROOT
from harness.scripted_codex import ScriptedCodex, add, patch, shell
from harness.turn import say

Script = Callable[..., ScriptedCodex]

DEATHS = {
    "exits with 1": "def main():\n    import os; os._exit(1)",
    "is killed": "def main():\n    import os; os.kill(os.getpid(), 9)",
    "is aborted": "def main():\n    import os; os.abort()",
    "exits with 3 after an answer": "def main():\n    import os; print('{}', flush=True); os._exit(3)",
}


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A copy of the program to break."""
    folder = tmp_path / "program"
    for part in ("coordhooks", "hooks", "schemas"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.parametrize("code", DEATHS.values(), ids=DEATHS)
def test_a_hook_that_dies_refuses_the_patch_and_nothing_else(
    codex: Codex, codex_script: Script, repo: Path, program: Path, code: str
) -> None:
    (program / "coordhooks" / "hook.py").write_text(code)
    codex.install(root=program)
    model = codex_script(patch(add("n.py", "1")), shell("echo alive"), say("done"))
    assert codex("write", model=model, cwd=repo).rc == 0
    refused, ran = (told.text for told in model.tool_results())
    assert "Not written: coordhooks could not check" in refused
    assert "alive" in ran
    assert not (repo / "n.py").exists()


def test_an_interpreter_that_dies_of_our_hook_refuses_it_as_well(
    codex: Codex, codex_script: Script, repo: Path, tmp_path: Path
) -> None:
    """One that dies of everything is replaced by another."""
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\ncase $* in *version_info*) exit 0 ;; esac\nkill -SEGV $$\n")
    python.chmod(0o755)
    codex.install(python=str(python))
    model = codex_script(patch(add("n.py", "1")), say("done"))
    assert codex("write", model=model, cwd=repo).rc == 0
    assert "Not written: coordhooks could not check" in model.tool_results()[0].text


def test_an_installation_that_is_gone_locks_nobody_out(
    codex: Codex, codex_script: Script, repo: Path, tmp_path: Path
) -> None:
    """`codex exec` shows no hook's message, its terminal does; that there is one is a test of the hooks."""
    codex.install(root=tmp_path / "nowhere")
    model = codex_script(patch(add("n.py", "1")), say("done"))
    assert codex("write", model=model, cwd=repo).rc == 0
    assert "Success" in model.tool_results()[0].text
