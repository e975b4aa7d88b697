"""What an agent hears of its files besides a veto: what is free, what it lost, what others left unlanded."""

import os
from pathlib import Path

import pytest
from harness.git import git

from hooks.agent import Agent
from hooks.reply import Reply
from hooks.world import World


@pytest.fixture
def refused(world: World) -> tuple[Agent, Agent]:
    """``sess-B`` was refused src/a.py, which ``sess-A`` holds."""
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    assert b.write(world.repo / "src/a.py").denied
    return a, b


HEARS = {
    "a shell call": lambda agent: agent.bash("true"),
    "the end of a call": lambda agent: agent.hook("PostToolUse", tool_use_id="x"),
    "a failed call": lambda agent: agent.hook("PostToolUseFailure", tool_use_id="x"),
    "a prompt": lambda agent: agent.prompt(),
}


@pytest.mark.parametrize("moment", HEARS.values(), ids=HEARS)
def test_a_refused_agent_hears_once_that_the_file_is_free(
    world: World, refused: tuple[Agent, Agent], moment: object
) -> None:
    a, b = refused
    assert "Free now" not in moment(b).context  # type: ignore[operator]
    a.stop()
    told: Reply = moment(b)  # type: ignore[operator]
    assert told.context == "Free now: src/a.py. You were refused before: re-read before you edit."
    assert not moment(b).context  # type: ignore[operator]


def test_it_hears_of_a_dead_holders_file_too(world: World, refused: tuple[Agent, Agent]) -> None:
    refused[0].kill9()
    assert "Free now: src/a.py." in refused[1].bash("true").context


def test_who_got_the_file_in_between_is_no_news(world: World, refused: tuple[Agent, Agent]) -> None:
    a, b = refused
    a.stop()
    assert not b.write(world.repo / "src/a.py").context
    assert not b.bash("true").context


# -- yielding ---------------------------------------------------------------------------------------------


def done(agent: Agent, path: Path, call_id: str = "done") -> None:
    agent.write(path, tool_use_id=call_id)
    agent.wrote(path, call_id)


@pytest.mark.parametrize(("name", "minutes", "yields"), [
    ("src/a.py", 9, False), ("src/a.py", 11, True), ("web/index.ts", 1.5, False), ("web/index.ts", 3, True),
    ("src/__init__.py", 3, True), ("src/mod.rs", 3, True),
])  # fmt: skip
def test_a_file_that_its_holder_left_alone_goes_to_a_contender(
    world: World, name: str, minutes: float, yields: bool
) -> None:
    a, b = world.pair()
    done(a, world.repo / name)
    world.pass_time(minutes * 60, ["leases"])
    assert bool(b.write(world.repo / name).denied) is not yields


def test_the_former_holder_is_told_once_and_refused_like_anyone(world: World) -> None:
    a, b = world.pair()
    done(a, world.repo / "src/a.py")
    world.pass_time(700, ["leases"])
    b.write(world.repo / "src/a.py")
    told = a.bash("true").context
    handle = world.runtime("sess-B")["conversation_handle"]
    assert f"Your lease on src/a.py yielded to {handle}" in told
    assert "Re-read it" in told
    assert not a.bash("true").context
    assert "Your own lease on it had lapsed." in a.write(world.repo / "src/a.py").denied


def test_a_file_is_kept_while_a_call_is_open(world: World) -> None:
    a, b = world.pair()
    done(a, world.repo / "src/a.py")
    a.bash("make test", tool_use_id="long")
    world.pass_time(3600, ["leases", "calls", "runtimes"])
    assert b.write(world.repo / "src/a.py").denied
    a.hook("PostToolUse", tool_name="Bash", tool_input={"command": "make test"}, tool_use_id="long")
    world.pass_time(3600, ["leases"])
    assert not b.write(world.repo / "src/a.py").denied


def test_how_long_can_be_set(world: World) -> None:
    world.configure('yield_after = "1m"')
    a, b = world.agent("sess-A"), world.agent("sess-B")
    a.start()
    a.prompt()
    done(a, world.repo / "src/a.py")
    world.pass_time(61, ["leases"])
    assert not b.write(world.repo / "src/a.py").denied


def test_an_explicit_claim_does_not_yield(world: World) -> None:
    _, b = world.pair()
    world.store.claim(world.runtime("sess-A")["runtime_id"], ["src/a.py"], tree=str(world.repo))
    world.pass_time(700, ["leases"])
    assert b.write(world.repo / "src/a.py").denied


# -- unlanded work ----------------------------------------------------------------------------------------


@pytest.fixture
def unlanded(world: World) -> tuple[Agent, Agent]:
    """``sess-A`` has written src/a.py and its turn is over."""
    a, b = world.pair()
    a.edit_whole(world.repo / "src/a.py", "2\n")
    a.stop()
    return a, b


def test_the_first_write_into_anothers_unlanded_work_is_noted_once(
    world: World, unlanded: tuple[Agent, Agent]
) -> None:
    _, b = unlanded
    handle = world.runtime("sess-A")["conversation_handle"]
    told = b.write(world.repo / "src/a.py")
    assert not told.denied
    assert told.context == (
        f'src/a.py has uncommitted changes by {handle} ("Tidy up the tests", 0 min ago): '
        "re-read it, keep them, do not commit them as yours."
    )
    assert b.write(world.repo / "src/a.py").silent


def test_it_is_noted_after_the_author_is_gone(world: World, unlanded: tuple[Agent, Agent]) -> None:
    unlanded[0].kill9()
    assert "uncommitted changes by" in unlanded[1].write(world.repo / "src/a.py").context


@pytest.mark.parametrize("landing", ["commit", "take back"])
def test_landed_work_is_not_noted(world: World, unlanded: tuple[Agent, Agent], landing: str) -> None:
    if landing == "commit":
        git(world.repo, "commit", "--quiet", "--all", "--message=Land")
    else:
        (world.repo / "src/a.py").write_text("1\n")
    assert unlanded[1].write(world.repo / "src/a.py").silent


def test_ones_own_unlanded_work_is_no_news_nor_to_ones_subagents(
    world: World, unlanded: tuple[Agent, Agent]
) -> None:
    a, _ = unlanded
    assert a.write(world.repo / "src/a.py").silent
    assert a.write(world.repo / "src/a.py", agent_id="sub-1", agent_type="coder").silent


@pytest.mark.parametrize("names", [["ignored.log"], ["src/-x.py", "src/:(glob)*.py", "src/a b.py"]])
def test_ignored_files_are_not_noted_and_odd_names_are(world: World, names: list[str]) -> None:
    (world.repo / ".gitignore").write_text("*.log\n")
    git(world.repo, "add", ".gitignore")
    git(world.repo, "commit", "--quiet", "--message=Ignore")
    a, b = world.pair()
    for name in names:
        a.edit_whole(world.repo / name, "2\n")
    a.stop()
    for name in names:
        assert bool(b.write(world.repo / name).context) is not name.endswith(".log")


def test_git_runs_nothing_of_the_repositorys_own(world: World, unlanded: tuple[Agent, Agent]) -> None:
    script = world.home / "run.sh"
    script.write_text(f"#!/bin/sh\ntouch {world.home}/ran\n")
    script.chmod(0o755)
    for key in ("core.fsmonitor", "core.sshCommand", "filter.x.clean", "core.pager"):
        git(world.repo, "config", key, str(script))
    git(world.repo, "config", "core.hooksPath", str(world.home))
    (world.repo / ".git/info/attributes").write_text("*.md filter=x\n")
    unlanded[1].write(world.repo / "src/a.py", env={"GIT_DIR": "/nowhere", "GIT_EXTERNAL_DIFF": str(script)})
    assert not (world.home / "ran").exists()


def test_without_git_a_write_is_permitted_all_the_same(world: World, unlanded: tuple[Agent, Agent]) -> None:
    assert not unlanded[1].write(world.repo / "src/a.py", env={"PATH": "/nowhere"}).denied


# -- trees ------------------------------------------------------------------------------------------------


def test_two_worktrees_do_not_collide(world: World, worktree: Path) -> None:
    a, b = world.agent("sess-A"), world.agent("sess-B", cwd=worktree)
    assert a.write(world.repo / "src/a.py").silent
    assert not b.write(worktree / "src/a.py").denied
    assert b.write(world.repo / "src/a.py").denied, "wherever the caller's own folder is"


def test_a_subfolder_and_a_link_lead_to_the_same_file(world: World) -> None:
    (world.home / "link").symlink_to(world.repo / "src")
    a, b = world.agent("sess-A", cwd=world.repo / "lib"), world.agent("sess-B")
    a.write("../src/a.py")
    assert b.write(world.home / "link" / "a.py").denied.startswith("Not an error: src/a.py ")
    assert b.write(f"{world.repo}/lib/../src/./a.py").denied


# -- switched off -----------------------------------------------------------------------------------------


def test_a_veto_that_is_off_is_no_veto_and_is_told_at_each_start(
    world: World, refused: tuple[Agent, Agent]
) -> None:
    _, b = refused
    assert b.write(world.repo / "src/a.py", env={"COORD_OFF": "1"}).silent
    assert "OFF for this session" in b.hook("SessionStart", env={"COORD_OFF": "1"}).notice
    assert "OFF for this session" in b.hook("UserPromptSubmit", env={"COORD_OFF": "1"}).notice
    assert b.write(world.repo / "src/a.py").denied


def test_a_repository_can_be_switched_off(world: World, refused: tuple[Agent, Agent]) -> None:
    world.configure(f'[project."{world.repo}"]\nenabled = false\n')
    refused[1].start("compact")
    assert refused[1].write(world.repo / "src/a.py").silent
    world.configure("")
    refused[1].start("compact")
    assert refused[1].write(world.repo / "src/a.py").denied


def test_settings_that_cant_be_used_leave_the_former_ones_and_are_told(world: World) -> None:
    world.configure("yield_after = 60")
    a = world.agent()
    a.start()
    world.configure("yield_after = 'soon'")
    assert "yield_after" in a.start("compact").notice
    assert world.rows("SELECT value FROM settings WHERE name = 'yield_after'") == [{"value": 60.0}]


def test_others_hear_when_someone_switches_the_hooks_off(world: World) -> None:
    a, b = world.pair()
    settings = world.repo / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"disableAllHooks": true}')
    assert a.hook("ConfigChange", file_path=str(settings)).silent
    handle = world.runtime("sess-A")["conversation_handle"]
    assert f"Hooks were switched off for {handle}" in b.bash("true").context


def test_a_hard_link_is_free_when_its_other_name_is(world: World) -> None:
    a, b = world.pair()
    os.link(world.repo / "src/a.py", world.repo / "other.py")
    assert not b.write(world.repo / "src/a.py").denied
    assert "the same file as src/a.py" in a.write(world.repo / "other.py").denied
    assert "Free now" not in a.write(world.repo / "lib/a.py").context
    b.stop()
    assert "Free now: other.py" in a.write(world.repo / "lib/a.py").context
