"""How turns of the real Codex begin and end: tasks, tokens, interrupts, and calls of which no end is told."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.codex import Codex
from harness.gate import Gate, until
from harness.scripted_codex import ScriptedCodex, add, patch, shell, update
from harness.turn import say

Script = Callable[..., ScriptedCodex]
TURN = ["TaskCreated", "TaskLeased", "TaskLaunchAcknowledged"]


@pytest.fixture(autouse=True)
def hooked(codex: Codex) -> None:
    codex.install()


@pytest.fixture(autouse=True)
def nothing_went_wrong(home: Path, hooked: None) -> Any:
    yield
    problems = home / ".local/state/coordhooks/problems.jsonl"
    assert not problems.exists(), problems.read_text()


def ledger(home: Path) -> list[dict[str, Any]]:
    path = home / ".local/state/coordhooks/ledger/events.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_a_turn_is_a_task_with_its_tokens(codex: Codex, codex_script: Script, repo: Path, home: Path) -> None:
    model = codex_script(
        patch(add("n.py", "1")), say("done").using(input_tokens=1000, cached_tokens=400, output_tokens=20)
    )
    run = codex.start("Do the thing\nand more", model=model, cwd=repo)
    assert run.wait().rc == 0
    events = ledger(home)
    assert [event["type"] for event in events] == [*TURN, "TaskCompleted", "QuotaReported"]
    created, quota = events[0]["payload"], events[-1]["payload"]
    assert (created["source"], created["title"]) == ("codex", "Do the thing")
    assert created["external_id"].startswith(run.session_id)
    assert (quota["consumed"], quota["known"]) == (100 + 10 + 1000 - 400 + 20, True)


def test_an_interrupt_ends_the_turn(codex: Codex, codex_script: Script, repo: Path, home: Path) -> None:
    model = codex_script(patch(add("n.py", "1")), shell("sleep 60", yield_time_ms=30000))
    run = codex.start("Do the thing", model=model, cwd=repo)
    until(lambda: b"sleep 60" in os.pread(run._out.fileno(), 1 << 20, 0), "the call")
    os.kill(run.pid, signal.SIGINT)
    run.wait()
    released = ledger(home)[-1]
    assert (released["type"], released["payload"]["reason"]) == ("TaskReleased", "interrupted")
    other = codex_script(patch(update("n.py", "1", "2")), say("done"))
    assert codex("take over", model=other, cwd=repo).rc == 0
    assert "Success" in other.tool_results()[0].text


def test_a_patch_that_failed_keeps_nobody_waiting(codex: Codex, codex_script: Script, repo: Path) -> None:
    """No hook tells of its end; the transcript does."""
    done, failed = Gate("the other one is done"), Gate("the patch has failed")
    first = codex_script(
        patch(update("package.json", "no such line", "x")),
        shell("true").after(failed),
        say("done").after(done),
    )
    run = codex.start("try", model=first, cwd=repo)
    until(lambda: len(first.turn_bodies()) > 1, "the answer to the patch")
    second = codex_script(patch(add("package.json", "{}")), say("done"))
    try:
        assert codex("write", model=second, cwd=repo).rc == 0
        assert "Success" in second.tool_results()[0].text
    finally:
        failed.open()
        done.open()
    assert run.wait().rc == 0
    assert "Failed to read file" in first.tool_results()[0].text
