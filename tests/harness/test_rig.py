"""The rig itself, shown on a tiny veto hook: how the real Claude Code is started, steered and watched."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness import hooks
from harness.claude import BYPASS, Claude
from harness.gate import Gate
from harness.hooks import HookLog
from harness.scripted_model import ScriptedModel, all_text, hook_contexts
from harness.terminal import ENTER, ESC
from harness.turn import agent, bash, fail, say, together, use, write

Script = Callable[..., ScriptedModel]

VETO = "cat >/dev/null; echo 'claimed by another' >&2; exit 2"
TELL = "cat >/dev/null; echo 'you are not alone'"

# Everything in tests/real stands on the rig and shows whether it holds; what it holds by itself is told here.
pytestmark = pytest.mark.torture


def veto(home: Path) -> None:
    hooks.add(home, {"PreToolUse": [{"matcher": "Write", "hooks": [hooks.shell(VETO)]}]})


@pytest.mark.parametrize("args", [("--permission-mode", "acceptEdits"), BYPASS], ids=" ".join)
def test_a_hook_vetoes_a_write(
    claude: Claude, script: Script, repo: Path, home: Path, args: tuple[str]
) -> None:
    veto(home)
    model = script(write(repo / "src/a.py", "2\n"), say("I was refused."))
    result = claude("write src/a.py", model=model, cwd=repo, args=args)
    assert (result.rc, result.text) == (0, "I was refused.")
    [told] = model.tool_results()
    assert told.is_error
    assert "claimed by another" in told.text
    assert (repo / "src/a.py").read_text() == "1\n"
    model.assert_no_stray_traffic()


def test_nothing_is_vetoed_without_a_hook(claude: Claude, script: Script, repo: Path) -> None:
    model = script(write(repo / "new.py", "2\n"), bash("echo $CLAUDE_PID"), say("done"))
    run = claude.start("write new.py", model=model, cwd=repo, args=BYPASS)
    assert run.wait().text == "done"
    assert [result.text for result in model.tool_results()][1] == str(run.pid)
    assert (repo / "new.py").read_text() == "2\n"


def test_a_hook_vetoes_in_a_sub_agent(claude: Claude, script: Script, repo: Path, home: Path) -> None:
    veto(home)
    model = script(agent("Be the HELPER"), say("done"))
    model.stream("HELPER", write(repo / "src/a.py", "2\n"), say("refused"))
    assert claude("go", model=model, cwd=repo).text == "done"
    [told] = model.tool_results("HELPER")
    assert "claimed by another" in told.text
    assert "refused" in model.tool_results("main")[0].text


def test_two_processes_meet_at_a_gate(claude: Claude, script: Script, repo: Path) -> None:
    both = Gate("both are about to write", opens_at=2)
    first_wrote = (repo / "first").exists
    first = script(write(repo / "first", "1\n").after(both), say("done"))
    second = script(write(repo / "one", "1\n").after(both), say("after the first").after(first_wrote))
    runs = [claude.start("write", model=model, cwd=repo) for model in (first, second)]
    assert [run.wait().text for run in runs] == ["done", "after the first"]


def test_a_gate_is_opened_by_the_test(claude: Claude, script: Script, repo: Path) -> None:
    gate = Gate("time to write")
    run = claude.start(
        "write", model=script(write(repo / "new.py", "2\n").after(gate), say("done")), cwd=repo
    )
    gate.reached()
    assert not (repo / "new.py").exists()
    gate.open()
    assert run.wait().text == "done"


def test_a_turn_can_depend_on_the_request(claude: Claude, script: Script, repo: Path, home: Path) -> None:
    hooks.add(home, {"SessionStart": [{"hooks": [hooks.shell(TELL)]}]})
    model = script(lambda body: say("known" if "you are not alone" in all_text(body) else "unknown"))
    assert claude("go", model=model, cwd=repo).text == "known"
    assert "you are not alone" in hook_contexts(model.turn_bodies()[0])[0]


def test_resume_keeps_the_session_id_and_fork_does_not(
    claude: Claude, script: Script, repo: Path, home: Path
) -> None:
    log = HookLog(home, "SessionStart")
    first = claude.start("remember the apple", model=script(say("yes")), cwd=repo)
    first.wait()
    for fork in (False, True):
        model = script(say("again"))
        run = claude.start("and now?", model=model, cwd=repo, resume=first.session_id, fork=fork)
        assert run.wait().json["session_id"] == run.session_id
        assert (run.session_id == first.session_id) is not fork
        assert "remember the apple" in all_text(model.turn_bodies()[0])
    assert [seen.payload["source"] for seen in log.seen()] == ["startup", "resume", "fork"]


def test_kill_9_leaves_no_session_end(claude: Claude, script: Script, repo: Path, home: Path) -> None:
    log = HookLog(home, "SessionStart", "SessionEnd")
    gate = Gate("never")
    run = claude.start("go", model=script(say("too late").after(gate)), cwd=repo)
    gate.reached()
    claude.wait_saved(run.session_id)
    result = run.kill9()
    assert (result.rc, result.json) == (-9, {})
    assert [seen.event for seen in log.seen()] == ["SessionStart"]
    assert claude("on", model=script(say("back")), cwd=repo, resume=run.session_id).text == "back"


def test_clear_ends_one_session_before_it_starts_the_next(
    claude: Claude, script: Script, repo: Path, home: Path
) -> None:
    log = HookLog(home, "SessionStart", "SessionEnd")
    with claude.session(model=script(say("one"), say("two")), cwd=repo) as session:
        before = session.session_id
        assert session.ask("first")["result"] == "one"
        session.ask("/clear")
        assert session.ask("second")["result"] == "two"
        assert session.session_id != before
        assert session.leave() == 0
    seen = log.seen()
    assert [(s.event, s.payload.get("source") or s.payload["reason"]) for s in seen] == [
        ("SessionStart", "startup"),
        ("SessionEnd", "clear"),
        ("SessionStart", "clear"),
        ("SessionEnd", "other"),
    ]
    assert [s.payload["session_id"] for s in seen] == [before, before, session.session_id, session.session_id]
    assert 0 < seen[2].time - seen[1].time < 5


def test_compaction_keeps_the_session_and_takes_no_turn(
    claude: Claude, script: Script, repo: Path, home: Path
) -> None:
    log = HookLog(home, "SessionStart", "PreCompact")
    model = script(
        say("one"), write(repo / "new.py", "2\n").using(input_tokens=990_000), say("two"), say("three")
    )
    with claude.session(model=model, cwd=repo) as session:
        before = session.session_id
        session.ask("first")
        session.ask("/compact")
        assert session.ask("second")["result"] == "two"
        assert session.ask("third")["result"] == "three"
        assert session.session_id == before
    seen = [(s.event, s.payload.get("source") or s.payload["trigger"]) for s in log.seen()]
    assert seen == [
        ("SessionStart", "startup"),
        *[("PreCompact", "manual"), ("SessionStart", "compact")],
        *[("PreCompact", "auto"), ("SessionStart", "compact")],
    ]


def test_an_interrupt_ends_the_turn(claude: Claude, script: Script, repo: Path, home: Path) -> None:
    log = HookLog(home, "Stop")
    gate = Gate("never")
    with claude.session(model=script(say("never").after(gate), say("next")), cwd=repo) as session:
        session.prompt("go")
        gate.reached()
        session.interrupt()
        assert session.wait_result()["subtype"] == "error_during_execution"
        assert not log.seen()
        gate.open()
        assert session.ask("again")["result"] == "next"


def test_esc_at_a_permission_dialog_fires_no_event(
    claude: Claude, script: Script, repo: Path, home: Path
) -> None:
    log = HookLog(home, "PermissionRequest", "PostToolUse", "PostToolUseFailure", "PermissionDenied", "Stop")
    model = script(write(repo / "new.py", "2\n"), say("never"))
    with claude.terminal(model=model, cwd=repo) as terminal:
        terminal.enter("write new.py")
        terminal.answer("Do you want to create new.py?", ESC)
        terminal.wait_for("Rejected write to new.py")
        terminal.wait_ready()
    assert [seen.event for seen in log.seen()] == ["PermissionRequest"]
    assert not (repo / "new.py").exists()


def test_a_permission_dialog_can_be_accepted(claude: Claude, script: Script, repo: Path) -> None:
    model = script(write(repo / "new.py", "2\n"), say("all done"))
    with claude.terminal(model=model, cwd=repo) as terminal:
        terminal.enter("write new.py")
        terminal.answer("Do you want to create new.py?", ENTER)
        terminal.wait_for("all done")
    assert (repo / "new.py").read_text() == "2\n"


def test_the_trust_dialog_stands_before_everything(
    claude: Claude, script: Script, repo: Path, home: Path
) -> None:
    log = HookLog(home, "SessionStart")
    with claude.terminal(model=script(), cwd=repo, trusted=False) as terminal:
        terminal.wait_for("trust this folder")
        assert not log.seen()
        terminal.choose("trust this folder", "Yes")
        terminal.wait_ready()
    assert [seen.payload["source"] for seen in log.seen()] == ["startup"]


def test_tools_in_one_message_and_errors(claude: Claude, script: Script, repo: Path) -> None:
    pair = together(
        use("Read", file_path=str(repo / "src/a.py")), use("Read", file_path=str(repo / "src/b.py"))
    )
    model = script(pair, fail(403))
    result = claude("read", model=model, cwd=repo)
    assert len(model.tool_results()) == 2
    assert result.json["is_error"]
    assert "scripted error" in result.text


def test_our_hooks_and_coord_run_from_the_checkout(
    claude: Claude, script: Script, repo: Path, coord: Callable[..., str]
) -> None:
    gate = Gate("the agent is at work")
    model = script(write(repo / "src/a.py", "2\n"), bash("coord who"), say("done").after(gate))
    run = claude.start("Add retry", model=model, cwd=repo, args=BYPASS)
    gate.reached()
    assert "src/a.py" in coord("leases")
    gate.open()
    assert run.wait().text == "done"
    [_, told] = model.tool_results()
    assert not told.is_error, told
