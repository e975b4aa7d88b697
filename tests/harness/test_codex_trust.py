"""Installed, trusted, modified and seen firing are four things: in the real Codex, the installer and the doctor."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from coordhooks.install import codex_trust
from harness.codex import Codex
from harness.process import clean_environment
from harness.scripted_codex import ScriptedCodex, add, patch
from harness.turn import say

Script = Callable[..., ScriptedCodex]


def doctor(home: Path) -> list[str]:
    """What the doctor says of the hooks."""
    code = "import sys; sys.argv[0] = 'coord'; from coordhooks.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "doctor", "--json"],
        env=clean_environment(home), cwd=home, check=False, capture_output=True, text=True,
    )  # fmt: skip
    return [f["says"] for f in json.loads(done.stdout)["findings"] if "Codex" in f["check"] + f["says"]]


def states(codex: Codex) -> set[str]:
    return {hook.state for hook in codex_trust.hooks(codex.places)}


def fires(codex: Codex, model: ScriptedCodex, repo: Path) -> bool:
    """Did Codex run our hooks? Only the store tells."""
    store = codex.home / ".local/state/coordhooks/coord.sqlite3"
    before = store.stat().st_mtime_ns if store.exists() else 0
    assert codex("write", model=model, cwd=repo).rc == 0
    return store.exists() and store.stat().st_mtime_ns > before


@pytest.mark.parametrize("trusted", [True, False])
def test_only_trusted_hooks_run_and_the_doctor_knows(
    codex: Codex, codex_script: Script, repo: Path, home: Path, trusted: bool
) -> None:
    codex.install(trusted=trusted)
    said = "\n".join(doctor(home))
    assert ("15 trusted" if trusted else "15 untrusted") in said
    assert "never seen firing" in said
    assert fires(codex, codex_script(patch(add("n.py", "1")), say("done")), repo) is trusted
    assert ("Codex: some hook" if trusted else "never seen firing") in "\n".join(doctor(home))
    assert ("NOTHING guards" in said) is not trusted


def test_a_changed_hook_is_modified_for_both(codex: Codex, codex_script: Script, repo: Path) -> None:
    codex.install()
    path = codex.folder / "hooks.json"
    path.write_text(path.read_text(encoding="utf-8").replace("--harness codex", "--harness  codex"))
    assert states(codex) == {codex_trust.MODIFIED}
    assert not fires(codex, codex_script(patch(add("n.py", "1")), say("done")), repo)


def test_the_keys_follow_the_place(codex: Codex, codex_script: Script, repo: Path) -> None:
    """A group of somebody else before ours moves ours to other keys: they are no longer trusted."""
    codex.install()
    path = codex.folder / "hooks.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    for groups in value["hooks"].values():
        groups.insert(0, {"hooks": [{"type": "command", "command": "true"}]})
    path.write_text(json.dumps(value))
    assert codex_trust.TRUSTED not in states(codex)
    assert not fires(codex, codex_script(patch(add("n.py", "1")), say("done")), repo)
