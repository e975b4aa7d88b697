"""Leases give way, work does not: long calls, left leases, waits, circles, interrupted turns."""

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

from harness.claude import ACCEPT_EDITS, BYPASS, Claude
from harness.gate import Gate, wait_for
from harness.scripted_model import ScriptedModel, hook_contexts
from harness.terminal import ESC
from harness.turn import bash, say, use, write

from coordhooks.store import CoordStore

Script = Callable[..., ScriptedModel]


def age_leases(home: Path, seconds: float) -> None:
    """Let all leases look as if they had been taken and last used that long ago."""
    database = home / ".local/state/coordhooks/coord.sqlite3"
    connection = sqlite3.connect(database, timeout=10)
    with connection:
        connection.execute(
            "UPDATE leases SET touched_at = touched_at - ?, expires_at = expires_at - ?", (seconds, seconds)
        )
    connection.close()


def take(claude: Claude, script: Script, repo: Path, path: Path) -> ScriptedModel:
    """Another agent that tries to write ``path`` once."""
    model = script(write(path, "second\n"), say("second done"))
    assert claude("take it", model=model, cwd=repo, args=BYPASS).rc == 0
    return model


def test_a_long_call_loses_nothing(claude: Claude, script: Script, repo: Path, home: Path) -> None:
    target, goes_on = repo / "new.py", repo / "go"
    model = script(
        write(target, "first\n"),
        bash(f"touch {repo}/running; while [ ! -e {goes_on} ]; do sleep 0.05; done"),
        write(target, "first again\n"),
        say("done"),
    )
    run = claude.start("work long", model=model, cwd=repo, args=BYPASS)
    while not (repo / "running").exists():
        assert run.process.poll() is None
    age_leases(home, 3600)  # far past its time to live
    other = take(claude, script, repo, target)
    assert "new.py is being edited by" in other.tool_results()[0].text
    goes_on.touch()
    assert run.wait().rc == 0
    assert target.read_text() == "first again\n"


def test_a_lease_that_was_left_alone_moves_and_its_holder_is_told(
    claude: Claude, script: Script, repo: Path, home: Path
) -> None:
    target = repo / "new.py"
    thinks, other_wrote, tried = Gate("the holder thinks"), Gate("the other wrote"), Gate("the holder tried")
    model = script(
        write(target, "first\n"),
        use("Read", file_path=str(target)).after(thinks),  # Claude Code itself insists on that
        write(target, "first again\n"),
        say("refused"),
    )
    run = claude.start("start it", model=model, cwd=repo, args=BYPASS)
    thinks.reached()
    age_leases(home, 3600)

    def report(_body: object) -> object:
        other_wrote.open()
        return say("second done").after(tried)

    second = script(write(target, "second\n"), report)
    other = claude.start("take it", model=second, cwd=repo, args=BYPASS)
    while not other_wrote.is_open():
        assert other.process.poll() is None
    thinks.open()
    assert run.wait().rc == 0
    tried.open()
    assert other.wait().rc == 0
    assert not second.tool_results()[0].is_error
    refused = model.tool_results()[2]
    assert "Your own lease on it had lapsed" in refused.text
    assert "yielded to" in "\n".join(hook_contexts(model.turn_bodies()[-1]))
    assert target.read_text() == "second\n"


def test_a_refused_agent_hears_once_that_the_file_is_free(claude: Claude, script: Script, repo: Path) -> None:
    target = repo / "new.py"
    refused, freed = Gate("the second was refused"), Gate("the first has stopped")
    first = script(write(target, "first\n"), say("done").after(refused))
    run = claude.start("hold", model=first, cwd=repo, args=BYPASS)

    def after_refusal(_body: object) -> object:
        refused.open()
        return bash("true").after(freed)

    second = script(write(target, "second\n").after(target.exists), after_refusal, bash("true"), say("done"))
    other = claude.start("try", model=second, cwd=repo, args=BYPASS)
    assert run.wait().rc == 0
    freed.open()
    assert other.wait().rc == 0
    contexts = "\n".join(hook_contexts(second.turn_bodies()[-1]))
    assert contexts.count("Free now: new.py") == 1


def test_two_that_wait_for_each_other(claude: Claude, script: Script, repo: Path) -> None:
    """Each holds a file and goes for the other's: the later turn is told to give way."""
    a, b = repo / "one.py", repo / "two.py"
    first_refused = Gate("the first was refused")
    end = Gate("both know", opens_at=2)
    first = script(
        write(a, "first\n"), write(b, "first\n").after(b.exists), lambda _body: told(first_refused, end)
    )
    second = script(
        write(b, "second\n").after(a.exists),
        write(a, "second\n").after(first_refused),
        say("done").after(end),
    )
    one = claude.start("one", model=first, cwd=repo, args=BYPASS)
    wait_for(a.exists, threading.Event())  # so the other turn is the later one
    two = claude.start("two", model=second, cwd=repo, args=BYPASS)
    assert [one.wait().rc, two.wait().rc] == [0, 0]
    text = second.tool_results()[1].text
    assert "You wait for each other: you hold two.py" in text
    assert "coord release two.py" in text


def told(gate: Gate, end: Gate) -> object:
    gate.open()
    return say("done").after(end)


def test_esc_ends_the_turn_without_a_word(
    claude: Claude, script: Script, repo: Path, store: CoordStore
) -> None:
    """No hook fires; the transcript tells, once somebody else wants the file."""
    target = repo / "new.py"
    gate = Gate("never")
    model = script(write(target, "first\n"), say("never").after(gate))
    with claude.terminal(model=model, cwd=repo, args=ACCEPT_EDITS) as terminal:
        terminal.enter("write it")
        gate.reached()
        assert [lease["kind"] for lease in store.active_leases()] == ["automatic"]
        terminal.press(ESC)
        terminal.wait_for("Interrupted")
        other = take(claude, script, repo, target)
    assert not other.tool_results()[0].is_error
    assert target.read_text() == "second\n"
