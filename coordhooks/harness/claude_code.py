"""Claude Code at both ends of the line: its hook payloads in, its hook replies out.

Follows the contract as observed on Claude Code 2.1.332. Wire types do not leave this file.
"""

import os

from coordhooks.harness import wire
from coordhooks.model import Decision, Event, Json
from coordhooks.process import ancestors, executable

NAME = "claude-code"
PROGRAMS = ("claude", "claude.exe")
PID_VARIABLE = "CLAUDE_PID"
ENV_FILE_VARIABLE = "CLAUDE_ENV_FILE"
ATTENDED_VARIABLE = "CLAUDE_CODE_SESSION_ATTENDED"
VERSION_VARIABLE = "AI_AGENT"

KINDS = {
    "SessionStart": "session_start",
    "UserPromptSubmit": "user_prompt_submit",
    "PreToolUse": "pre_tool_use",
    "PostToolUse": "post_tool_use",
    "PostToolUseFailure": "post_tool_use_failure",
    "Notification": "notification",
    "PermissionRequest": "permission_request",
    "PermissionDenied": "permission_denied",
    "Stop": "stop",
    "SubagentStart": "subagent_start",
    "SubagentStop": "subagent_stop",
    "PreCompact": "pre_compact",
    "SessionEnd": "session_end",
    "ConfigChange": "config_change",
}

# A stop's context would make the turn go on.
ALLOWED = wire.Allowed(
    context=(
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "SubagentStart",
    ),
    hold=("UserPromptSubmit", "Stop", "SubagentStop", "ConfigChange"),
)


def event(payload: Json, name: str, tool_class: str, environ: "dict[str, str] | os._Environ[str]") -> Event:
    """The event in a payload; raises ``BadPayload``."""
    made = wire.read(payload, KINDS.get(name, ""), NAME, name, tool_class)
    made.turn_id = wire.text(payload, "prompt_id")
    made.env_file = environ.get(ENV_FILE_VARIABLE, "")
    made.attended = environ.get(ATTENDED_VARIABLE) == "1"
    background = payload.get("background_tasks")
    if isinstance(background, list):
        made.background = [task for task in background if isinstance(task, dict)]
    return made


def process_id(environ: "dict[str, str] | os._Environ[str]") -> int | None:
    """The pid of the Claude Code that started this hook, or ``None`` if it can't be seen from here.

    The variable may be inherited, so it counts only if it names an ancestor; else the nearest ancestor that
    runs the program does (its title can be disguised, its executable can't).
    """
    said = environ.get(PID_VARIABLE, "")
    if said.isascii() and said.isdigit() and int(said) == os.getppid():
        return int(said)
    return next(
        (pid for pid in ancestors(os.getpid()) if str(pid) == said or executable(pid) in PROGRAMS), None
    )


def reply(decision: Decision, name: str) -> str:
    """The one JSON document that carries a decision, or an empty string for silence."""
    return wire.reply(decision, name, ALLOWED)
