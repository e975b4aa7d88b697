"""Turn tasks: what each hook writes to the ledger, and that no trouble with it reaches an agent."""

import os
from pathlib import Path
from typing import Any

import pytest

from coordhooks.handlers.tasks import work_of
from coordhooks.model import Event
from hooks.agent import Agent
from hooks.tasklog import events, ledger, only, queue, tasks, transcript, types
from hooks.test_hot_path import Watched
from hooks.world import World

BEGUN = ["Created", "Leased", "LaunchAcknowledged"]


# -- a turn -----------------------------------------------------------------------------------------------


def test_a_turn_is_created_leased_acknowledged_completed_and_paid(world: World) -> None:
    a = world.agent()
    a.prompt("Add rate limits\nto the login")
    transcript(a, (a.prompt_id, [("m1", 100, 10), ("m2", 200, 20)]))
    a.stop()
    assert types(world) == [*BEGUN, "Completed", "QuotaReported"]
    task = only(world)
    assert (task["source"], task["external_id"]) == ("claude-code", f"sess-A/{a.prompt_id}")
    assert (task["title"], task["project"]) == ("Add rate limits", str(world.repo / ".git"))
    assert (task["state"], task["attempt"], task["report_ref"]) == ("completed", 0, None)
    (receipt,) = events(world, "QuotaReported")
    assert receipt["payload"] == {"harness_id": "claude-code", "consumed": 330, "known": True}
    (leased,) = events(world, "TaskLeased")
    assert leased["payload"]["harness_id"] == world.runtime("sess-A")["runtime_id"]


def test_tokens_that_cannot_be_read_are_unknown(world: World) -> None:
    a = world.agent()
    a.prompt()
    a.stop()
    assert events(world, "QuotaReported")[0]["payload"]["known"] is False


def test_each_token_counts_once_however_often_a_turn_stops(world: World) -> None:
    a = world.agent()
    a.prompt()
    transcript(a, (a.prompt_id, [("m1", 100, 10)]))
    a.stop()
    a.stop()  # the hook is installed twice
    transcript(a, (a.prompt_id, [("m1", 100, 10), ("m2", 50, 5)]))
    a.stop(stop_hook_active=True)  # somebody else's hook let it go on
    assert [e["payload"]["consumed"] for e in events(world, "QuotaReported")] == [110, 55]
    assert types(world).count("Completed") == 1


def test_a_stop_that_a_message_holds_ends_no_task(world: World) -> None:
    a, _ = world.pair()
    world.send("sess-B", world.runtime("sess-A")["runtime_id"], "look at this", kind="request")
    assert a.stop().held
    assert "Completed" not in types(world)
    assert not a.stop(stop_hook_active=True).held
    assert types(world).count("Completed") == 1


def test_the_next_prompt_gives_back_a_turn_that_nobody_heard_the_end_of(world: World) -> None:
    a = world.agent()
    a.prompt("one")
    a.prompt("two")
    first, second = tasks(world)
    assert (first["state"], first["attempt"], first["failure_class"]) == ("queued", 1, "interrupted")
    assert second["state"] == "leased"


def test_the_same_prompt_twice_is_one_task(world: World) -> None:
    a = world.agent()
    a.prompt("one")
    a.hook("UserPromptSubmit", prompt="one")
    assert len(tasks(world)) == 1
    running = [a.begin("UserPromptSubmit", prompt="two", prompt_id="p2") for _ in range(2)]
    assert [r.reply().stderr for r in running] == ["", ""]
    assert len(tasks(world)) == 2
    assert world.problems() == []


def test_the_notice_of_a_background_agents_end_is_no_task(world: World) -> None:
    a = world.agent()
    a.prompt("one")
    a.stop()
    a.prompt("<task-notification>done</task-notification>")
    a.stop()
    assert len(tasks(world)) == 1


def interrupt(agent: Agent) -> None:
    agent.hook("PostToolUseFailure", is_interrupt=True, tool_use_id="call")


def idle(agent: Agent) -> None:
    agent.hook("Notification", notification_type="idle_prompt")


@pytest.mark.parametrize("moment", [interrupt, idle])
def test_a_turn_that_is_interrupted_is_given_back(world: World, moment: Any) -> None:
    a = world.agent()
    a.prompt()
    moment(a)
    moment(a)
    assert types(world) == [*BEGUN, "Released"]
    assert only(world)["failure_class"] == "interrupted"


def test_an_idle_session_after_its_stop_says_nothing(world: World) -> None:
    a = world.agent()
    a.prompt()
    a.stop()
    before = types(world)
    idle(a)
    assert types(world) == before


def test_a_session_that_ends_in_a_turn_gives_it_back(world: World) -> None:
    a = world.agent()
    a.prompt()
    taken = queue(world)
    with ledger(world) as opened:
        opened.lease(taken, world.runtime("sess-A")["runtime_id"], 60)
    world.rows("UPDATE runtimes SET assigned = ?", taken)
    a.hook("SessionEnd")
    assert [(t["state"], t["failure_class"]) for t in tasks(world)] == [("queued", "session_end")] * 2


def test_a_clear_gives_the_turn_back_and_the_next_conversation_starts_anew(world: World) -> None:
    a = world.agent()
    a.prompt("before")
    a.hook("SessionEnd", reason="clear")
    a.session_id = "sess-A2"
    assert "interrupted" not in a.start("clear").context
    a.prompt("after")
    before, after = tasks(world)
    assert (before["state"], after["state"]) == ("queued", "leased")


# -- the runtime is gone ----------------------------------------------------------------------------------


def test_a_log_that_has_lost_events_is_told(world: World) -> None:
    """Emptied by hand, or put back as it was before."""
    queue(world)
    assert len(tasks(world)) == 1
    (world.state / "ledger/events.jsonl").write_bytes(b"")
    a = world.agent()
    a.prompt()
    (problem,) = world.problems()
    assert "has 0 events where it had 1" in problem["reason"]
    assert "restore it from a backup" in a.hook("UserPromptSubmit").notice


def test_a_killed_agents_task_is_given_back_at_the_next_start(world: World) -> None:
    a = world.agent()
    a.prompt()
    a.kill9()
    world.agent("sess-B").start()
    task = only(world)
    assert (task["state"], task["attempt"], task["failure_class"]) == ("queued", 1, "pane_exited")
    assert events(world, "TaskReleased")[0]["surface"] == "hook"


def test_a_resume_names_the_interrupted_task_and_goes_on_with_it(world: World) -> None:
    a = world.agent()
    a.prompt("Add <b>rate</b> limits")
    a.kill9()
    heir = world.agent()
    assert '"Add ‹b›rate‹/b› limits" was interrupted; it is yours again' in heir.start("resume").context
    task = only(world)
    assert (task["state"], task["attempt"]) == ("leased", 1)
    assert task["lease"]["harness_id"] == world.runtime("sess-A")["runtime_id"]
    heir.prompt("go on")
    heir.stop()
    assert (only(world)["state"], only(world)["attempt"]) == ("completed", 1)
    heir.prompt("something else")
    assert len(tasks(world)) == 2


def test_a_resumed_session_that_is_idle_keeps_its_task(world: World) -> None:
    a = world.agent()
    a.prompt()
    a.kill9()
    heir = world.agent()
    heir.start("resume")
    idle(heir)
    assert only(world)["state"] == "leased"


def test_two_processes_on_one_conversation_have_each_their_own_task(world: World) -> None:
    a = world.agent()
    a.prompt("one")
    twin = world.agent()
    assert "interrupted" not in twin.start("resume").context
    twin.prompt_id = "prompt-of-the-twin"
    twin.hook("UserPromptSubmit", prompt="two")
    a.stop()
    one, two = tasks(world)
    assert (one["state"], two["state"]) == ("completed", "leased")
    twin.stop()
    assert {t["state"] for t in tasks(world)} == {"completed"}


def test_a_fork_does_not_take_the_task_of_its_origin(world: World) -> None:
    a = world.agent()
    a.prompt()
    a.kill9()
    assert "interrupted" not in world.agent("sess-fork").start("fork").context
    assert only(world)["state"] == "queued"


def test_the_lease_of_a_live_but_slow_agent_does_not_end(world: World) -> None:
    a = world.agent()
    a.prompt()
    world.pass_time(3 * 3600)
    world.agent("sess-B").start()
    assert only(world)["state"] == "leased"


def test_the_lease_of_a_stranger_ends_with_its_time(world: World) -> None:
    long, short = queue(world, "task-long"), queue(world, "task-short")
    with ledger(world) as opened:
        opened.lease(long, "another-orchestrator", 3600)
        opened.lease(short, "another-orchestrator", 0.001)
    world.agent().start()
    assert [t["state"] for t in tasks(world)] == ["leased", "queued"]


# -- attention and renewal --------------------------------------------------------------------------------


def test_a_dialog_needs_attention_and_an_answer_ends_it(world: World) -> None:
    a = world.agent()
    a.prompt()
    a.hook("PermissionRequest")
    a.hook("Notification", notification_type="permission_prompt")
    assert only(world)["state"] == "needs_attention"
    assert only(world)["block_reason"] == "permission"
    a.wrote(world.repo / "src/a.py", "call-1")
    assert only(world)["state"] == "leased"
    assert types(world) == [*BEGUN, "NeedsAttention", "LaunchAcknowledged"]


def test_a_call_that_fails_after_its_approval_ends_it_too(world: World) -> None:
    a = world.agent()
    a.prompt()
    a.hook("PermissionRequest")
    a.hook("PostToolUseFailure", tool_use_id="call-1")
    assert only(world)["state"] == "leased"


def test_a_turn_may_stop_while_it_needs_attention(world: World) -> None:
    a = world.agent()
    a.prompt()
    a.hook("PermissionRequest")
    a.stop()
    assert only(world)["state"] == "completed"


def test_tool_calls_renew_only_when_half_of_the_lease_is_gone(world: World) -> None:
    a = world.agent()
    a.prompt()
    a.wrote(world.repo / "src/a.py", "call-1")
    assert "LeaseRenewed" not in types(world)
    world.rows("UPDATE runtimes SET work_until = work_until - 2000")
    a.wrote(world.repo / "src/a.py", "call-2")
    a.wrote(world.repo / "src/a.py", "call-3")
    assert types(world).count("LeaseRenewed") == 1


# -- subagents --------------------------------------------------------------------------------------------


def test_a_subagent_is_a_child_task(world: World) -> None:
    a = world.agent()
    a.prompt("Tidy up")
    for _ in range(2):  # the same one may be woken again
        a.hook("SubagentStart", agent_id="agent-1", agent_type="Explore")
        a.hook("SubagentStop", agent_id="agent-1", agent_type="Explore")
    turn, *children = tasks(world)
    assert [(t["title"], t["parent"], t["state"]) for t in children] == [
        ("Explore", turn["task_id"], "completed")
    ] * 2
    assert turn["state"] == "leased"
    assert types(world).count("QuotaReported") == 0
    assert world.problems() == []


def test_a_subagent_that_vanished_is_given_back_at_its_parents_stop(world: World) -> None:
    a = world.agent()
    a.prompt()
    a.hook("SubagentStart", agent_id="agent-1", agent_type="Explore")
    a.hook("SubagentStart", agent_id="agent-2", agent_type="Explore")
    a.stop(background_tasks=[{"id": "agent-2"}])
    assert [t["state"] for t in tasks(world)] == ["completed", "queued", "leased"]


@pytest.mark.parametrize("turn_id", ["a\nb\x1b", "x" * 5000, "\ud800"], ids=["control", "long", "half"])
def test_a_turn_whose_id_the_ledger_does_not_take_has_a_task(turn_id: str) -> None:
    event, other = Event("prompt", "codex", "s"), Event("prompt", "codex", "s")
    event.turn_id, other.turn_id = turn_id, turn_id + "y"
    assert work_of(event) == work_of(event) != work_of(other)
    assert work_of(event).isprintable()
    assert len(work_of(event)) < 100
    event.turn_id = "t1"
    assert work_of(event) == "s/t1"


# -- what is kept -----------------------------------------------------------------------------------------


def test_titles_are_masked_and_cut(world: World) -> None:
    a = world.agent()
    a.prompt("use sk-abcdefghijklmnop1234 " + "x" * 300)
    title = only(world)["title"]
    assert "sk-abc" not in title
    assert len(title) == 120
    assert b"sk-abc" not in (world.state / "ledger" / "events.jsonl").read_bytes()


def test_no_titles_where_they_are_not_wanted(world: World) -> None:
    world.configure("titles = false")
    a = world.agent()
    a.start()
    a.prompt("a secret plan")
    a.hook("SubagentStart", agent_id="agent-1", agent_type="Explore")
    assert [t["title"] for t in tasks(world)] == [None, None]
    assert b"secret plan" not in (world.state / "ledger" / "events.jsonl").read_bytes()


def test_reports_are_kept_where_they_are_wanted(world: World) -> None:
    world.configure("reports = true")
    a = world.agent()
    a.start()
    a.prompt()
    a.stop(last_assistant_message="all done, café")
    with ledger(world) as opened:
        assert opened.artifact(only(world)["report_ref"]).decode() == "all done, café"


def test_nothing_but_titles_is_in_the_log(world: World) -> None:
    a = world.agent()
    a.prompt("title\nthe rest of the prompt")
    a.bash("echo command-text")
    a.edit_whole(world.repo / "src/a.py", "file-content")
    a.stop(last_assistant_message="final-words")
    log = (world.state / "ledger" / "events.jsonl").read_text()
    assert not [word for word in ("the rest", "command-text", "file-content", "final-words") if word in log]


# -- trouble with the ledger ------------------------------------------------------------------------------


def no_folder(folder: Path) -> None:
    folder.rmdir() if folder.exists() else None
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("in the way")


def damaged(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "events.jsonl").write_text("no event\n" * 3)


def held_lock(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    os.symlink("/dev/null", folder / "events.lock")


@pytest.mark.parametrize("trouble", [no_folder, damaged, held_lock])
def test_a_ledger_that_cannot_be_used_refuses_and_holds_nothing(world: World, trouble: Any) -> None:
    world.configure("dispatch = true")
    trouble(world.state / "ledger")
    a = world.agent()
    for reply in (
        a.start(),
        a.prompt(),
        a.write(world.repo / "src/a.py"),
        a.hook("PermissionRequest"),
        a.wrote(world.repo / "src/a.py", "call-1"),
        a.hook("SubagentStart", agent_id="agent-1"),
        a.hook("SubagentStop", agent_id="agent-1"),
        a.stop(),
        a.hook("SessionEnd"),
    ):
        assert not reply.denied
        assert not reply.held
    told = a.start().notice + a.prompt().notice + str(world.problems())
    assert "ledger" in told


def test_no_tool_call_opens_the_ledger_before_it(world: World) -> None:
    a = world.agent()
    a.start()
    a.prompt()
    watched = Watched(world, a)
    for call in (lambda: a.write(world.repo / "src/a.py"), lambda: a.bash("echo > src/b.py")):
        assert not call().denied
        assert not [name for name in watched["loaded"] if name.startswith("coordhooks.ledger")]
    a.wrote(world.repo / "src/a.py", "call-1")  # nor after a plain one
    assert not [name for name in watched["loaded"] if name.startswith("coordhooks.ledger")]
