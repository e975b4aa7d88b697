"""``coord`` in the real Codex's sandbox, where the store can't be written and the harness's process not seen."""

import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness import scratch_disk
from harness.codex import BYPASS, SANDBOX, Codex
from harness.scripted_codex import CODE_MODE, ScriptedCodex, script, shell
from harness.turn import say

Script = Callable[..., ScriptedCodex]

COORD = f"{shlex.quote(sys.executable)} -c 'from coordhooks.cli import main; raise SystemExit(main())'"


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """On the disk: the sandbox has a /dev/shm of its own."""
    with tempfile.TemporaryDirectory(dir=scratch_disk.on_disk(), prefix="sandbox-") as folder:
        yield Path(folder).resolve()


@pytest.fixture(autouse=True)
def hooked(codex: Codex) -> None:
    codex.install()


def test_the_sandbox_is_one(codex: Codex, codex_script: Script, repo: Path, home: Path) -> None:
    model = codex_script(shell(f"touch {home}/.local/state/coordhooks/x; touch {repo}/x"), say("done"))
    assert codex("try it", model=model, cwd=repo).rc == 0
    assert "Read-only file system" in model.tool_results()[0].text
    assert (repo / "x").exists()


@pytest.mark.parametrize("args", [SANDBOX, BYPASS], ids=["sandbox", "no sandbox"])
def test_plain_calls_work(codex: Codex, codex_script: Script, repo: Path, args: tuple[str, ...]) -> None:
    calls = {
        "coord claim src/a.py 'lib/a.py'": "claimed",
        "coord leases": "lib/a.py",
        'coord send human "is it done? (a; b)"': "sent",
        "coord inbox": "",
        "coord status": "you are",
        "coord release --all": "released",
        "coord claim /nonexistent/../src/a.py": "claimed",
        "coord ack no-such-message": "coord:",
    }
    model = codex_script(*(shell(call) for call in calls), say("done"))
    assert codex("use coord", model=model, cwd=repo, args=args).rc == 0
    for (call, expected), told in zip(calls.items(), model.tool_results(), strict=True):
        assert expected in told.text, call
        assert f"exited with code {1 if 'ack' in call else 0}" in told.text, call


def test_in_code_mode_as_well(codex: Codex, codex_script: Script, repo: Path) -> None:
    code = 'const r = await tools.exec_command({cmd: "coord claim src/a.py"}); text(JSON.stringify(r));'
    model = codex_script(script(code), say("done"))
    assert codex("use coord", model=model, cwd=repo, slug=CODE_MODE).rc == 0
    assert "claimed src/a.py" in model.tool_results()[0].text


def test_other_calls_are_told_what_is_missing(
    codex: Codex, codex_script: Script, repo: Path, home: Path
) -> None:
    model = codex_script(
        shell(f"cd src && {COORD} status"), shell(f"cd src && {COORD} claim a.py"), say("done")
    )
    assert codex("use coord in another way", model=model, cwd=repo).rc == 0
    status, claim = (told.text for told in model.tool_results())
    assert "you are" in status  # to read is possible, and the conversation is known by its variable
    assert "Codex's sandbox keeps `coord` from" in claim
    assert f'writable_roots = ["{home}/.local/state/coordhooks"]' in claim


def test_with_the_writable_root_they_work(codex: Codex, codex_script: Script, repo: Path, home: Path) -> None:
    model = codex_script(shell(f"cd src && {COORD} claim a.py"), shell("coord leases"), say("done"))
    root = f'sandbox_workspace_write.writable_roots=["{home}/.local/state/coordhooks"]'
    assert codex("use coord", model=model, cwd=repo, args=(*SANDBOX, "-c", root)).rc == 0
    claim, leases = (told.text for told in model.tool_results())
    assert "claimed a.py" in claim or "claimed src/a.py" in claim
    assert "src/a.py" in leases


def test_what_others_wrote_never_becomes_code(
    codex: Codex, codex_script: Script, repo: Path, home: Path
) -> None:
    odd = """it's $(touch pwned) `touch pwned` \\0041 %s " ; touch pwned"""
    sender = codex_script(shell("coord send human 'hello'"), say("done"))
    assert codex("hello", model=sender, cwd=repo).rc == 0
    name = shlex.quote(odd)
    model = codex_script(
        shell(f"coord claim {name}"), shell("coord claim 'a\\0041'"), shell("coord leases"), say("x")
    )
    assert codex("odd names", model=model, cwd=repo).rc == 0
    assert not list(repo.rglob("pwned"))
    assert "a\\0041" in model.tool_results()[2].text
