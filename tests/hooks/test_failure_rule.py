"""The third outcome, *could not tell*: refused at file tools, let through elsewhere, recorded and told always."""

import json
import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from coordhooks import hook
from hooks.agent import VERSION, Agent
from hooks.reply import Reply
from hooks.world import World

CANARY = "kanarienvogel"  # stands in every payload; no reply, record or message may hold it
SHELL = {"tool_name": "Bash", "tool_input": {"command": f"echo {CANARY}"}}
MCP = {"tool_name": "mcp__disk__write_file", "tool_input": {"path": "src/a.py", "content": CANARY}}
OTHERS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Notification", "PermissionRequest",
          "PermissionDenied", "Stop", "SubagentStart", "SubagentStop", "PreCompact", "SessionEnd", "ConfigChange")  # fmt: skip

UNREADABLE = {
    "empty": b"",
    "only byte-order marks": b"\xef\xbb\xbf\xef\xbb\xbf",
    "white space": b" \n\n ",
    "garbage": CANARY.encode(),
    "garbage behind a mark": b"\xef\xbb\xbf" + CANARY.encode(),
    "cut short": b'{"session_id": "kanarienvogel", "tool',
    "not UTF-8": b'{"session_id": "kanarienvogel\xff"}',
    "UTF-16": json.dumps({"session_id": CANARY}).encode("utf-16"),
    "nested too deeply": b"[" * 5000 + b"]" * 5000,
    "NaN": b'{"session_id": NaN, "kanarienvogel": 1}',
    "a huge number": b'{"kanarienvogel": 1' + b"0" * 5000 + b"}",
    "an array": b'["kanarienvogel"]',
    "a text": b'"kanarienvogel"',
    "null": b"null",
}

UNUSABLE: dict[str, dict[str, Any]] = {
    "no session": {"session_id": None, "tool_input": {"file_path": CANARY}},
    "an empty session": {"session_id": "", "tool_input": {"file_path": CANARY}},
    "a session of another type": {"session_id": [CANARY]},
    "no input": {"tool_input": None, "x": CANARY},
    "input of another type": {"tool_input": CANARY},
    "no path": {"tool_input": {"content": CANARY}},
    "a path that is null": {"tool_input": {"file_path": None, "content": CANARY}},
    "an empty path": {"tool_input": {"file_path": "", "content": CANARY}},
    "a path of another type": {"tool_input": {"file_path": [CANARY]}},
    "a path under another tool's key": {"tool_input": {"notebook_path": CANARY}},
    "half a surrogate pair": {"tool_input": {"file_path": f"/{CANARY}\ud83d"}},
    "a NUL in the path": {"tool_input": {"file_path": f"/{CANARY}\0"}},
    "a relative path without a folder": {"cwd": "", "tool_input": {"file_path": CANARY}},
}


def refused(reply: Reply) -> str:
    """The reason of a refusal that is none of a conflict: bounded, and it says what to do."""
    assert reply.denied.startswith("Not written: "), reply
    assert len(reply.denied) <= 400
    assert "`coord doctor" in reply.denied
    assert CANARY not in reply.stdout + reply.stderr
    assert len(reply.stderr.splitlines()) == 1
    return reply.denied


def let_through(reply: Reply) -> None:
    assert not reply.stdout, reply
    assert CANARY not in reply.stderr
    assert len(reply.stderr.splitlines()) == 1


def recorded(world: World, count: int = 1) -> str:
    """The last of so many recorded problems: its reason."""
    problems = world.problems()
    assert len(problems) == count, problems
    assert CANARY not in json.dumps(problems)
    assert {"at", "event", "class", "harness", "session", "reason"} == set(problems[-1])
    reason: str = problems[-1]["reason"]
    return reason


# -- the payload ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stdin", UNREADABLE.values(), ids=UNREADABLE)
def test_a_payload_that_cant_be_read_is_refused_at_file_tools_only(world: World, stdin: bytes) -> None:
    agent = world.agent()
    closed = agent.hook("PreToolUse", stdin=stdin)
    refused(closed)
    assert recorded(world)
    assert closed.seconds < 2
    let_through(agent.hook("PreToolUse", stdin=stdin, **SHELL))
    let_through(agent.hook("PreToolUse", stdin=stdin, **MCP))
    recorded(world, 3)
    assert not world.database.exists() or not world.live()


@pytest.mark.parametrize("event", OTHERS)
def test_no_other_event_blocks_on_a_payload_that_cant_be_read(world: World, event: str) -> None:
    agent = world.agent()
    for stdin in (b"", CANARY.encode()):
        let_through(agent.hook(event, stdin=stdin))
    recorded(world, 2)


@pytest.mark.parametrize("fields", UNUSABLE.values(), ids=UNUSABLE)
def test_a_payload_that_names_no_usable_path_is_refused_at_file_tools(
    world: World, fields: dict[str, Any]
) -> None:
    agent = world.agent()
    payload = agent.payload("PreToolUse", **fields)
    refused(agent.hook("PreToolUse", stdin=json.dumps(payload).encode()))
    recorded(world)
    assert not world.database.exists() or not world.leases()


@pytest.mark.parametrize(
    "fields",
    [
        {"tool_name": "Bash", "tool_input": None},
        {"tool_name": "Bash", "tool_input": {"command": None}},
        {"tool_name": "Bash", "session_id": ""},
        {"tool_name": "mcp__disk__write_file", "tool_input": {"path": "\ud83d"}},
        {"tool_name": "mcp__disk__write_file", "tool_input": {"path": 5}},
    ],
    ids=str,
)
def test_it_is_let_through_at_the_shell_and_mcp(world: World, fields: dict[str, Any]) -> None:
    agent = world.agent()
    payload = {**agent.payload("PreToolUse"), **fields}
    reply = agent.hook("PreToolUse", stdin=json.dumps(payload).encode(), tool_name=fields["tool_name"])
    assert not reply.stdout


def test_an_idle_pipe_ends_in_a_refusal_well_before_the_harness_loses_patience(world: World) -> None:
    reply = world.agent().hook("PreToolUse", stdin=b"", keep_open=True)
    refused(reply)
    assert reply.seconds < 5


def test_a_pipe_that_breaks_off_in_the_middle_and_stays_open_does_too(world: World) -> None:
    reply = world.agent().hook("PreToolUse", stdin=b'{"session_id": "sess-A", "tool_inp', keep_open=True)
    refused(reply)
    assert reply.seconds < 5


# -- drift of the harness's payloads ----------------------------------------------------------------------

DRIFTED: dict[str, Any] = {"permission_mode": 7, "transcript_path": [CANARY], "agent_type": {"name": CANARY}}
UNNAMED: dict[str, Any] = {"tool_input": {"path_of_the_file": CANARY}}


def test_a_call_whose_schema_fails_but_whose_path_can_be_read_is_judged_normally(world: World) -> None:
    a, b = world.pair()
    assert not a.write(world.repo / "src/a.py").stdout
    assert not b.write(world.repo / "src/b.py", **DRIFTED).stdout
    assert b.write(world.repo / "src/a.py", **DRIFTED).denied.startswith("Not an error: src/a.py ")
    assert "schema drift" in recorded(world, 2)
    assert world.leases() == {"src/a.py": "sess-A", "src/b.py": "sess-B"}


def test_after_three_unreadable_calls_in_a_row_a_release_is_let_through_loudly(world: World) -> None:
    agent = world.agent()
    for _ in range(3):
        refused(agent.hook("PreToolUse", **UNNAMED))
    for _ in range(2):
        fourth = agent.hook("PreToolUse", **UNNAMED)
        assert not fourth.denied
        assert "UNCHECKED" in fourth.notice
        assert CANARY not in fourth.stdout
    recorded(world, 5)


def test_a_call_that_can_be_read_ends_the_row(world: World) -> None:
    agent = world.agent()
    for _ in range(2):
        for _ in range(3):
            refused(agent.hook("PreToolUse", **UNNAMED))
        assert not agent.write(world.repo / "src/a.py").stdout


def test_what_other_events_send_does_not_end_the_row(world: World) -> None:
    agent = world.agent()
    for _ in range(3):
        agent.bash("true")
        refused(agent.hook("PreToolUse", **UNNAMED))
    assert agent.hook("PreToolUse", **UNNAMED).notice


def test_each_release_of_the_harness_has_a_row_of_its_own(world: World) -> None:
    agent = world.agent()
    for _ in range(3):
        refused(agent.hook("PreToolUse", **UNNAMED))
    refused(agent.hook("PreToolUse", env={"AI_AGENT": "claude-code_9-9-9_harness"}, **UNNAMED))
    refused(agent.hook("PreToolUse", env={"AI_AGENT": f"../../{VERSION}"}, **UNNAMED))
    assert agent.hook("PreToolUse", **UNNAMED).notice


def test_a_path_that_no_file_can_have_is_the_models_mistake_and_never_let_through(world: World) -> None:
    agent = world.agent()
    for _ in range(5):
        refused(agent.hook("PreToolUse", tool_input={"file_path": "/a\0b"}))


# -- bugs of ours -----------------------------------------------------------------------------------------

BUGS = {
    "an exception": f"def handle(event, around): raise ValueError({CANARY!r})",
    "an exception of the store's base": f"def handle(event, around): raise KeyError({CANARY!r})",
    "an exception whose text can't be made": (
        "class Bad(Exception):\n def __str__(self): raise self\ndef handle(event, around): raise Bad"
    ),
    "KeyboardInterrupt": "def handle(event, around): raise KeyboardInterrupt",
    "SystemExit": "def handle(event, around): raise SystemExit(1)",
    "endless recursion": "def handle(event, around): return handle(event, around)",
    "no memory": "def handle(event, around): raise MemoryError",
    "a name that a module lacks": "def handle(event, around):\n from coordhooks.paths import nothing_like_it",
    "a module that is no part of us": "import module_that_is_nowhere",
    "a syntax error": "def handle(",
    "no decision": "def handle(event, around): return None",
}


@pytest.mark.parametrize("code", BUGS.values(), ids=BUGS)
def test_a_bug_of_ours_is_refused_at_file_tools_only(world: World, code: str) -> None:
    world.tamper("handlers/pre_tool_use.py", code)
    agent = world.agent()
    reply = agent.write(world.repo / CANARY, rc=2 if code == BUGS["no decision"] else 0)
    if reply.rc:  # it can't be told on stdout
        assert not reply.stdout
        assert "Not written" in reply.stderr
    else:
        refused(reply)
    let_through(agent.hook("PreToolUse", **SHELL))
    recorded(world, 2)


@pytest.mark.parametrize(
    "event", [event for event in OTHERS if event not in ("SessionStart", "UserPromptSubmit")]
)
def test_a_bug_blocks_no_other_event(world: World, event: str) -> None:
    world.tamper("handlers/attendance.py", f"def find(*_): raise ValueError({CANARY!r})\nattend = find")
    let_through(world.agent().hook(event))
    recorded(world)


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
def test_where_a_person_looks_a_bug_is_told_at_once(world: World, event: str) -> None:
    world.tamper(
        "handlers/attendance.py", f"def find(*_): raise ValueError({CANARY!r})\nattend = enroll = find"
    )
    reply = world.agent().hook(event)
    assert "coord doctor --fix" in reply.notice
    assert not reply.held
    assert CANARY not in reply.stdout + reply.stderr


def test_a_refusal_that_cant_be_put_into_words_is_still_one(world: World) -> None:
    world.tamper("harness/wire.py", "def reply(decision, name, allowed): raise ValueError(name)")
    reply = world.agent().hook("PreToolUse", tool_input={}, rc=2)
    assert not reply.stdout
    assert "Not written" in reply.stderr


def test_a_permitted_call_whose_reply_has_a_bug_is_refused(world: World) -> None:
    world.tamper("harness/wire.py", "def reply(decision, name, allowed): raise ValueError(name)")
    agent = world.agent()
    assert "Not written" in agent.write(world.repo / "src/a.py", rc=2).stderr
    assert not agent.bash("true").stdout
    assert not agent.stop().stdout


def test_a_bug_in_the_very_code_that_handles_bugs_leaves_the_rule_in_force(world: World) -> None:
    world.tamper("failures.py", f"def failed(entry, error): raise ValueError({CANARY!r})")
    agent = world.agent()
    assert agent.hook("PreToolUse", tool_input={}).denied.startswith("Not written")
    assert not agent.hook("PreToolUse", tool_input=None, tool_name="Bash").stdout
    assert not agent.hook("Stop", stdin=b"").stdout


def test_an_entry_for_a_harness_that_we_do_not_know_warns_and_locks_nobody_out(world: World) -> None:
    agent = world.agent()
    argv = [word if word != "claude-code" else "another" for word in agent.argv("PreToolUse", "file")]
    agent.argv = lambda event, tool_class: argv  # type: ignore[method-assign]
    reply = agent.hook("PreToolUse")
    assert "NOTHING guards writes" in reply.notice


# -- time and signals -------------------------------------------------------------------------------------

ENDLESS = """
def handle(event, around):
    import os
    os.close(os.open(os.path.join(around.state_dir, "deciding"), os.O_CREAT))
    while True:
        time.sleep(60)
"""


def deciding(world: World) -> None:
    """Wait until a hook of the tampered program is in its handler."""
    mark = world.state / "deciding"
    while not mark.exists():
        time.sleep(0.005)
    mark.unlink()


def test_sigterm_while_deciding_is_a_refusal_at_file_tools_only(world: World) -> None:
    world.tamper("handlers/pre_tool_use.py", ENDLESS)
    world.state.mkdir(parents=True)
    agent = world.agent()
    for fields, expected in (({}, refused), (SHELL, let_through)):
        running = agent.begin("PreToolUse", **fields)
        deciding(world)
        running.terminate()
        expected(running.reply())
    assert "told to end" in recorded(world, 2)


def test_the_hook_ends_by_itself_before_the_harness_ends_it(world: World) -> None:
    world.tamper("handlers/pre_tool_use.py", ENDLESS)
    world.state.mkdir(parents=True)
    reply = world.agent().write(world.repo / "src/a.py")
    assert "took too long" in refused(reply)
    assert reply.seconds < 10


# -- files that are missing -------------------------------------------------------------------------------

MISSING = ("hook.py", "fastjson.py", "handlers", "handlers/guard.py", "harness", "harness/claude_code.py",
           "harness/wire.py", "store", "store/leases.py", "targets", "validators", "paths.py", "errors.py", "")  # fmt: skip


@pytest.mark.parametrize("missing", MISSING)
def test_a_half_removed_installation_warns_and_locks_nobody_out(world: World, missing: str) -> None:
    remove(world.copy_program() / missing)
    agent = world.agent()
    assert "NOTHING guards writes" in agent.write(world.repo / "src/a.py").notice
    assert not agent.stop().held


@pytest.mark.parametrize(
    "missing", ["failures.py", "validators/claude_code_pre_tool_use.py", "handlers/refusal.py"]
)
def test_what_a_permitted_write_does_not_need_may_be_missing(world: World, missing: str) -> None:
    remove(world.copy_program() / missing)
    a, b = world.pair()
    assert not a.write(world.repo / "src/a.py").stdout
    assert world.leases() == {"src/a.py": "sess-A"}
    assert not b.hook("Stop", stdin=b"").held


@pytest.mark.parametrize("missing", ["handlers/texts.py", "handlers/refusal.py"])
def test_what_a_veto_needs_may_not(world: World, missing: str) -> None:
    remove(world.copy_program() / missing)
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    assert "NOTHING guards writes" in b.write(world.repo / "src/a.py").notice


def test_a_failure_without_the_file_that_handles_it_warns(world: World) -> None:
    remove(world.copy_program() / "failures.py")
    assert "NOTHING guards writes" in world.agent().hook("PreToolUse", stdin=b"").notice


def remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


# -- the user's word --------------------------------------------------------------------------------------


@pytest.mark.parametrize("stdin", [b"", CANARY.encode()])
def test_on_error_allow_turns_the_refusal_round_and_still_records_it(world: World, stdin: bytes) -> None:
    world.configure('on_error = "allow"\n')
    let_through(world.agent().hook("PreToolUse", stdin=stdin))
    recorded(world)


def test_so_does_the_switch_that_needs_no_store(world: World) -> None:
    let_through(world.agent().hook("PreToolUse", stdin=b"", env={"COORD_OFF": "1"}))
    recorded(world)


def test_on_error_allow_does_not_weaken_a_veto(world: World) -> None:
    world.configure('on_error = "allow"\n')
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    assert b.write(world.repo / "src/a.py").denied.startswith("Not an error")


@pytest.mark.parametrize(
    ("text", "arguments", "denies"),
    [
        ("", ["--class", "file"], True),
        ('on_error = "allow"', ["--class", "file"], False),
        ("", ["--class", "shell"], False),
    ],
)
def test_the_watchdog_answers_by_the_same_word(
    world: World, monkeypatch: pytest.MonkeyPatch, text: str, arguments: list[str], denies: bool
) -> None:
    """It speaks where the call itself hears no signal any more, and ends the process with its answer."""
    world.configure(text)
    told, answer = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.environ.clear()
            os.environ.update(world.environ)
            os.dup2(answer, 1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            monkeypatch.setattr(hook, "DEADLINE", -hook.GRACE)
            hook._answer_late(
                hook.Entry(["--harness", "claude-code", "--event", "PreToolUse", *arguments]), signal
            )
        finally:
            os._exit(77)
    os.close(answer)
    assert os.waitpid(child, 0)[1] == 0
    said = os.read(told, 65536)
    os.close(told)
    assert (b"the store does not answer" in said) is denies
    assert (
        json.loads(said or "{}").get("hookSpecificOutput", {}).get("permissionDecision") == "deny"
    ) is denies
    recorded(world)


@pytest.mark.parametrize("text", ["on_error = ", "on_error = 1", "\xff", "[on_error]"])
def test_a_configuration_that_cant_be_read_changes_nothing(world: World, text: str) -> None:
    world.configure(text)
    refused(world.agent().hook("PreToolUse", stdin=b""))


# -- told once --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", [Agent.start, Agent.prompt], ids=["start", "prompt"])
def test_recorded_problems_are_told_once_to_the_person(world: World, moment: Any) -> None:
    agent = world.agent()
    for _ in range(2):
        agent.hook("PreToolUse", stdin=b"", **SHELL)
    told = moment(agent)
    assert "2 times" in told.notice
    assert "the payload is empty" in told.notice
    assert not world.problems()
    assert len(world.audit("could_not_tell")) == 2
    assert not agent.start("compact").stdout
    assert not agent.prompt().stdout


def test_damaged_records_are_no_obstacle(world: World) -> None:
    agent = world.agent()
    agent.hook("Stop", stdin=b"")
    with open(world.state / "problems.jsonl", "ab") as file:
        file.write(b'\xff\n[1]\n{"at": 1, "event": "x", "runtime_id": 5, "self": 1}\n{"cut')
    assert "2 times" in agent.prompt().notice
    assert not agent.prompt().stdout


def test_the_records_do_not_grow_without_end(world: World) -> None:
    world.state.mkdir(parents=True)
    full = b'{"reason": "x"}\n' * (1 << 16)
    (world.state / "problems.jsonl").write_bytes(full)
    world.agent().hook("Stop", stdin=b"")
    assert (world.state / "problems.jsonl").stat().st_size <= len(full) + 1000


def test_a_session_id_of_any_size_is_recorded_in_few_bytes(world: World) -> None:
    world.agent().hook("PreToolUse", session_id="s" * 100_000, permission_mode=7)
    assert (world.state / "problems.jsonl").stat().st_size < 1000
