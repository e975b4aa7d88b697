"""Whose event is it? Conversations, processes, subagents, and who inherits what from whom."""

import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

from hooks.agent import Agent, Running
from hooks.world import World

ONE_SHELL = ("/bin/sh", "-c", '"$@"; exit $?', "wrapper")
TWO_SHELLS = (*ONE_SHELL, *ONE_SHELL)


# -- any event registers ----------------------------------------------------------------------------------

EVENTS = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Notification", "PermissionRequest",
          "PermissionDenied", "Stop", "PreCompact", "ConfigChange", "SessionStart"]  # fmt: skip


@pytest.mark.parametrize("event", EVENTS)
def test_any_event_of_an_unknown_session_registers_it(world: World, event: str) -> None:
    agent = world.agent()
    assert not agent.hook(event).denied
    row = world.runtime("sess-A")
    assert (row["pid"], row["cwd"], row["tree"]) == (agent.pid, str(world.repo), str(world.repo))
    assert row["project"] == str(world.repo / ".git")


def test_the_end_of_an_unknown_session_registers_nobody(world: World) -> None:
    world.agent().hook("SessionEnd")
    assert world.live() == []


def test_a_subagent_of_an_unknown_session_brings_it_along(world: World) -> None:
    world.agent().write(world.repo / "src/a.py", agent_id="sub-1", agent_type="coder")
    assert world.live() == ["sess-A", "sess-A/sub-1"]
    assert world.runtime("sess-A", "sub-1")["parent"] == world.runtime("sess-A")["runtime_id"]


def test_nothing_in_a_tools_input_identifies_anyone(world: World) -> None:
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    mine = {
        "file_path": str(world.repo / "src/a.py"),
        "session_id": "sess-A",
        "agent_id": "",
        "runtime_id": "x",
    }
    assert b.hook("PreToolUse", tool_input=mine).denied


# -- which process ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("prefix", [(), ONE_SHELL, TWO_SHELLS], ids=["none", "a shell", "two shells"])
def test_the_harness_is_recorded_through_wrapper_shells(world: World, prefix: tuple[str, ...]) -> None:
    agent = world.agent()
    agent.hook("SessionStart", prefix=prefix)
    assert world.runtime("sess-A")["pid"] == agent.pid


@pytest.fixture
def claude(world: World) -> str:
    """An interpreter whose program is called as the harness is."""
    path = world.home / "claude"
    shutil.copy2(os.path.realpath(sys.executable), path)
    return str(path)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("said", [None, "", "nonsense", "1", "-5", "4194305"])
def test_without_a_usable_pid_the_nearest_harness_above_is_found_by_its_program(
    world: World, claude: str, said: str | None
) -> None:
    agent = world.agent(python=claude, CLAUDE_PID=said)
    agent.wear("2.1.332")
    agent.hook("SessionStart", prefix=TWO_SHELLS)
    assert world.runtime("sess-A")["pid"] == agent.pid


@pytest.mark.parametrize("said", [None, "nonsense", "1"])
def test_a_process_that_cant_be_found_is_stored_as_unknown_never_the_shells(
    world: World, said: str | None
) -> None:
    agent = world.agent(CLAUDE_PID=said)
    agent.hook("SessionStart", prefix=ONE_SHELL)
    row = world.runtime("sess-A")
    assert (row["pid"], row["pid_start"]) == (None, None)
    agent.write(world.repo / "src/a.py")
    assert world.live() == ["sess-A"], "it is known again by its conversation"
    other = world.agent("sess-B")
    assert other.write(world.repo / "src/a.py").denied
    world.pass_time(1000)
    assert other.write(world.repo / "src/a.py").silent, "without a process the heartbeat decides"


def test_a_variable_that_names_a_stranger_does_not_count(world: World) -> None:
    stranger = world.agent("stranger")
    agent = world.agent(CLAUDE_PID=str(stranger.pid))
    agent.hook("SessionStart")
    assert world.runtime("sess-A")["pid"] is None


def test_a_harness_below_another_ones_process_is_its_child(world: World) -> None:
    """The process of these tests plays a session that waits for the one it has started."""
    outer = world.agent("outer", CLAUDE_PID=str(os.getpid()))
    inner, sibling = world.agent("inner"), world.agent("sibling")
    outer.write(world.repo / "src/a.py")
    assert inner.write(world.repo / "src/a.py").silent
    assert sibling.write(world.repo / "src/a.py").denied
    assert world.runtime("inner")["parent"] == world.runtime("outer")["runtime_id"]


# -- life and death of the process ------------------------------------------------------------------------


def test_a_killed_holder_blocks_nobody_for_longer_than_the_next_attempt(world: World) -> None:
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    assert b.write(world.repo / "src/a.py").denied
    a.kill9()
    assert not b.write(world.repo / "src/a.py").denied
    assert world.live() == ["sess-B"]


def test_a_stopped_holder_keeps_what_it_holds(world: World) -> None:
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    a.signal(signal.SIGSTOP)
    world.pass_time(3600, ["runtimes"])
    assert b.write(world.repo / "src/a.py").denied
    a.signal(signal.SIGCONT)


def test_a_pid_that_now_belongs_to_another_process_is_no_holder(world: World) -> None:
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    world.rows("UPDATE runtimes SET pid_start = '1' WHERE conversation_id = 'sess-A'")
    assert b.write(world.repo / "src/a.py").silent
    (ended,) = world.audit("runtime_ended")
    assert ended["reason"] == "found_dead"


def test_a_holder_of_a_former_boot_is_dead(world: World) -> None:
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    world.rows("UPDATE runtimes SET pid_boot = 'earlier' WHERE conversation_id = 'sess-A'")
    assert b.write(world.repo / "src/a.py").silent


@pytest.mark.parametrize("shift", [8 * 3600, -86400, -9 * 365 * 86400])
def test_after_a_sleep_or_a_jump_of_the_clock_only_one_of_two_may_write(world: World, shift: int) -> None:
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    world.pass_time(shift)
    replies = [b.write(world.repo / "src/a.py"), a.write(world.repo / "src/a.py")]
    assert [bool(reply.denied) for reply in replies].count(True) == 1
    if replies[1].denied:
        assert "Your own lease on it had lapsed" in replies[1].denied


# -- one resume, two starts -------------------------------------------------------------------------------


@pytest.fixture
def waiting(world: World) -> Agent:
    """``sess-A`` has died with two messages unread; the process that resumes it."""
    a, b = world.pair()
    for body in ("first word", "second word"):
        world.send("sess-B", world.runtime("sess-A")["runtime_id"], body)
    a.kill9()
    assert b.stop().silent
    return world.agent("sess-A")


def resume(agent: Agent) -> Running:
    return agent.begin("SessionStart", source="resume")


def phantom(agent: Agent) -> Running:
    return agent.begin("SessionStart", source="startup", session_id="phantom")


@pytest.mark.parametrize("order", ["phantom first", "resume first", "at once"])
def test_a_phantom_start_beside_a_resume_gets_nothing(world: World, waiting: Agent, order: str) -> None:
    running = []
    for start in (resume, phantom) if order == "resume first" else (phantom, resume):
        running.append(start(waiting))
        if order != "at once":
            running[-1].wait()
    texts = [hook.reply().context for hook in running]
    resumed = texts[0 if order == "resume first" else 1]
    assert "first word" in resumed
    assert "second word" in resumed
    assert sum(text.count("first word") for text in texts) == 1
    assert world.live() == ["sess-A", "sess-B"]
    assert world.runtime("sess-A")["pid"] == waiting.pid
    assert (
        world.rows(
            "SELECT 1 FROM deliveries d JOIN runtimes r USING (runtime_id) WHERE conversation_id = 'phantom'"
        )
        == []
    )


def test_a_resume_moves_unread_messages_once_and_acked_ones_never(world: World, waiting: Agent) -> None:
    first = waiting.start("resume").context
    assert first.index("first word") < first.index("second word")
    waiting.prompt()
    assert set(world.states("sess-A")) == {"acked"}
    waiting.kill9()
    again = world.agent("sess-A").start("resume")
    assert "word" not in again.context
    assert world.states("sess-A") == ["acked", "acked"]


def test_what_was_shown_but_not_acked_is_shown_again_after_a_resume(world: World, waiting: Agent) -> None:
    assert "first word" in waiting.start("resume").context
    waiting.kill9()
    assert "first word" in world.agent("sess-A").start("resume").context


@pytest.mark.parametrize("source", ["fork", "startup", "teleport"])
def test_a_fork_of_a_live_session_leaves_its_inbox_alone(world: World, source: str) -> None:
    world.pair()
    world.send("sess-B", "sess-A", "for the original")
    fork = world.agent("sess-A2")
    assert "for the original" not in fork.start(source).context
    assert world.states("sess-A") == ["queued"]


def test_a_conversation_under_a_new_id_inherits_nothing_by_guess(world: World) -> None:
    a, _ = world.pair()
    world.send("sess-B", "sess-A", "for the dead")
    a.kill9()
    other = world.agent("sess-X").start()
    resumed = world.agent("sess-A2").start("resume")
    assert "for the dead" not in other.context + resumed.context
    assert world.states("sess-A") == ["queued"]


def test_two_processes_on_one_id_each_keep_their_own(world: World) -> None:
    parent = world.agent("sess-A")
    parent.start()
    parent.prompt()
    parent.write(world.repo / "src/a.py")
    world.agent("sess-B").start()
    world.send("sess-B", "sess-A", "for the parent")
    before = world.runtime("sess-A")
    fork = world.agent("sess-A")
    assert "for the parent" not in fork.start("resume").context
    assert fork.write(world.repo / "src/a.py", session_id="sess-A2").denied
    assert fork.write(world.repo / "src/a.py").denied
    reply = parent.write(world.repo / "src/a.py")
    assert not reply.denied
    rows = world.rows(
        "SELECT pid FROM runtimes WHERE runtime_id = ? AND ended_at IS NULL", before["runtime_id"]
    )
    assert rows == [{"pid": parent.pid}]
    assert "for the parent" in parent.prompt().context


# -- clear and compact ------------------------------------------------------------------------------------


def test_compact_keeps_the_runtime_and_tells_it_what_it_has_forgotten(world: World) -> None:
    a, _ = world.pair()
    a.write(world.repo / "src/a.py")
    before = world.runtime("sess-A")["runtime_id"]
    world.send("sess-B", "sess-A", "look at this")
    told = a.start("compact").context
    assert "You hold: src/a.py." in told
    assert "look at this" in told
    assert world.runtime("sess-A")["runtime_id"] == before
    assert a.write(world.repo / "src/a.py").silent


def test_compact_alone_tells_only_ones_own(world: World) -> None:
    a = world.agent()
    a.start()
    a.prompt()
    assert not a.start("compact").stdout
    a.write(world.repo / "src/a.py")
    assert a.start("compact").context == "You hold: src/a.py."


@pytest.mark.parametrize("end_first", [True, False], ids=["with its SessionEnd", "without"])
def test_clear_hands_everything_to_the_next_conversation_of_the_process(
    world: World, end_first: bool
) -> None:
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    a.write(world.repo / "src/b.py", agent_id="sub-1", agent_type="coder")
    world.send("sess-B", "sess-A", "still unread")
    handle = world.runtime("sess-A")["conversation_handle"]
    if end_first:
        assert a.hook("SessionEnd", reason="clear").silent
        assert b.write(world.repo / "src/a.py").denied, "nothing is free in between"
    told = a.start("clear", session_id="sess-A9").context
    assert "still unread" in told
    assert world.live() == ["sess-A/sub-1", "sess-A9", "sess-B"]
    assert world.runtime("sess-A9")["conversation_handle"] == handle
    assert world.leases() == {"src/a.py": "sess-A9", "src/b.py": "sess-A/sub-1"}
    assert not a.write(world.repo / "src/a.py", session_id="sess-A9").denied
    assert b.write(world.repo / "src/a.py").denied


def test_a_session_that_ended_is_gone_with_its_process_or_after_ten_seconds(world: World) -> None:
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    assert a.hook("SessionEnd").silent
    assert b.write(world.repo / "src/a.py").denied
    world.pass_time(11, ["runtimes"])
    assert not b.write(world.repo / "src/a.py").denied
    assert world.live() == ["sess-B"]


def test_an_event_after_the_end_shows_that_the_session_lives_on(world: World) -> None:
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    a.hook("SessionEnd")
    a.bash("true")
    world.pass_time(11, ["runtimes"])
    assert b.write(world.repo / "src/a.py").denied


def test_a_new_session_in_the_same_process_retires_the_former_one(world: World) -> None:
    a, _ = world.pair()
    a.write(world.repo / "src/a.py")
    a.transcript("sess-A7").parent.mkdir(parents=True)
    a.transcript("sess-A7").touch()
    a.start("startup", session_id="sess-A7")
    assert world.live() == ["sess-A7", "sess-B"]
    assert world.leases() == {}


# -- subagents --------------------------------------------------------------------------------------------


def test_siblings_collide_and_parent_and_child_do_not(world: World) -> None:
    a = world.agent("sess-A")
    a.start()
    one, two = {"agent_id": "sub-1", "agent_type": "coder"}, {"agent_id": "sub-2", "agent_type": "coder"}
    assert a.write(world.repo / "src/a.py", **one).silent
    assert "(" in a.write(world.repo / "src/a.py", **two).denied
    assert a.write(world.repo / "src/a.py").silent
    assert a.write(world.repo / "src/b.py").silent
    assert a.write(world.repo / "src/b.py", **two).silent


def test_a_subagents_leases_end_with_it(world: World) -> None:
    a = world.agent()
    a.prompt()
    a.hook("SubagentStart", agent_id="sub-1")
    a.write(world.repo / "src/a.py", agent_id="sub-1", agent_type="coder")
    a.hook("SubagentStop", agent_id="sub-1")
    assert (world.leases(), world.live()) == ({}, ["sess-A"])
    assert a.hook("SubagentStop", agent_id="sub-1").silent, "the same event may come twice"


def test_a_subagent_that_runs_in_the_background_outlives_its_parents_stop(world: World) -> None:
    a, b = world.pair()
    for agent_id in ("sub-1", "sub-2"):
        a.write(world.repo / f"{agent_id}.py", agent_id=agent_id, agent_type="coder")
    running = {"id": "sub-1", "type": "subagent", "status": "running", "agent_type": "coder"}
    a.stop(background_tasks=[running])
    assert world.leases() == {"sub-1.py": "sess-A/sub-1"}
    assert b.write(world.repo / "sub-1.py").denied
    a.stop(background_tasks=[])
    assert not b.write(world.repo / "sub-1.py").denied


def test_a_stop_that_tells_nothing_of_background_tasks_ends_nobody(world: World) -> None:
    a = world.agent()
    a.write(world.repo / "src/a.py", agent_id="sub-1", agent_type="coder")
    a.hook("Stop", background_tasks=None)
    assert world.live() == ["sess-A", "sess-A/sub-1"]


def test_a_silent_subagent_dies_after_its_time_but_a_silent_session_lives(world: World) -> None:
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    a.write(world.repo / "src/b.py", agent_id="sub-1", agent_type="coder")
    world.pass_time(1000, ["runtimes"])
    assert not b.write(world.repo / "src/b.py").denied
    assert b.write(world.repo / "src/a.py").denied


def test_a_session_started_by_another_one_outlives_its_heartbeat(world: World) -> None:
    world.agent("outer", CLAUDE_PID=str(os.getpid())).start()
    inner, other = world.agent("inner"), world.agent("other", CLAUDE_PID=None)
    inner.prompt()
    inner.write(world.repo / "src/a.py")
    world.pass_time(1000, ["runtimes"])
    assert other.write(world.repo / "src/a.py").denied


def test_a_subagents_unread_messages_go_to_its_parent(world: World) -> None:
    a, _ = world.pair()
    a.hook("SubagentStart", agent_id="sub-1")
    sub = world.runtime("sess-A", "sub-1")["runtime_id"]
    world.send("sess-B", sub, "for the subagent")
    a.hook("SubagentStop", agent_id="sub-1")
    assert "for the subagent" in a.prompt().context


def test_a_parent_hears_what_its_subagent_was_refused(world: World) -> None:
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    assert b.write(world.repo / "src/a.py", agent_id="sub-1", agent_type="coder").denied
    b.hook("SubagentStop", agent_id="sub-1", agent_type="coder")
    told = b.prompt().context
    assert "Your subagent coder was refused and did not get:" in told
    assert "src/a.py" in told


# -- what is exported -------------------------------------------------------------------------------------


def test_later_shell_calls_learn_their_runtime(world: World) -> None:
    file = world.home / "env.sh"
    agent = world.agent(CLAUDE_ENV_FILE=str(file))
    agent.start()
    assert file.read_text() == f"export COORD_RUNTIME={world.runtime('sess-A')['runtime_id']}\n"


@pytest.mark.parametrize("place", ["/nowhere/env.sh", "/"])
def test_a_place_for_it_that_cant_be_written_is_no_trouble(world: World, place: str) -> None:
    assert world.agent(CLAUDE_ENV_FILE=place).start().silent


# -- twice at once ----------------------------------------------------------------------------------------


def test_plugin_and_settings_fire_each_event_twice_at_once(world: World, waiting: Agent) -> None:
    def twice(event: str, **fields: object) -> list[str]:
        running = [waiting.begin(event, **fields) for _ in range(2)]  # type: ignore[arg-type]
        replies = [hook.reply() for hook in running]
        assert not any(reply.denied or reply.held for reply in replies)
        return [reply.context for reply in replies]

    texts = twice("SessionStart", source="resume")
    assert sum(text.count("first word") for text in texts) == 1
    assert world.live() == ["sess-A", "sess-B"]
    twice("UserPromptSubmit", prompt="Go on")
    write = {"tool_input": {"file_path": str(world.repo / "src/a.py")}, "tool_use_id": "call-1"}
    twice("PreToolUse", **write)
    assert world.leases() == {"src/a.py": "sess-A"}
    assert len(world.audit("leases_claimed")) == 1
    twice("PostToolUse", **write)
    twice("Stop")
    assert world.leases() == {}
    assert (
        len(world.rows("SELECT 1 FROM runtimes WHERE conversation_id = 'sess-A' AND ended_at IS NULL")) == 1
    )


def test_a_cwd_that_is_gone_is_no_obstacle(world: World, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    remove = ("/bin/sh", "-c", 'rmdir "$PWD" 2>/dev/null; "$@"; e=$?; mkdir -p "$PWD"; exit $e', "wrapper")
    assert b.write(world.repo / "src/a.py", cwd=gone, prefix=remove).denied
    assert not b.write(world.repo / "src/b.py", cwd=gone, prefix=remove).stdout


def test_a_shell_that_cant_find_coord_is_told_where_it_is(world: World, tmp_path: Path) -> None:
    """install.sh may have made its folder after the login that this session comes from."""
    file = tmp_path / "env.sh"
    program = Path(world.home) / ".local/bin/coord"
    program.parent.mkdir(parents=True)
    program.touch()
    world.agent(CLAUDE_ENV_FILE=str(file)).start()
    assert file.read_text().splitlines()[1] == f'export PATH="$PATH":{program.parent}'


def test_two_processes_of_one_conversation_are_told_apart(world: World) -> None:
    """Resumed in two terminals: a refusal between them names the other process, and its name reaches that one."""
    first, second = world.agent("sess-A"), world.agent("sess-A")
    first.prompt("one")
    second.prompt("two")
    assert not first.write(world.repo / "src/a.py").denied
    said = second.write(world.repo / "src/a.py").denied
    own, other = (
        row["handle"]
        for row in sorted(world.rows("SELECT handle, pid FROM runtimes"), key=lambda r: r["pid"] == first.pid)
    )
    assert f"is being edited by {other}" in said
    assert own not in said
