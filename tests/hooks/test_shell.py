"""Shell calls: what they write is checked, claimed and recorded like the writes of file tools."""

import os
import shlex
import stat
import subprocess

import pytest

from hooks.world import World

# -- held files -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "sed -i s/1/2/ src/a.py",
        "cd src && echo 2 > a.py",
        "cd lib && cp ../notes.txt ../src/a.py",
        "rm src/a.py",
        "mv src/a.py elsewhere.py",
        "F=src/a.py; echo x >> $F",
        "python3 -c \"open('src/a.py', 'w').write('2')\"",
        "dd if=/dev/null of=src/a.py",
        "bash -c 'tee src/a.py' < notes.txt",
        "applypatch <<'EOF'\n*** Begin Patch\n*** Update File: src/a.py\n@@\n-1\n+2\n*** End Patch\nEOF\n",
    ],
)
def test_a_write_to_a_held_file_is_refused(world: World, command: str) -> None:
    a, b = world.pair()
    assert not b.write(world.repo / "src/a.py").denied
    said = a.bash(command)
    assert said.denied.startswith("Not an error: src/a.py is being edited by ")
    assert "coord wait src/a.py" in said.denied
    assert "src/a.py is held by" in said.notice
    assert world.leases() == {"src/a.py": "sess-B"}


@pytest.mark.parametrize(
    "command",
    [
        "cat src/a.py",
        "git status",
        "cat > notes.txt <<'EOF'\nuse: echo x > src/a.py\nEOF\n",
        "echo 'rm src/a.py'",
        "(cd lib && echo 2 > a.py)",
        "grep -rn 1 src | head",
        "cp src/a.py copy.py",
        "git log -- src/a.py",
        "echo 1 > /tmp/coordhooks-a.py.txt",
    ],
)
def test_what_writes_nothing_of_anyone_is_let_through(world: World, command: str) -> None:
    a, b = world.pair()
    assert not b.write(world.repo / "src/a.py").denied
    assert a.bash(command).silent


@pytest.mark.parametrize(
    "command",
    ["split -l 1 notes.txt", "npx tsc --outDir dist", "pre-commit run --files src/b.py lib/a.py", "csplit notes.txt 1",
     "pnpm exec prettier --write src/b.py"],
)  # fmt: skip
def test_what_writes_elsewhere_is_let_through(world: World, command: str) -> None:
    a, b = world.pair()
    assert not b.write(world.repo / "src/a.py").denied
    assert not b.write(world.repo / "other.txt").denied
    assert not a.bash(command).denied


def test_what_a_split_would_replace_is_refused(world: World) -> None:
    a, b = world.pair()
    b.edit_whole(world.repo / "xab", "of b")
    assert "xab" in a.bash("split -l 1 notes.txt").denied


def test_a_named_file_is_held_for_the_turn_and_on_record(world: World) -> None:
    a, b = world.pair()
    before, _ = a.run("echo 2 > src/b.py; touch new.py; true && cat notes.txt")
    assert before.silent
    assert world.leases() == {"src/b.py": "sess-A", "new.py": "sess-A"}
    assert [os.fsdecode(row["rel"]) for row in world.rows("SELECT rel FROM writes ORDER BY rel")] == [
        "/new.py",
        "/src/b.py",
    ]
    assert "src/b.py" in b.write(world.repo / "src/b.py").denied
    a.stop()
    assert not b.write(world.repo / "src/b.py").denied


def test_what_the_command_did_not_touch_after_all_is_no_work(world: World) -> None:
    a, _ = world.pair()
    a.run("test -e nowhere && rm src/b.py; true")
    assert world.rows("SELECT * FROM writes") == []


def test_a_failed_command_still_wrote(world: World) -> None:
    a, _ = world.pair()
    a.run("echo 2 > src/b.py; false")
    assert [os.fsdecode(row["rel"]) for row in world.rows("SELECT rel FROM writes")] == ["/src/b.py"]


def test_folders_are_held_for_the_call_alone(world: World) -> None:
    a, b = world.pair()
    call = "call-of-a"
    assert a.bash("chmod -R u+w lib", tool_use_id=call).silent
    refused = b.write(world.repo / "lib/a.py")
    assert "lib/a.py is being edited" in refused.denied
    a.hook("PostToolUse", tool_name="Bash", tool_input={"command": "chmod -R u+w lib"}, tool_use_id=call)
    assert not b.write(world.repo / "lib/a.py").denied


def test_what_was_not_there_and_is_not_is_not_held(world: World) -> None:
    a, b = world.pair()
    a.run("rm -rf node_modules dist")
    assert world.leases() == {}
    assert not b.bash("rm -rf node_modules && mkdir dist").denied


def test_a_wrong_no_write_is_found_afterwards(world: World) -> None:
    """What the grammar cleared is watched all the same; only what a quick look clears is not."""
    a, b = world.pair()
    b.edit_whole(world.repo / "src/a.py", "of b\n")
    world.pass_time(60)
    command = "(git status > /dev/null)"
    assert not a.bash(command, tool_use_id="c").denied
    (world.repo / "src/a.py").write_text("of a, longer")
    after = a.hook("PostToolUse", tool_name="Bash", tool_input={"command": command}, tool_use_id="c")
    assert "Your command changed src/a.py" in after.context


def test_a_new_folder_keeps_nobody_from_its_inside(world: World) -> None:
    a, b = world.pair()
    a.run("mkdir -p src/new && touch src/new/mine.py")
    assert world.leases() == {"src/new/mine.py": "sess-A"}
    assert not b.write(world.repo / "src/new/his.py").denied


def test_a_command_over_a_folder_is_refused_while_somebody_holds_a_file_there(world: World) -> None:
    a, b = world.pair()
    a.edit_whole(world.repo / "lib/a.py", "mine")
    assert not b.write(world.repo / "src/a.py").denied
    said = a.bash("black .").denied
    assert said.startswith("Not an error: `black` would change what is being edited by ")
    assert "src/a.py" in said
    assert "`black lib/a.py`" in said
    assert len(said) < 400
    assert not a.bash("black lib").denied


def test_a_running_background_command_keeps_its_files_over_the_stop(world: World) -> None:
    a, b = world.pair()
    command = "while sleep 1; do date > src/b.py; done"
    assert a.in_background(command).silent
    a.stop(background_tasks=[{"id": "b1", "type": "shell", "status": "running", "description": "d"}])
    assert b.write(world.repo / "src/b.py").denied
    a.prompt("go on")
    a.stop()
    assert not b.write(world.repo / "src/b.py").denied


def test_another_working_tree_inside_this_one_is_not_in_the_way(world: World) -> None:
    """The harness keeps worktrees below the main one: git's whole-tree commands stop at their border."""
    inner = world.repo / ".claude/worktrees/x"
    subprocess.run(["git", "-C", world.repo, "worktree", "add", "-q", "-b", "x", inner], check=True)
    a = world.agent("sess-A")
    b = world.agent("sess-B", cwd=inner)
    a.prompt("one")
    b.prompt("two")
    assert not b.write(inner / "src/a.py").denied
    assert not a.bash("git checkout -- .").denied
    assert a.bash("rm -rf .claude").denied


# -- what is not known before ---------------------------------------------------------------------------------


def test_unseen_writes_are_found_afterwards_and_both_hear_of_it(world: World) -> None:
    a, b = world.pair()
    b.edit_whole(world.repo / "src/a.py", "of b\n")
    world.pass_time(60)
    before, after = a.run("""python3 -c "open('/'.join(['src', 'a.py']), 'w').write('of a, longer')" """)
    assert not before.denied
    assert after is not None
    assert "Your command changed src/a.py" in after.context
    assert "Do not revert or repair it: its holder has been told." in after.context
    heard = b.write(world.repo / "lib/a.py").context
    assert "src/a.py, which you hold, was changed by a shell command of" in heard
    assert world.audit("breach")[0]["author_known"] is True
    assert not a.run("""python3 -c "print('/'.join(['src', 'a.py']))" """)[1].context  # type: ignore[union-attr]
    assert len(world.audit("breach")) == 1


def test_same_size_changes_are_seen_by_content(world: World) -> None:
    a, b = world.pair()
    b.edit_whole(world.repo / "src/a.py", "1\n")
    world.pass_time(60)
    _, after = a.run("""python3 -c "open('/'.join(['src', 'a.py']), 'w').write('2' + chr(10))" """)
    assert after is not None
    assert "Your command changed src/a.py" in after.context


def test_a_touch_or_a_rewrite_of_the_same_is_no_breach(world: World) -> None:
    a, b = world.pair()
    b.edit_whole(world.repo / "src/a.py", "1\n")
    world.pass_time(60)
    code = "p='/'.join(['src','a.py']); t=open(p).read(); import os; os.remove(p); open(p,'w').write(t)"
    _, after = a.run(f"python3 -c {shlex.quote(code)}")
    assert after is not None
    assert after.silent
    assert world.audit("breach") == []


SLY = """python3 -c "open('/'.join(['src', 'a.py']), 'w').write('of nobody knows')" """


def test_a_holder_at_work_may_have_done_it_itself(world: World) -> None:
    a, b = world.pair()
    b.edit_whole(world.repo / "src/a.py", "of b\n")
    b.bash("python3 build.py", tool_use_id="open")
    world.pass_time(60)
    _, after = a.run(SLY)
    assert after is not None
    assert "its author is unknown" in after.context
    heard = b.hook(
        "PostToolUse", tool_name="Bash", tool_input={"command": "python3 build.py"}, tool_use_id="open"
    )
    assert "author unknown" in heard.context
    assert [event["author_known"] for event in world.audit("breach")] == [False]


def test_the_holders_own_later_write_is_no_breach(world: World) -> None:
    a, b = world.pair()
    b.edit_whole(world.repo / "src/a.py", "of b\n")
    world.pass_time(60)
    a.bash("python3 build.py", tool_use_id="open")
    b.edit_whole(world.repo / "src/a.py", "of b again\n")
    after = a.hook(
        "PostToolUse", tool_name="Bash", tool_input={"command": "python3 build.py"}, tool_use_id="open"
    )
    assert after.silent
    assert world.audit("breach") == []


def test_the_holders_own_unreadable_command_is_no_breach(world: World) -> None:
    a, b = world.pair()
    b.edit_whole(world.repo / "src/a.py", "of b\n")
    b.run(SLY)
    world.pass_time(60)
    assert a.run("python3 build.py || true")[1].silent  # type: ignore[union-attr]
    assert world.audit("breach") == []


def test_of_two_parallel_calls_neither_is_blamed(world: World) -> None:
    a, b = world.pair()
    c = world.agent("sess-C")
    c.prompt("a third")
    b.edit_whole(world.repo / "src/a.py", "of b\n")
    world.pass_time(60)
    c.bash("python3 build.py", tool_use_id="open")
    _, after = a.run(SLY)
    assert after is not None
    assert "its author is unknown" in after.context
    late = c.hook(
        "PostToolUse", tool_name="Bash", tool_input={"command": "python3 build.py"}, tool_use_id="open"
    )
    assert late.silent
    assert len(world.audit("breach")) == 1


def test_a_call_whose_end_is_not_heard_is_looked_at_with_the_turn(world: World) -> None:
    a, b = world.pair()
    b.edit_whole(world.repo / "src/a.py", "of b\n")
    world.pass_time(60)
    a.bash(SLY)
    a.carry_out(SLY)
    a.stop()
    assert "was changed by a shell command of" in b.prompt("go on").context


def test_a_file_in_another_tree_is_not_compared(world: World) -> None:
    tree = world.repo.parent / "worktree"
    subprocess.run(["git", "-C", world.repo, "worktree", "add", "-q", "-b", "x", tree], check=True)
    a, b = world.agent("sess-A"), world.agent("sess-B", cwd=tree)
    a.prompt("one")
    b.prompt("two")
    b.edit_whole(tree / "src/a.py", "of b\n")
    world.pass_time(60)
    assert a.run(SLY)[1].silent  # type: ignore[union-attr]


def test_files_in_a_tree_inside_are_named_from_the_root_that_one_stands_in(world: World) -> None:
    inner = world.repo / ".claude/worktrees/x"
    subprocess.run(["git", "-C", world.repo, "worktree", "add", "-q", "-b", "x", inner], check=True)
    a, b = world.agent("sess-A"), world.agent("sess-B", cwd=inner)
    a.prompt("one")
    b.prompt("two")
    b.edit_whole(inner / "src/a.py", "of b\n")
    for command in ("rm -rf .claude", "black .claude", "git -C .claude/worktrees/x reset --hard"):
        assert ": .claude/worktrees/x/src/a.py" in a.bash(command).denied, command
    b.stop()
    for command in ("rm -rf .claude", "black .claude", "git -C .claude/worktrees/x reset --hard"):
        assert ": .claude/worktrees/x/src/a.py" in a.bash(command).denied, command


def test_what_a_background_command_writes_after_its_call_is_its_authors(world: World) -> None:
    a, b = world.pair()
    command = "sleep 9; echo x > late.txt; sed -i s/1/2/ src/a.py"
    a.in_background(command)
    assert world.rows("SELECT * FROM writes") == []
    a.stop(background_tasks=[{"id": "1", "type": "shell"}])
    assert b.write(world.repo / "late.txt").denied
    a.carry_out(command.replace("sleep 9; ", ""))
    assert b.bash("cat src/a.py").silent
    a.prompt("go on")
    a.stop()
    assert [(os.fsdecode(row["rel"]), row["conversation_id"]) for row in world.rows("SELECT * FROM writes ORDER BY rel")] == [
        ("/late.txt", "sess-A"), ("/src/a.py", "sess-A"),
    ]  # fmt: skip
    assert not b.write(world.repo / "late.txt").denied


def test_a_person_who_edits_a_held_file_is_not_blamed_on_an_agent(world: World) -> None:
    a, b = world.pair()
    b.edit_whole(world.repo / "src/a.py", "of b\n")
    (world.repo / "src/a.py").write_text("of a person\n")
    world.pass_time(60)
    assert a.run("python3 build.py || true")[1].silent  # type: ignore[union-attr]
    assert "author unknown" in b.prompt("go on").context


def test_more_held_files_than_are_checked_are_counted(world: World) -> None:
    a, b = world.pair()
    b.bash("touch " + " ".join(f"f{number}" for number in range(201)))
    a.bash("python3 build.py")
    assert {row["what"]: row["count"] for row in world.rows("SELECT * FROM untold")} == {
        "shell": 1, "held files beyond the check": 1,
    }  # fmt: skip


def test_what_cannot_be_told_is_refused_where_the_project_is_strict(world: World) -> None:
    world.configure(f'[project."{world.repo}"]\nstrict = true\n')
    a, b = world.agent("sess-A"), world.agent("sess-B")
    a.start()
    a.prompt("one")
    b.prompt("two")
    assert not a.bash("python3 build.py").denied
    assert not b.write(world.repo / "src/a.py").denied
    said = a.bash("python3 build.py").denied
    assert said.startswith("Not an error: this project is strict")
    for command in (
        "git status",
        "docker ps -a",
        "pytest -q && git diff",
        "npm run test:unit",
        "make -j2 test",
        "cargo test",
    ):
        assert not a.bash(command).denied, command
    for command in ("npm run build", "docker run x", "make", "pytest; ./run.sh"):
        assert a.bash(command).denied, command


# -- replacing what one has not seen --------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["echo x > src/a.py", "rm src/a.py", "cp notes.txt src/a.py"])
def test_an_overwrite_of_what_others_changed_since_is_refused_once(world: World, command: str) -> None:
    a, b = world.pair()
    a.edit_whole(world.repo / "src/a.py", "of a\n")
    a.stop()
    b.edit_whole(world.repo / "src/a.py", "of b\n")
    b.stop()
    a.prompt("again")
    assert "others have changed src/a.py since you last wrote it" in a.bash(command).denied
    assert not a.bash(command).denied


def test_many_such_files_are_refused_once(world: World) -> None:
    a, b = world.pair()
    b.run("for n in 1 2 3 4 5; do echo of b > f$n.txt; done; touch f1.txt f2.txt f3.txt f4.txt f5.txt")
    b.stop()
    assert "f1.txt and 4 more files holds uncommitted work" in a.bash("rm f?.txt").denied
    assert not a.bash("rm f?.txt").denied


def test_of_what_one_never_wrote_that_is_not_said(world: World) -> None:
    a, b = world.pair()
    b.edit_whole(world.repo / "src/a.py", "of b\n")
    b.stop()
    assert "src/a.py holds uncommitted work of others" in a.bash("rm src/a.py").denied


def test_an_overwrite_of_ones_own_is_let_through(world: World) -> None:
    a, _ = world.pair()
    a.edit_whole(world.repo / "src/a.py", "of a\n")
    assert a.run("echo 2 > src/a.py")[0].silent
    assert a.run("echo 3 > src/a.py")[0].silent


def test_without_a_grammar_it_cannot_be_told(world: World) -> None:
    world.copy_program()
    a, b = world.pair()
    b.write(world.repo / "src/a.py")
    assert not a.bash("sed -i s/1/2/ src/a.py").denied
    assert [row["what"] for row in world.rows("SELECT what FROM untold")] == ["shell"]


def test_powershell_is_a_shell(world: World) -> None:
    a, b = world.pair()
    b.write(world.repo / "src/a.py")
    call = {"tool_name": "PowerShell", "tool_input": {"command": "Set-Content -Path src/a.py -Value x"}}
    assert "src/a.py is being edited" in a.hook("PreToolUse", **call).denied


def test_odd_names_are_typed_ready_to_run(world: World) -> None:
    a, b = world.pair()
    name = "it's [a] $(file).py"
    (world.repo / name).write_text("1")
    b.write(world.repo / name)
    said = a.bash(f"rm {shlex.quote(name)}").denied
    assert f"coord wait {shlex.quote(name)}" in said or "coord wait" in said
    assert stat.S_ISREG((world.repo / name).stat().st_mode)
