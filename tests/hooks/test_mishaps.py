"""Reported mishaps of other hooks that have no place elsewhere; ``tests/cases.toml`` says where all of them are."""

import re
import sqlite3
import sys
from pathlib import Path

import pytest

from coordhooks.ledger.book import LOCK_NAME
from hooks.codex_agent import CodexAgent
from hooks.test_hot_path import Watched
from hooks.world import World

# A wrapper that is gone before the hook can look who its parent is.
WRAPPER = """
import os, sys, time
here = os.getpid()
if os.fork():
    os._exit(0)
while os.getppid() == here:
    time.sleep(0.001)
os.execv(sys.argv[1], sys.argv[1:])
"""
GONE = (sys.executable, "-I", "-S", "-c", WRAPPER)


def test_b08_a_folder_of_the_calls_own_is_where_its_command_writes(world: World) -> None:
    """Codex gives the folder of the call as ``cwd`` (observed); a ``workdir`` beside it would count as well."""
    codex, other = CodexAgent(world), CodexAgent(world, "thread-B")
    assert other.patch("*** Update File: src/a.py", "@@", "-1", "+2", tool_use_id="call-B").silent
    source = str(world.repo / "src")
    assert "src/a.py" in codex.shell("cat > src/a.py").denied
    assert "src/a.py" in codex.shell("cd src && printf x > a.py").denied
    assert "src/a.py" in codex.shell(f"printf x > {source}/a.py").denied
    assert "is being edited" in codex.shell("printf x > a.py", cwd=source).denied
    for workdir in ("src", source):
        told = codex.shell("", tool_input={"command": "printf x > a.py", "workdir": workdir})
        assert "is being edited" in told.denied
    assert not codex.shell("", tool_input={"command": "printf x > a.py", "workdir": "lib"}).denied


def test_d09_a_hook_whose_parent_is_gone_records_no_strangers_process(world: World) -> None:
    """The walk upward leads to init, which is nobody's harness."""

    def recorded() -> set[int | None]:
        return {row["pid"] for row in world.rows("SELECT pid FROM runtimes WHERE ended_at IS NULL")}

    agent = world.agent()
    agent.hook("SessionStart", prefix=GONE)
    assert recorded() == {None}
    agent.hook(
        "PreToolUse", prefix=GONE, tool_input={"file_path": str(world.repo / "src/a.py"), "content": "x"}
    )
    agent.prompt()
    assert recorded() == {agent.pid}, "the same runtime, of which more is known now"
    assert not agent.write(world.repo / "src/a.py").denied


@pytest.mark.parametrize("moment", ["while the log can't be written", "while the store is locked"])
def test_h06_a_stop_that_fails_holds_nobody_and_is_told_at_the_next_start(world: World, moment: str) -> None:
    a = world.agent()
    a.prompt()
    ledger, lock = world.state / "ledger", sqlite3.connect(world.database, isolation_level=None)
    if moment.endswith("locked"):
        lock.execute("BEGIN EXCLUSIVE")
    else:
        ledger.rename(world.home / "ledger")
        ledger.write_text("no folder")
    running = [a.begin("Stop", stop_hook_active=active, background_tasks=[]) for active in (True, False)]
    assert not any(hook.reply().stdout for hook in running)
    lock.close()
    told = a.start("compact").notice
    assert ("locked" if moment.endswith("locked") else "ledger") in told


def test_h07_messages_beyond_the_harnesss_limit_come_at_the_next_starts(world: World) -> None:
    a, _ = world.pair()
    for number in range(40):
        world.send("sess-B", "sess-A", f"{number:02} ".ljust(1000, "x"))
    seen: list[str] = []
    for _ in range(3):
        told = a.start("resume").context
        assert len(told) < 8000
        shown = re.findall(r'"(\d\d) x{997}"', told)
        seen += shown
        assert f"({40 - len(seen)} more: read them with `coord inbox`)" in told
        assert world.states("sess-A").count("queued") == 40 - len(seen)
    assert seen == [f"{number:02}" for number in range(len(seen))]
    assert len(seen) > 2


def test_h13_no_hook_opens_a_socket(world: World) -> None:
    agent = world.agent()
    world.agent("sess-B").write(world.repo / "src/a.py")
    watched = Watched(world, agent)
    for fire in (
        agent.start,
        agent.prompt,
        lambda: agent.write(world.repo / "src/a.py"),
        lambda: agent.hook("PreToolUse", tool_input={}),  # which the schema refuses
        lambda: agent.bash("echo x > src/b.py"),
        agent.stop,
    ):
        fire()
        assert "open" in watched["events"]
        assert [name for name in watched["events"] if name.startswith(("socket.", "urllib.", "http."))] == []


def test_d15_no_hook_waits_for_what_a_killed_process_has_left(world: World) -> None:
    """Files beside the store and a lock file of the ledger that nobody holds; five starts in a row."""
    a = world.agent()
    a.prompt()
    for left in (world.state / "ledger" / LOCK_NAME, Path(f"{world.database}-journal")):
        left.touch()
    for number in range(5):
        reply = world.agent(f"sess-{number}").start()
        assert reply.seconds < 5
        assert not reply.notice
    assert len(world.live()) == 6
    assert not world.problems()
