"""Claude Code at both ends of the line: its hook payloads in, its hook replies out.

Follows the contract as observed on Claude Code 2.1.332. Wire types do not leave this file.
"""

import os

from coordhooks.errors import BadPayload
from coordhooks.fastjson import dumps
from coordhooks.model import Decision, Event, Json
from coordhooks.process import ancestors, executable

NAME = "claude-code"
TITLE = "Claude Code"
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
    "PostToolBatch": "post_tool_batch",
    "Notification": "notification",
    "PermissionRequest": "permission_request",
    "PermissionDenied": "post_tool_use_failure",
    "Stop": "stop",
    "SubagentStart": "subagent_start",
    "SubagentStop": "subagent_stop",
    "PreCompact": "pre_compact",
    "SessionEnd": "session_end",
    "ConfigChange": "config_change",
}

# Events whose reply may carry text for the model; a stop's would make the turn go on.
WITH_CONTEXT = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStart",
)

# Facts of single events that handlers read, under the harness's own names.
FACTS = (
    "source", "reason", "trigger", "stop_hook_active", "notification_type", "is_interrupt", "last_assistant_message",
    "file_path", "tool_response", "agent_transcript_path",
)  # fmt: skip


def event(payload: Json, name: str, tool_class: str, environ: "dict[str, str] | os._Environ[str]") -> Event:
    """The event in a payload. Raises ``BadPayload`` if it does not say whose it is, or for what tool."""
    made = Event(KINDS.get(name, ""), NAME, _text(payload, "session_id"))
    if not made.session_id:
        raise BadPayload("the payload names no session")
    made.agent_id = _text(payload, "agent_id")
    made.agent_type = _text(payload, "agent_type")
    made.cwd = _text(payload, "cwd")
    made.transcript = _text(payload, "transcript_path")
    made.turn_id = _text(payload, "prompt_id")
    made.prompt = _text(payload, "prompt")
    made.tool = _text(payload, "tool_name")
    made.tool_class = tool_class
    made.call_id = _text(payload, "tool_use_id")
    made.env_file = environ.get(ENV_FILE_VARIABLE, "")
    made.attended = environ.get(ATTENDED_VARIABLE) == "1"
    tool_input = payload.get("tool_input")
    if isinstance(tool_input, dict):
        made.tool_input = tool_input
    elif name == "PreToolUse":
        raise BadPayload("the tool's input is not an object")
    background = payload.get("background_tasks")
    if isinstance(background, list):
        made.background = [task for task in background if isinstance(task, dict)]
    made.facts = {fact: payload[fact] for fact in FACTS if fact in payload}
    return made


def process_id(environ: "dict[str, str] | os._Environ[str]") -> int | None:
    """The pid of the Claude Code that started this hook, or ``None`` if it can't be seen from here.

    The variable may be inherited, so it counts only if it names an ancestor; else the nearest ancestor that
    runs the program does (its title can be disguised, its executable can't).
    """
    said = environ.get(PID_VARIABLE, "")
    if said.isascii() and said.isdigit() and int(said) == os.getppid():
        return int(said)
    above = ancestors(os.getpid())
    for pid in above:
        if str(pid) == said or executable(pid) in PROGRAMS:
            return pid
    return None


def reply(decision: Decision, name: str) -> str:
    """The one JSON document that carries a decision, or an empty string for silence."""
    out: Json = {}
    specific: Json = {}
    if decision.deny:
        specific["permissionDecision"] = "deny"
        specific["permissionDecisionReason"] = decision.deny
    if decision.context and name in WITH_CONTEXT:
        specific["additionalContext"] = decision.context
    if specific:
        out["hookSpecificOutput"] = {"hookEventName": name, **specific}
    if decision.hold:
        out["decision"] = "block"
        out["reason"] = decision.hold
    if decision.notice:
        out["systemMessage"] = decision.notice
    return dumps(out) if out else ""


def _text(payload: Json, field: str) -> str:
    value = payload.get(field)
    return value if isinstance(value, str) else ""
