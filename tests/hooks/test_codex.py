"""Hooks of Codex: its payloads, its patches, its replies, its ends (cases a08, c16, g07 to g10, h01, h04, h05)."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from coordhooks.handlers import errand
from hooks.codex_agent import PAYLOADS, CodexAgent
from hooks.world import World

REAL = {file.stem: json.loads(file.read_text()) for file in sorted((PAYLOADS / "codex").glob("*.json"))}
HEARD = {name: payload for name, payload in REAL.items() if payload["hook_event_name"] != "PostCompact"}
CLASSES = {"apply_patch": "file", "Bash": "shell"}


@pytest.fixture
def codex(world: World) -> CodexAgent:
    return CodexAgent(world)


@pytest.fixture
def holder(world: World) -> CodexAgent:
    """Another Codex, which holds ``src/a.py``."""
    holder = CodexAgent(world, "thread-B")
    holder.fire("UserPromptSubmit", prompt="Rename the parser")
    assert holder.patch("*** Update File: src/a.py", "@@", "-1", "+2", tool_use_id="call-B").silent
    return holder


@pytest.mark.parametrize("name", HEARD)
def test_every_real_payload_is_answered_as_codex_wants_it(codex: CodexAgent, world: World, name: str) -> None:
    payload = HEARD[name]
    tool = payload.get("tool_name", "")
    tool_class = CLASSES.get(tool, "mcp" if tool.startswith("mcp__") else "")
    if payload["hook_event_name"] not in ("PreToolUse", "PostToolUse"):
        tool_class = ""
    elif not tool_class:
        pytest.skip(f"no hook of ours hears of {tool}")
    given = payload | {"cwd": str(world.repo), "transcript_path": None}
    stdin = json.dumps(given).encode()
    reply = codex.fire(payload["hook_event_name"], tool_class=tool_class, stdin=stdin)
    assert not reply.denied
    assert world.problems() == []


def test_a_payload_of_tomorrow(codex: CodexAgent, holder: CodexAgent, world: World) -> None:
    reply = codex.patch(
        "*** Update File: src/a.py", "@@", "-1", "+2",
        turn_id="t-9", permission_mode="dontAsk", model="gpt-x", field_from_the_future={"x": [1]},
    )  # fmt: skip
    assert reply.denied.startswith("Not an error: src/a.py is being edited by")
    assert world.problems() == []


def test_one_held_file_denies_the_whole_patch_and_nothing_is_claimed(
    codex: CodexAgent, holder: CodexAgent, world: World
) -> None:
    patch = (
        "*** Add File: free.py", "+x", "*** Update File: notes.txt", "*** Move to: src/a.py", "@@", "-1", "+2",
        "*** Delete File: lib/a.py",
    )  # fmt: skip
    assert "src/a.py" in codex.patch(*patch).denied
    assert world.leases() == {"src/a.py": "thread-B"}
    assert holder.patch(*patch, tool_use_id="call-2").silent
    assert set(world.leases()) == {"free.py", "notes.txt", "src/a.py", "lib/a.py"}


def test_paths_are_those_of_the_payload(codex: CodexAgent, holder: CodexAgent, world: World) -> None:
    header = "*** Delete File: a.py"
    assert "src/a.py" in codex.patch(header, cwd=str(world.repo / "src")).denied
    assert "src/a.py" in codex.patch(f"*** Delete File: {world.repo}/lib/../src/a.py").denied
    assert codex.patch(header, cwd=str(world.repo / "lib")).silent


def test_a_link_that_is_removed_is_not_the_file_behind_it(
    codex: CodexAgent, holder: CodexAgent, world: World
) -> None:
    (world.repo / "link.py").symlink_to("src/a.py")
    assert codex.patch("*** Delete File: link.py").silent
    assert codex.patch("*** Update File: link.py", "*** Move to: other.py", "@@", "-1", "+2").silent
    assert "src/a.py" in codex.patch("*** Update File: link.py", "@@", "-1", "+2").denied


@pytest.mark.parametrize(
    "text", ["", "hello", "*** Begin Patch\n*** End Patch", None, 7, "*** Add File: a\n+x"]
)
def test_a_patch_that_names_no_file_is_refused(codex: CodexAgent, world: World, text: Any) -> None:
    reply = codex.fire("PreToolUse", tool_class="file", tool_name="apply_patch", tool_input={"command": text})
    assert reply.denied.startswith("Not written: coordhooks could not read which file this call writes")


def test_what_was_patched_is_on_record(codex: CodexAgent, world: World) -> None:
    patch = ("*** Add File: new.py", "+x", "*** Update File: notes.txt", "@@", "-1", "+2")
    assert codex.patch(*patch).silent
    (world.repo / "new.py").write_text("x\n")
    codex.patch(*patch, event="PostToolUse", tool_response="Success")
    written = {os.fsdecode(row["path"]) for row in world.rows("SELECT path FROM writes")}
    assert written == {str(world.repo / "new.py"), str(world.repo / "notes.txt")}


def test_an_interrupt_ends_the_turn(codex: CodexAgent, holder: CodexAgent, world: World) -> None:
    assert holder.fire("Interrupt").silent
    assert world.leases() == {}
    assert codex.patch("*** Delete File: src/a.py").silent


def test_a_stop_is_held_for_a_request_and_says_nothing_else(
    codex: CodexAgent, holder: CodexAgent, world: World
) -> None:
    codex.fire("UserPromptSubmit", prompt="Do it")
    name = world.runtime("thread-A")["runtime_id"]
    world.send("thread-B", name, "please look at b.py", kind="request")
    reply = codex.fire("Stop", stop_hook_active=False)
    assert reply.json["decision"] == "block"
    assert "please look at b.py" in reply.held
    assert "hookSpecificOutput" not in reply.json
    assert codex.fire("Stop", stop_hook_active=True).silent


@pytest.mark.parametrize("code", ["def main(): 1/0", "import os\ndef main(): os._exit(1)", "import os\ndef main(): os.kill(os.getpid(), 9)"])  # fmt: skip
def test_whatever_becomes_of_python_a_patch_is_refused(world: World, code: str) -> None:
    (world.copy_program() / "hook.py").write_text(code)
    codex = CodexAgent(world)
    reply = codex.patch("*** Add File: n.py", "+x", rc=2)
    assert "Not written: coordhooks could not check" in reply.stderr
    assert codex.shell("true", rc=codex_rc(code)).stdout in ("", "{}\n")


def codex_rc(code: str) -> int:
    """How the hook of a shell call ends then: as it likes, for Codex goes on."""
    return -9 if "kill" in code else 1


def test_an_installation_that_is_gone_locks_nobody_out(world: World) -> None:
    shutil.rmtree(world.copy_program())
    reply = CodexAgent(world).patch("*** Add File: n.py", "+x")
    assert "NOTHING guards writes" in reply.json["systemMessage"]


def test_a_refusal_in_a_script_is_told_beside(codex: CodexAgent, holder: CodexAgent) -> None:
    """Code mode: the veto is an exception, which the script may swallow."""
    assert holder
    patch = ("*** Delete File: src/a.py",)
    reply = codex.patch(*patch, tool_use_id="exec-0b7a")
    assert reply.denied.startswith("Not an error: src/a.py")
    assert reply.context == reply.denied
    assert codex.patch(*patch, tool_use_id="call_0b7a").context == ""


# -- `coord` of a sandboxed agent -----------------------------------------------------------------------------


def carried_out(agent: CodexAgent, call: str, **options: Any) -> tuple[str, int]:
    """What the model is told instead: the rewritten command is run as Codex runs it."""
    command = agent.shell(call, **options).rewritten
    assert command, "not carried out"
    done = subprocess.run(["/bin/sh", "-c", command], check=False, capture_output=True, text=True)
    assert not done.stderr
    return done.stdout, done.returncode


def test_a_plain_call_is_carried_out(codex: CodexAgent, holder: CodexAgent, world: World) -> None:
    codex.fire("UserPromptSubmit", prompt="Do it")
    assert carried_out(codex, "coord claim 'src/b.py' lib/a.py")[0].startswith("claimed")
    assert {name for name, by in world.leases().items() if by == "thread-A"} == {"src/b.py", "lib/a.py"}
    text, code = carried_out(codex, "coord claim src/a.py")
    assert code == 1
    assert "held by" in text
    assert carried_out(codex, "coord release --all")[1] == 0


def test_a_wait_in_vain_is_slow_to_answer(codex: CodexAgent, holder: CodexAgent) -> None:
    codex.fire("UserPromptSubmit", prompt="Do it")
    command = codex.shell("coord wait src/a.py --timeout 60").rewritten
    assert command.startswith("sleep 8; printf %b 'coord: still held")
    assert command.endswith("; exit 3")
    holder.fire("Stop")
    assert carried_out(codex, "coord wait src/a.py") == ("free: src/a.py\n", 0)


def test_it_works_while_the_veto_is_switched_off(codex: CodexAgent, world: World) -> None:
    assert carried_out(codex, "coord status", env={"COORD_OFF": "1"})[1] == 0


def test_subagents_are_told_apart(codex: CodexAgent, world: World) -> None:
    codex.fire("UserPromptSubmit", prompt="Do it")
    for agent_id in ("child-1", "child-2"):
        codex.fire("SubagentStart", agent_id=agent_id, agent_type="default")
        codex.shell("sleep 1; coord who", agent_id=agent_id, tool_use_id=f"open-{agent_id}")
    command = codex.shell("coord claim notes.txt", agent_id="child-2", tool_use_id="c").rewritten
    assert "claimed" in command
    assert world.leases() == {"notes.txt": "thread-A/child-2"}


@pytest.mark.parametrize("shell", [s for s in map(shutil.which, ("dash", "bash", "zsh", "busybox")) if s])
def test_any_output_is_printed_as_it_is_and_nothing_of_it_runs(shell: str, tmp_path: Path) -> None:
    said = 'it\'s "$(touch pwned)" `touch pwned`; \\ \\0041 %s !! ünï\n\ttwo  \\c lines'.encode() + bytes(
        range(1, 256)
    )
    arguments = [shell, "sh"] if shell.endswith("busybox") else [shell]
    done = subprocess.run(
        [*arguments, "-c", errand.printing(said, 7)], cwd=tmp_path, check=False, capture_output=True
    )
    assert (done.stdout, done.returncode, done.stderr) == (said, 7, b"")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "command",
    [
        "coord", "coord off", "coord revoke a", "coord files", "coord check a", "coord install", "coordx status", "cd x && coord status",
        "coord status; id", "coord status | cat", "coord status > f", "coord claim $F", "coord claim `id`", 'coord send a "$(id)"',
        "coord claim *.py", "coord claim a&", "X=1 coord status", "coord claim a\ncoord status", "coord claim ~/a",
        "coord claim 'a", 'coord claim "a\\"', "coord claim a\\ b", "./coord status", "coord status #x", "coord claim {a,b}",
        "coord status\n id", "coord\nstatus", "coord claim !x", "coord send a <(id)",
        "coord task", "coord task add x", "coord task correct 1", "coord task done 1 --report /etc/passwd",
        "coord task fail 1 --reason x '--report'=/etc/passwd", "coord task release 1 --handoff=x",
    ],
)  # fmt: skip
def test_anything_else_is_the_shells(command: str) -> None:
    assert errand.plain(command) == []


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("coord status", ["status"]),
        (" coord  claim\ta b/c.py \n", ["claim", "a", "b/c.py"]),
        ("coord send x 'it is; $(id) \\'", ["send", "x", "it is; $(id) \\"]),
        ('coord send x "done? (a & b) it\'s"', ["send", "x", "done? (a & b) it's"]),
        ("coord claim @push/origin/main --ttl=10m", ["claim", "@push/origin/main", "--ttl=10m"]),
        ("coord reply 12ab 'two\nlines'", ["reply", "12ab", "two\nlines"]),
        ("coord claim 'a'\"b\"c", ["claim", "abc"]),
        ("coord task done 12", ["task", "done", "12"]),
        ("coord task fail 12 --reason 'it broke'", ["task", "fail", "12", "--reason", "it broke"]),
    ],
)
def test_the_words_of_a_plain_call(command: str, words: list[str]) -> None:
    assert errand.plain(command) == words
