"""git in a shared checkout: what would take, destroy or move away others' work is refused, with a form that is ready."""

import re
import subprocess
from pathlib import Path

import pytest

from hooks.agent import Agent
from hooks.world import World


def git(world: World, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", world.repo, "-c", "user.name=A", "-c", "user.email=a@b", *arguments],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout


def step(denied: str) -> str:
    """The command that a refusal recommends."""
    found = re.search(r"Next: run (?:it over your own files only: )?`(.+?)`", denied)
    assert found, denied
    return found[1]


@pytest.fixture
def pair(world: World) -> tuple[Agent, Agent]:
    """Between turns both have left uncommitted work: a in src/b.py, b in src/a.py and a new file."""
    a, b = world.pair()
    a.edit_whole(world.repo / "src/b.py", "of a\n")
    b.edit_whole(world.repo / "src/a.py", "of b\n")
    b.edit_whole(world.repo / "it's new [1].py", "of b\n")
    b.stop()
    return a, b


SWEEPS = (
    "git add -A",
    "git add .",
    "git add --all",
    "git add -u",
    "git add src lib",
    "cd src && git add -A",
    "git -C src add ..",
)


@pytest.mark.parametrize("command", SWEEPS)
def test_a_sweep_into_the_index_is_refused_with_a_form_that_works(
    world: World, pair: tuple[Agent, Agent], command: str
) -> None:
    a, _ = pair
    said = a.bash(command).denied
    assert said.startswith("Not an error: `git add` would take uncommitted work of ")
    assert "src/a.py" in said
    assert len(said) < 400
    form = step(said)
    before, _ = a.run(form)
    assert not before.denied, form
    staged = git(world, "diff", "--cached", "--name-only").split()
    assert "src/b.py" in staged
    assert "src/a.py" not in staged


@pytest.mark.parametrize(
    "command",
    ["git add '*.py'", "git add src/*", "git add $(git ls-files -m)", "git ls-files -m | xargs git add",
     "git diff --name-only | git add --pathspec-from-file=-", "find . -name '*.py' | xargs git add"],
)  # fmt: skip
def test_a_sweep_by_pattern_or_by_another_command_is_refused(
    world: World, pair: tuple[Agent, Agent], command: str
) -> None:
    a, _ = pair
    said = a.bash(f"{command} && git commit -qm mine").denied
    assert said.startswith("Not an error: `git add` would take uncommitted work of ")
    if "Next: run `git" in said:
        a.run(step(said))
        assert "src/a.py" not in git(world, "diff", "--cached", "--name-only").split()
    else:
        assert "coord files --stage" in said
    assert not a.bash("coord files -z | git add --pathspec-from-file=- --pathspec-file-nul").denied


def test_a_file_that_was_named_is_meant(world: World, pair: tuple[Agent, Agent]) -> None:
    a, _ = pair
    assert not a.bash("cd src && git add b.py a.py; git status").denied
    assert not a.bash("git commit -m x -- src/a.py").denied


def test_a_name_that_cannot_be_typed_is_in_no_form(world: World, pair: tuple[Agent, Agent]) -> None:
    a, b = pair
    b.edit_whole(world.repo / "new\nline.py", "of b\n")
    said = a.bash("git add -A").denied
    assert "exclude" not in said
    assert "coord files --stage" in said


def test_no_form_touches_what_was_not_asked_for(world: World, pair: tuple[Agent, Agent]) -> None:
    a, _ = pair
    a.edit_whole(world.repo / "lib/a.py", "of a\n")
    a.edit_whole(world.repo / "mine.py", "of a\n")
    for command in ("git restore src", "git checkout -- src/", "git stash push src", "black src"):
        said = a.bash(command).denied
        assert "src/a.py" in said
        assert "lib/a.py" not in said
        assert "mine.py" not in said


@pytest.mark.parametrize("command", ["git commit -m x src", "git commit -am x"])
def test_no_form_makes_an_empty_commit(world: World, command: str) -> None:
    a, b = world.pair()
    a.edit_whole(world.repo / "mine.py", "not in git\n")
    b.edit_whole(world.repo / "src/a.py", "of b\n")
    b.stop()
    assert "exclude" not in a.bash(command).denied


def test_a_merge_is_not_committed_in_part(world: World, pair: tuple[Agent, Agent]) -> None:
    a, _ = pair
    (world.repo / ".git/MERGE_HEAD").write_text(git(world, "rev-parse", "HEAD"))
    assert "exclude" not in a.bash("git commit -am merged").denied


def test_an_amend_stays_one(pair: tuple[Agent, Agent]) -> None:
    a, _ = pair
    assert "git commit --amend --no-edit -- " in a.bash("git commit -a --amend --no-edit").denied


@pytest.mark.parametrize(
    "command", ["git rebase --continue", "git rebase --abort", "git cherry-pick --skip", "git merge --abort"]
)
def test_nobody_is_kept_in_a_rebase(world: World, command: str) -> None:
    a, b = world.pair()
    assert not b.write(world.repo / "src/a.py").denied
    assert not a.bash(command).denied


def test_a_background_command_keeps_neither_index_nor_tree(world: World) -> None:
    a, b = world.pair()
    command = "git add src/b.py && black . && echo x > lib/a.py && sleep 99"
    assert not a.in_background(command).denied
    assert not b.bash("git add src/a.py").denied
    assert not b.write(world.repo / "src/a.py").denied
    assert b.write(world.repo / "lib/a.py").denied, "which it named"


def test_what_follows_git_in_a_command_does_not_keep_the_index(world: World) -> None:
    a, b = world.pair()
    a.bash("git add src/b.py && npm test", tool_use_id="long")
    world.pass_time(11)
    assert not b.bash("git add src/a.py").denied


def test_twice_forced_a_clean_takes_other_trees_too(world: World) -> None:
    inner = world.repo / ".claude/worktrees/x"
    git(world, "worktree", "add", "-q", "-b", "x", str(inner))
    a, b = world.agent("sess-A"), world.agent("sess-B", cwd=inner)
    a.prompt("one")
    b.prompt("two")
    assert not b.write(inner / "src/a.py").denied
    assert not a.bash("git clean -fdx").denied
    assert a.bash("git clean -ffdx").denied


@pytest.mark.parametrize("command", ["git commit -a -m x", "git commit -am x"])
def test_a_commit_of_everything_is_refused_with_a_form_that_works(
    world: World, pair: tuple[Agent, Agent], command: str
) -> None:
    a, _ = pair
    said = a.bash(command).denied
    assert said.startswith("Not an error: `git commit -a` would take uncommitted work of ")
    assert "it's new" not in said.split("Next:")[0], "git does not know that file, so this would not take it"
    a.run(step(said).replace("…", "mine"))
    assert git(world, "show", "--name-only", "--format=", "HEAD").split() == ["src/b.py"]
    assert git(world, "diff", "--name-only").split() == ["src/a.py"]


def test_a_bare_commit_is_refused_while_the_index_holds_work_of_another(
    world: World, pair: tuple[Agent, Agent]
) -> None:
    a, b = pair
    assert not a.run("git add src/b.py")[0].denied
    assert not b.run("git add src/a.py")[0].denied
    said = a.bash("git commit -m mine").denied
    assert said.startswith("Not an error: `git commit` would take staged work of ")
    a.run(step(said).replace("…", "mine"))
    assert git(world, "show", "--name-only", "--format=", "HEAD").split() == ["src/b.py"]
    assert not b.bash("git commit -m his").denied, "now there is nothing of a in the index"


@pytest.mark.parametrize(
    "command",
    ["git add src/b.py", "git commit -m x -- src/b.py", "git commit -m x src/b.py", "git status", "git diff", "git fetch",
     "git stash list", "git log -- src/a.py", "git commit -m 'do not git reset --hard'", "git clean -n", "git push"],
)  # fmt: skip
def test_narrow_and_reading_forms_are_let_through(pair: tuple[Agent, Agent], command: str) -> None:
    a, _ = pair
    assert not a.bash(command).denied


@pytest.mark.parametrize(
    ("command", "harm"),
    [
        ("git stash", "take away uncommitted work"),
        ("git stash push", "take away uncommitted work"),
        ("git stash -u", "take away uncommitted work"),
        ("git reset --hard", "destroy uncommitted work"),
        ("git checkout .", "destroy uncommitted work"),
        ("git checkout -- .", "destroy uncommitted work"),
        ("git restore .", "destroy uncommitted work"),
        ("git restore src/a.py", "destroy uncommitted work"),
        ("git checkout -- src/a.py", "destroy uncommitted work"),
        ("git checkout HEAD -- src", "destroy uncommitted work"),
        ("git clean -fd", "delete new files"),
        ("git checkout -f", "destroy uncommitted work"),
        ("git checkout --force 2>/dev/null; git status", "destroy uncommitted work"),
        ("git checkout -f HEAD", "destroy uncommitted work"),
        ("git switch --discard-changes master", "destroy uncommitted work"),
    ],
)
def test_what_would_destroy_unlanded_work_is_refused(
    world: World, pair: tuple[Agent, Agent], command: str, harm: str
) -> None:
    a, _ = pair
    said = a.bash(command).denied
    assert said.startswith("Not an error: `git ")
    assert harm in said
    assert len(said) < 400
    if "Next: run" in said:
        before, after = a.run(step(said))
        assert not before.denied
        assert after is not None
        assert after.event == "PostToolUse", "the form works"
    assert (world.repo / "src/a.py").read_text() == "of b\n"
    assert (world.repo / "it's new [1].py").read_text() == "of b\n"


@pytest.mark.parametrize(
    "command",
    ["git stash", "git reset --hard", "git checkout .", "git clean -fd", "git add -A", "git commit -am x"],
)
def test_landed_work_is_in_nobodys_way(world: World, pair: tuple[Agent, Agent], command: str) -> None:
    a, _ = pair
    git(world, "add", "-A")
    git(world, "commit", "-q", "-m", "a person")
    assert not a.bash(command).denied


@pytest.mark.parametrize(
    "command", ["git switch other", "git checkout other", "git checkout -b new", "git switch -c new", "git rebase other",
                "git reset HEAD~1", "git reset --hard HEAD~1", "git symbolic-ref HEAD refs/heads/other", "git branch -m new",
                "git update-ref HEAD HEAD~1", "git switch --detach", "git branch -M main new"]
)  # fmt: skip
def test_head_stays_while_another_works_in_this_checkout(world: World, command: str) -> None:
    git(world, "commit", "-q", "--allow-empty", "-m", "second")
    git(world, "branch", "other")
    a, b = world.pair()
    said = a.bash(command).denied
    assert "works in this checkout" in said
    assert "git worktree add" in said
    b.stop()
    assert not a.bash(command).denied, "nobody is in a turn"


@pytest.mark.parametrize(
    "command",
    ["git checkout main", "git branch -m other new", "git reset --keep HEAD", "git symbolic-ref HEAD", "git stash create",
     "git submodule update --init", "git checkout-index --prefix=out/ -a", "git clean -fdX", "git reset --mixed"],
)  # fmt: skip
def test_what_moves_nothing_is_let_through(world: World, command: str) -> None:
    git(world, "branch", "other")
    a, b = world.pair()
    b.edit_whole(world.repo / "src/a.py", "of b\n")
    b.stop()
    b.prompt("more")
    assert not a.bash(command).denied


@pytest.mark.parametrize(
    "command", ["git checkout notes.txt", "git reset notes.txt", "cd src && git checkout b.py"]
)
def test_a_file_that_is_gone_is_no_branch(world: World, command: str) -> None:
    a, b = world.pair()
    assert not b.write(world.repo / "src/a.py").denied
    assert not a.run("rm notes.txt src/b.py")[0].denied
    assert not a.bash(command).denied
    assert a.bash("git checkout other").denied
    b.edit_whole(world.repo / "lib/a.py", "of b\n")
    assert not b.run("rm lib/a.py")[0].denied
    assert "lib/a.py" in a.bash("git checkout lib/a.py").denied


def test_a_form_names_files_and_no_patterns(world: World) -> None:
    a, b = world.pair()
    a.edit_whole(world.repo / "src/?.py", "of a\n")
    b.edit_whole(world.repo / "src/z.py", "of b\n")
    b.stop()
    said = a.bash("git clean -fd src").denied
    assert step(said) == "git clean -f -- ':(literal)src/?.py'"
    assert not a.run(step(said))[0].denied
    assert (world.repo / "src/z.py").exists()


def test_another_checkout_is_not_concerned(world: World, worktree: Path) -> None:
    a, b = world.agent("sess-A"), world.agent("sess-B", cwd=worktree)
    a.prompt("one")
    b.prompt("two")
    b.edit_whole(worktree / "src/a.py", "of b\n")
    for command in ("git switch -c new", "git add -A", "git reset --hard", "git checkout ."):
        assert not a.bash(command).denied, command
    said = a.bash("git stash").denied
    assert "the stash belongs to all working trees" in said
    assert "src/a.py" in said
    assert a.bash("git stash pop").denied
    assert a.bash("git stash drop").denied
    assert not a.bash("git stash push -- src/b.py").denied


def test_a_fast_forward_is_let_through_and_another_merge_is_not(world: World) -> None:
    git(world, "switch", "-q", "-c", "ahead")
    git(world, "commit", "-q", "--allow-empty", "-m", "ahead")
    git(world, "switch", "-q", "-")
    a, b = world.pair()
    assert not b.write(world.repo / "src/a.py").denied
    assert not a.bash("git merge ahead").denied
    git(world, "commit", "-q", "--allow-empty", "-m", "aside")
    assert "src/a.py" in a.bash("git merge ahead").denied


def test_a_move_of_head_is_told_to_the_others_and_a_commit_is_not(world: World) -> None:
    git(world, "switch", "-q", "-c", "ahead")
    git(world, "commit", "-q", "--allow-empty", "-m", "ahead")
    git(world, "switch", "-q", "-")
    a, b = world.pair()
    a.edit_whole(world.repo / "src/b.py", "of a\n")
    a.run("git commit -q -m x -- src/b.py")
    assert "HEAD" not in b.prompt("next").context
    git(world, "reset", "-q", "--hard", "HEAD~1")
    a.run("git merge -q ahead")
    assert "HEAD of this checkout was moved by" in b.prompt("next").context


def test_a_commit_lands_its_files(world: World, pair: tuple[Agent, Agent]) -> None:
    a, _ = pair
    a.run("git add src/b.py && git commit -q -m x -- src/b.py")
    assert world.rows("SELECT landed FROM writes WHERE rel = CAST('/src/b.py' AS BLOB)") == [{"landed": 1}]


def test_a_commit_that_took_in_others_work_by_a_way_of_its_own_is_told(
    world: World, pair: tuple[Agent, Agent]
) -> None:
    a, b = pair
    _, after = a.run("git ls-files -m | git update-index --stdin && git commit -q -m all")
    assert after is not None
    assert "Your commit took in uncommitted work of" in after.context
    assert "src/a.py" in after.context
    assert "src/b.py" not in after.context
    assert "has committed your changes in src/a.py" in b.prompt("next").context
    b.edit_whole(world.repo / "src/a.py", "more of b\n")
    _, after = b.run("git commit -q -m x -- src/a.py")
    assert after is not None
    assert after.silent


def test_a_pre_commit_hook_makes_a_commit_a_write_to_the_whole_tree(world: World) -> None:
    hook = world.repo / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")
    a, b = world.pair()
    a.edit_whole(world.repo / "src/b.py", "of a\n")
    assert not b.write(world.repo / "src/a.py").denied
    command = "git commit -q -m x -- src/b.py"
    assert not a.bash(command).denied, "the hook can't run"
    a.stop()
    a.prompt("again")
    hook.chmod(0o755)
    said = a.bash(command).denied
    assert "src/a.py" in said
    assert "no-verify" not in said
    b.stop()
    assert not a.bash(command).denied


def test_two_writers_of_the_index_take_turns(world: World) -> None:
    a, b = world.pair()
    assert not a.bash("git add notes.txt", tool_use_id="first").denied
    waiting = b.begin(
        "PreToolUse", tool_name="Bash", tool_input={"command": "git add src/a.py"}, tool_use_id="second"
    )
    a.hook("PostToolUse", tool_name="Bash", tool_input={"command": "git add notes.txt"}, tool_use_id="first")
    assert not waiting.reply().denied


def test_the_index_is_not_held_for_a_person_who_is_away(world: World) -> None:
    a, b = world.pair()
    command = {"tool_name": "Bash", "tool_input": {"command": "git add notes.txt"}}
    assert not a.hook("PreToolUse", tool_use_id="asked", **command).denied
    a.hook("PermissionRequest", **command)
    assert not b.bash("git add src/a.py").denied
    assert b.write(world.repo / "lib/a.py").silent
    assert a.hook("PostToolUse", tool_use_id="asked", **command).silent


def test_a_formatter_over_unlanded_work_is_refused_with_a_form_that_is_ready(
    world: World, pair: tuple[Agent, Agent]
) -> None:
    a, _ = pair
    said = a.bash("ruff format .").denied
    assert said.startswith("Not an error: `ruff format` would change uncommitted work of ")
    assert step(said) == "ruff format src/b.py"
    assert not a.bash(step(said)).denied
    assert not a.bash("ruff format --check .").denied


def test_alone_everything_is_let_through(world: World) -> None:
    a = world.agent()
    a.prompt("alone")
    a.edit_whole(world.repo / "src/a.py", "mine\n")
    for command in (
        "git add -A",
        "git commit -am x",
        "git stash",
        "git switch -c new",
        "git reset --hard",
        "git clean -fd",
        "black .",
    ):
        assert a.bash(command).silent, command


@pytest.mark.usefixtures("pair")
def test_a_switched_off_veto_lets_everything_through(world: World) -> None:
    world.configure("enabled = false\n")
    b = world.agent("sess-C")
    b.start()
    assert not b.bash("git add -A").denied


@pytest.mark.parametrize("command", ["jj restore", "jj undo", "jj edit @-"])
def test_jujutsu_writes_to_the_whole_tree(world: World, command: str) -> None:
    tree = world.repo.parent / "jj"
    (tree / ".jj/repo").mkdir(parents=True)
    (tree / "a.py").write_text("1")
    a, b = world.agent("sess-A", cwd=tree), world.agent("sess-B", cwd=tree)
    a.prompt("one")
    b.prompt("two")
    assert not b.write(tree / "a.py").denied
    assert "a.py" in a.bash(command).denied
    assert not a.bash("jj log").denied
