"""How long things last: a turn and its leases, a call and what it took, a stop and what holds it."""

import json
import random
import sqlite3
import threading
import time
from pathlib import Path

import pytest
from harness.torture import count

from hooks.agent import Agent
from hooks.reply import Reply
from hooks.world import World

CALL_LONG = ["CHANGELOG.md", "TODO", "package-lock.json", "uv.lock", "go.sum", "Cargo.lock", "package.json", "pyproject.toml",
             "Cargo.toml", "go.mod", "web/__snapshots__/a.snap", "CLAUDE.md", "AGENTS.md", "docs/MEMORY.md"]  # fmt: skip


# -- the turn ---------------------------------------------------------------------------------------------


def test_a_turns_leases_end_with_its_stop(world: World) -> None:
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    assert b.write(world.repo / "src/a.py").denied
    assert a.stop().silent
    assert world.leases() == {}
    assert not b.write(world.repo / "src/a.py").denied


def idle(agent: Agent) -> Reply:
    return agent.hook("Notification", notification_type="idle_prompt")


def interrupt(agent: Agent) -> Reply:
    return agent.hook("PostToolUseFailure", is_interrupt=True, tool_use_id="another")


@pytest.mark.parametrize("moment", [idle, interrupt])
def test_a_turn_that_ends_without_a_stop_frees_as_well(world: World, moment: object) -> None:
    a = world.agent()
    a.prompt()
    a.write(world.repo / "src/a.py")
    assert moment(a).silent  # type: ignore[operator]
    assert world.leases() == {}


def test_other_notifications_end_no_turn(world: World) -> None:
    a = world.agent()
    a.prompt()
    a.write(world.repo / "src/a.py")
    for kind in ("permission_prompt", "auth_success", "", None, 5):
        a.hook("Notification", notification_type=kind)
    assert world.leases() == {"src/a.py": "sess-A"}


def test_a_setting_keeps_leases_to_the_end_of_the_session(world: World) -> None:
    world.configure('release = "session"')
    a, b = world.agent("sess-A"), world.agent("sess-B")
    a.start()
    a.prompt()
    a.write(world.repo / "src/a.py")
    a.stop()
    assert b.write(world.repo / "src/a.py").denied
    a.hook("SessionEnd")
    a.kill9()
    assert not b.write(world.repo / "src/a.py").denied


def test_an_explicit_claim_outlives_the_turn(world: World) -> None:
    a, b = world.pair()
    world.store.claim(world.runtime("sess-A")["runtime_id"], ["src"], tree=str(world.repo))
    a.stop()
    assert "at the latest" in b.write(world.repo / "src/a.py").denied


@pytest.mark.parametrize("record", [
    {"type": "user", "message": {"content": [{"type": "text", "text": "[Request interrupted by user for tool use]"}]}},
    {"type": "assistant", "isApiErrorMessage": True, "message": {"content": "API Error: 529"}},
])  # fmt: skip
def test_a_turn_whose_transcript_ends_in_an_interrupt_holds_nothing(
    world: World, record: dict[str, object]
) -> None:
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    assert b.write(world.repo / "src/a.py").denied
    write_transcript(a, {"type": "user", "message": {"content": "Go"}}, record, {"type": "summary"})
    assert not b.write(world.repo / "src/a.py").denied


def write_transcript(agent: Agent, *records: dict[str, object]) -> None:
    path = agent.transcript(agent.session_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


# -- the call ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", ["PostToolUseFailure", "PermissionDenied"])
def test_a_call_that_did_not_happen_gives_back_what_it_took(world: World, event: str) -> None:
    a = world.agent()
    a.prompt()
    a.write(world.repo / "src/a.py", tool_use_id="first")
    a.write(world.repo / "src/b.py", tool_use_id="second")
    a.write(world.repo / "src/a.py", tool_use_id="third")
    a.hook(event, tool_use_id="third", tool_input={"file_path": str(world.repo / "src/a.py")})
    assert set(world.leases()) == {"src/a.py", "src/b.py"}, "what was there before the call stays"
    a.hook(event, tool_use_id="second")
    assert set(world.leases()) == {"src/a.py"}


def test_a_failed_call_without_an_id_gives_back_nothing_of_others(world: World) -> None:
    a = world.agent()
    a.prompt()
    a.write(world.repo / "src/a.py", tool_use_id=None)
    a.hook("PostToolUseFailure", tool_use_id=None)
    assert set(world.leases()) == {"src/a.py"}


def test_a_failed_call_leaves_an_explicit_claim(world: World) -> None:
    a = world.agent()
    a.prompt()
    world.store.claim(world.runtime("sess-A")["runtime_id"], ["src/a.py"], tree=str(world.repo))
    a.write(world.repo / "src/a.py", tool_use_id="call-1")
    a.hook("PostToolUseFailure", tool_use_id="call-1")
    assert set(world.leases()) == {"src/a.py"}


def test_what_everybody_touches_is_held_for_one_call_only(world: World) -> None:
    a, b = world.pair()
    for name in CALL_LONG:
        a.write(world.repo / name, tool_use_id=name)
        assert world.leases() == {name: "sess-A"}
        a.wrote(world.repo / name, name)
        assert world.leases() == {}
    assert not b.write(world.repo / CALL_LONG[0]).denied


def test_a_contender_waits_for_the_end_of_the_call(world: World) -> None:
    a, b = world.pair()
    a.write(world.repo / "CHANGELOG.md", tool_use_id="call-1")
    contender = b.begin_write(world.repo / "CHANGELOG.md")
    contender.started.result(timeout=30)
    a.wrote(world.repo / "CHANGELOG.md", "call-1")
    assert not contender.reply().denied
    assert world.leases() == {"CHANGELOG.md": "sess-B"}


def test_a_contender_waits_three_seconds_at_most(world: World) -> None:
    a, b = world.pair()
    a.write(world.repo / "CHANGELOG.md")
    refused = b.write(world.repo / "CHANGELOG.md")
    assert refused.denied.startswith("Not an error: CHANGELOG.md ")
    assert 3 <= refused.seconds < 6


def test_a_call_whose_end_nobody_heard_of_is_over_after_a_minute(world: World) -> None:
    a, b = world.pair()
    a.write(world.repo / "CHANGELOG.md")
    world.pass_time(61)
    assert not b.write(world.repo / "CHANGELOG.md").denied


def test_a_call_that_the_transcript_has_an_answer_to_is_over(world: World) -> None:
    a, b = world.pair()
    a.write(world.repo / "CHANGELOG.md", tool_use_id="call-1")
    result = {"type": "tool_result", "tool_use_id": "call-1", "is_error": True}
    write_transcript(
        a,
        {"type": "user", "message": {"content": [result]}},
        {"type": "assistant", "message": {"content": "ok"}},
    )
    assert not b.write(world.repo / "CHANGELOG.md").denied


@pytest.mark.parametrize(("globs", "name", "long"), [
    ('["docs/*.md"]', "docs/a.md", False),
    ('["*.po"]', "lang/de.po", False),
    ('["docs/*.md"]', "src/a.md", True),
    ('["docs/[a].md"]', "docs/[a].md", True),
    ('["docs/%.md"]', "docs/a.md", True),
    ("[]", "docs/a.md", True),
])  # fmt: skip
def test_more_shared_files_can_be_named(world: World, globs: str, name: str, long: bool) -> None:
    world.configure(f"shared = {globs}")
    a = world.agent()
    a.start()
    a.prompt()
    a.write(world.repo / name, tool_use_id="call-1")
    a.wrote(world.repo / name, "call-1")
    assert world.leases() == ({name: "sess-A"} if long else {})


@pytest.mark.parametrize("name", [".git/config", ".git/hooks/pre-commit", "lib/.jj/repo/x"])
def test_a_repositorys_own_metadata_is_never_leased(world: World, name: str) -> None:
    a = world.agent()
    assert a.write(world.repo / name).silent
    assert world.leases() == {}


def test_neither_are_temporary_files_nor_the_harnesss_own_state(world: World, tmp_path: Path) -> None:
    a = world.agent()
    assert a.write(tmp_path / "scratch.txt").silent
    assert a.write("/var/lib/x/.claude/plan.md").silent
    assert world.leases() == {}


# -- the stop ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["request", "blocker"])
def test_an_unread_request_holds_the_stop_once(world: World, kind: str) -> None:
    a, _ = world.pair()
    a.write(world.repo / "src/a.py")
    world.send("sess-B", "sess-A", "Please look at the parser", kind)
    first = a.stop()
    assert "Please look at the parser" in first.held
    assert world.leases() == {"src/a.py": "sess-A"}, "the turn goes on"
    assert a.stop(stop_hook_active=True).silent
    assert world.leases() == {}
    a.prompt()
    assert not a.stop().held


@pytest.mark.parametrize("kind", ["fyi", "reply", "urgent"])
def test_other_messages_do_not_hold_it(world: World, kind: str) -> None:
    a, _ = world.pair()
    world.send("sess-B", "sess-A", "Just so you know", kind)
    assert a.stop().silent
    assert world.states("sess-A") == ["queued"]


def test_a_stop_that_goes_on_already_is_never_held(world: World) -> None:
    a, _ = world.pair()
    world.send("sess-B", "sess-A", "Please look", "request")
    assert a.stop(stop_hook_active=True).silent
    assert world.states("sess-A") == ["queued"]


def test_messages_hold_three_stops_at_most_for_one_prompt(world: World) -> None:
    a, _ = world.pair()
    held = []
    for number in range(5):
        world.send("sess-B", "sess-A", f"request {number}", "request")
        held.append(bool(a.stop().held))
        a.bash("true")
    assert held == [True, True, True, False, False]
    a.prompt()
    world.send("sess-B", "sess-A", "after a new prompt", "request")
    assert a.stop().held


def test_a_stop_while_the_store_is_locked_ends_in_silence(world: World) -> None:
    a, _ = world.pair()
    lock = sqlite3.connect(world.database, isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    try:
        running = [a.begin("Stop", stop_hook_active=active) for active in (True, False)]
        assert not any(hook.reply().stdout for hook in running)
    finally:
        lock.close()


# -- the person -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", [
    lambda agent: agent.hook("PermissionRequest"),
    lambda agent: agent.hook("Notification", notification_type="permission_prompt"),
])  # fmt: skip
def test_a_holder_at_a_permission_dialog_waits_for_its_human(world: World, moment: object) -> None:
    a, b = world.pair()
    a.write(world.repo / "src/a.py", tool_use_id="call-1")
    assert moment(a).silent  # type: ignore[operator]
    world.pass_time(3600, ["leases", "calls"])
    for _ in range(2):
        refused = b.write(world.repo / "src/a.py")
        assert "waits for its human since " in refused.denied
    bodies = world.rows(
        "SELECT body FROM messages JOIN deliveries USING (message_id) WHERE runtime_id = 'human'"
    )
    assert len(bodies) == 1
    a.wrote(world.repo / "src/a.py", "call-1")
    assert "waits for its human" not in b.write(world.repo / "src/a.py").denied


# -- at the same instant ----------------------------------------------------------------------------------


def test_of_many_that_ask_at_the_same_instant_one_gets_the_file(world: World) -> None:
    agents = [world.agent(f"sess-{number}") for number in range(count(6, 16))]
    for agent in agents:
        agent.start()
    for number in range(count(4, 50)):
        path = world.repo / f"round-{number}.py"
        barrier = threading.Barrier(len(agents))
        replies: list[Reply] = []
        threads = [threading.Thread(target=ask, args=(agent, path, barrier, replies)) for agent in agents]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        winners = [reply for reply in replies if not reply.denied]
        assert len(winners) == 1
        assert all(
            reply.denied.startswith(f"Not an error: round-{number}.py ") for reply in replies if reply.denied
        )
        assert not any(reply.stderr for reply in replies)


def test_hooks_that_are_killed_at_any_moment_leave_a_sound_store(world: World) -> None:
    a, b = world.pair()
    a.write(world.repo / "kept.py")
    chance = random.Random(1)
    for number in range(count(15, 200)):
        victim = b.begin_write(world.repo / f"{number}.py", rc=-9)
        victim.started.result(timeout=30)
        time.sleep(chance.uniform(0, 0.06))
        victim.kill9()
        victim.wait()
    assert world.rows("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    assert world.rows("SELECT path FROM leases GROUP BY space, key HAVING count(*) > 1") == []
    assert world.rows("SELECT 1 FROM leases WHERE runtime_id NOT IN (SELECT runtime_id FROM runtimes)") == []
    assert world.leases()["kept.py"] == "sess-A"
    assert b.write(world.repo / "kept.py").denied
    assert not a.write(world.repo / "free.py").denied


def ask(agent: Agent, path: Path, barrier: threading.Barrier, replies: list[Reply]) -> None:
    barrier.wait()
    replies.append(agent.write(path))


def test_first_sessions_at_once_make_one_store(world: World) -> None:
    agents = [world.agent(f"sess-{number}") for number in range(count(6, 16))]
    running = [agent.begin("SessionStart") for agent in agents]
    assert not any(hook.reply().stderr for hook in running)
    assert len(world.live()) == len(agents)
