"""The task ledger in the real Claude Code: a turn's events, a killed turn that goes on, work for an idle agent."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness.claude import BYPASS, Claude
from harness.gate import Gate
from harness.scripted_model import ScriptedModel, all_text, hook_contexts
from harness.turn import agent, bash, say, write

from coordhooks.ledger import Ledger

Script = Callable[..., ScriptedModel]
Coord = Callable[..., str]


@pytest.fixture
def ledger(home: Path) -> Iterator[Ledger]:
    with Ledger(home / ".local/state/coordhooks/ledger") as opened:
        yield opened


def types(ledger: Ledger) -> list[str]:
    return [event["type"].removeprefix("Task") for event in ledger.events()]


def test_a_turn_and_its_cost(claude: Claude, script: Script, repo: Path, ledger: Ledger) -> None:
    model = script(
        write(repo / "new.py", "1\n").using(
            input_tokens=1000, output_tokens=50, cache_read_input_tokens=7777
        ),
        say("done").using(input_tokens=100, cache_creation_input_tokens=20, output_tokens=3),
    )
    run = claude.start("Write the new file\nand nothing else", model=model, cwd=repo, args=BYPASS)
    assert run.wait().rc == 0
    assert types(ledger) == ["Created", "Leased", "LaunchAcknowledged", "Completed", "QuotaReported"]
    [task] = ledger.tasks()
    assert (task["title"], task["state"], task["attempt"]) == ("Write the new file", "completed", 0)
    assert (task["source"], task["project"]) == ("claude-code", str(repo / ".git"))
    assert task["external_id"].startswith(run.session_id + "/")
    assert ledger.quota_since("claude-code", 0) == (1000 + 50 + 100 + 20 + 3, True)


def test_each_prompt_of_a_session_is_a_task(
    claude: Claude, script: Script, repo: Path, ledger: Ledger
) -> None:
    usage = {"input_tokens": 10, "output_tokens": 1}
    with claude.session(
        model=script(say("one").using(**usage), say("two").using(**usage)), cwd=repo
    ) as session:
        session.ask("first")
        session.ask("second")
    assert [(t["title"], t["state"]) for t in ledger.tasks()] == [
        ("first", "completed"),
        ("second", "completed"),
    ]
    assert ledger.quota_since("claude-code", 0) == (22, True)


def test_a_subagent_is_a_child_of_its_turn(
    claude: Claude, script: Script, repo: Path, ledger: Ledger
) -> None:
    model = script(agent("look around"), say("done")).stream("look around", say("seen"))
    assert claude("Ask a helper", model=model, cwd=repo, args=BYPASS).rc == 0
    turn, child = ledger.tasks()
    assert (turn["title"], turn["state"]) == ("Ask a helper", "completed")
    assert (child["title"], child["parent"], child["state"]) == (
        "general-purpose",
        turn["task_id"],
        "completed",
    )


def test_a_killed_turn_goes_on_after_a_resume(
    claude: Claude, script: Script, repo: Path, ledger: Ledger
) -> None:
    stays = Gate("its turn stays open")
    first = script(write(repo / "held.py", "1\n"), say("never").after(stays))
    run = claude.start("Add rate limits", model=first, cwd=repo, args=BYPASS)
    stays.reached()
    run.kill9()
    [task] = ledger.tasks()
    assert task["state"] == "leased"

    resumed = script(say("finished"))
    assert claude("go on", model=resumed, cwd=repo, args=BYPASS, resume=run.session_id).rc == 0
    told = "\n".join(hook_contexts(resumed.turn_bodies()[0]))
    assert 'Your task "Add rate limits" was interrupted; it is yours again.' in told
    [task] = ledger.tasks()
    assert (task["state"], task["attempt"]) == ("completed", 1)
    [released] = [event for event in ledger.events() if event["type"] == "TaskReleased"]
    assert released["payload"]["reason"] == "pane_exited"


def configure(home: Path, text: str) -> None:
    folder = home / ".config" / "coordhooks"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(text)


def queue(coord: Coord, title: str, *options: str) -> str:
    """Queue a task as a person; what stands for its id."""
    return coord("task", "add", "--title", title, *options).split()[1]


def test_an_idle_session_takes_a_queued_task_and_finishes_it(
    claude: Claude, script: Script, repo: Path, home: Path, ledger: Ledger, coord: Coord
) -> None:
    configure(home, "dispatch = true\n[gates]\ntests = 'grep -q fixed src/a.py'")
    number = queue(coord, "Fix a.py", "--description", "It has a\nbug", "--quality-gate", "tests")
    model = script(
        say("my own work is done"),
        bash(f"coord task done {number}"),  # too early: the gate does not pass
        write(repo / "src/new.py", "1\n"),
        bash(f"echo fixed > src/a.py; coord task done {number}"),
        say("the task is done"),
    )
    result = claude("Say hello", model=model, cwd=repo, args=BYPASS)
    assert (result.rc, result.text) == (0, "the task is done")
    offered = all_text(model.turn_bodies()[1])
    assert '- title: "Fix a.py"' in offered
    assert '- description: "It has a\\nbug"' in offered
    early, _, late = model.tool_results()
    assert "quality gate 'tests' ended with exit code 1" in early.text
    assert f"done {number}" in late.text
    own, task = sorted(ledger.tasks(), key=lambda t: t["source"])
    assert (own["title"], own["state"]) == ("Say hello", "completed")
    assert (task["title"], task["state"], task["attempt"]) == ("Fix a.py", "completed", 0)
    consumed, known = ledger.quota_since("claude-code", 0)
    assert (consumed, known) == (5 * 110, True)  # every answer of the model counts once


def test_the_limit_of_tasks_in_a_row_holds(
    claude: Claude, script: Script, repo: Path, home: Path, ledger: Ledger, coord: Coord
) -> None:
    configure(home, "dispatch = true\ndispatch_limit = 2")
    numbers = [queue(coord, title) for title in ("one", "two", "three")]
    turns = [turn for number in numbers[:2] for turn in (bash(f"coord task done {number}"), say("next"))]
    model = script(say("my own work is done"), *turns)
    result = claude("Say hello", model=model, cwd=repo, args=BYPASS)
    assert (result.rc, result.text) == (0, "next")
    states = [t["state"] for t in ledger.tasks() if t["source"] == "coord"]
    assert states == ["completed", "completed", "queued"]


def test_a_task_that_is_not_ended_holds_no_second_stop(
    claude: Claude, script: Script, repo: Path, home: Path, ledger: Ledger, coord: Coord
) -> None:
    configure(home, "dispatch = true")
    for title in ("one", "two"):
        queue(coord, title)
    model = script(say("my own work is done"), say("I do nothing"))
    assert claude("Say hello", model=model, cwd=repo, args=BYPASS).text == "I do nothing"
    assert [t["state"] for t in ledger.tasks() if t["source"] == "coord"] == [
        "queued",
        "queued",
    ]  # it has left
    assert ledger.tasks()[0]["attempt"] == 1


def test_an_idle_session_is_left_alone_by_default(
    claude: Claude, script: Script, repo: Path, ledger: Ledger, coord: Coord
) -> None:
    queue(coord, "one")
    model = script(say("done"))
    assert claude("Say hello", model=model, cwd=repo, args=BYPASS).text == "done"
    assert len(model.turn_bodies()) == 1
    assert [t["state"] for t in ledger.tasks()] == ["queued", "completed"]


def test_a_gate_is_never_run_by_a_hook(
    claude: Claude, script: Script, repo: Path, home: Path, coord: Coord
) -> None:
    configure(home, "dispatch = true\n[gates]\ntests = 'touch ran'")
    queue(coord, "one", "--quality-gate", "tests")
    model = script(say("my own work is done"), say("I do nothing"))
    assert claude("Say hello", model=model, cwd=repo, args=BYPASS).rc == 0
    assert not (repo / "ran").exists()
