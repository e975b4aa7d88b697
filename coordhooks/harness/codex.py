"""Codex at both ends of the line: its hook payloads in, its hook replies out.

Follows the contract as observed on Codex 0.171.0. It refuses a whole reply for one unknown key, and then runs
the tool, so a reply holds only what its schema for that event has.
"""

import os

from coordhooks.harness import wire
from coordhooks.model import Decision, Event, Json
from coordhooks.process import ancestors, executable

NAME = "codex"
PROGRAMS = ("codex", "codex.exe")

CODE_MODE = "exec-"  # how the ids of calls begin that a script makes

KINDS = {
    "SessionStart": "session_start",
    "UserPromptSubmit": "user_prompt_submit",
    "PreToolUse": "pre_tool_use",
    "PostToolUse": "post_tool_use",
    "PermissionRequest": "permission_request",
    "Stop": "stop",
    "SubagentStart": "subagent_start",
    "SubagentStop": "subagent_stop",
    "Interrupt": "interrupt",
    "PreCompact": "pre_compact",
    "SessionEnd": "session_end",
}

ALLOWED = wire.Allowed(
    context=("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"),
    hold=("UserPromptSubmit", "Stop", "SubagentStop"),
    silent=("SessionEnd",),
    rewrite=("PreToolUse",),  # for Codex, `allow` is only what makes a rewritten call valid
)


def event(payload: Json, name: str, tool_class: str, environ: "dict[str, str] | os._Environ[str]") -> Event:
    """The event in a payload; raises ``BadPayload``. A terminal of its own means that a person attends."""
    made = wire.read(payload, KINDS.get(name, ""), NAME, name, tool_class)
    made.turn_id = wire.text(payload, "turn_id")
    made.confined = True
    made.scripted = made.call_id.startswith(CODE_MODE)
    workdir = made.tool_input.get("workdir")  # today it is `cwd` already; other releases may tell it here
    if isinstance(workdir, str) and workdir:
        made.cwd = os.path.join(made.cwd, workdir)
    made.attended = payload.get("permission_mode") not in (None, "bypassPermissions", "dontAsk")
    return made


def process_id(environ: "dict[str, str] | os._Environ[str]") -> int | None:
    """The pid of the Codex that started this hook: the nearest ancestor that runs the program."""
    return next((pid for pid in ancestors(os.getpid()) if executable(pid) in PROGRAMS), None)


def reply(decision: Decision, name: str) -> str:
    """The one JSON document that carries a decision, or an empty string for silence."""
    return wire.reply(decision, name, ALLOWED)
