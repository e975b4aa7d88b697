"""Claude Code: which hooks we want, and in which file."""

import os
from typing import Any

from coordhooks.install.command import handler
from coordhooks.install.merge import Groups
from coordhooks.install.places import Places

NAME = "claude-code"
TITLE = "Claude Code"
TIMEOUT_SECONDS = 10  # twice our own deadline, so that ours speaks first

MATCHERS = {"file": "Write|Edit|MultiEdit|NotebookEdit", "shell": "Bash|PowerShell|Monitor", "mcp": "mcp__.*"}
ALL = tuple(MATCHERS)

# WorktreeCreate is never here: a hook for it replaces the harness's own.
EVENTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("SessionStart", ()),
    ("UserPromptSubmit", ()),
    ("PreToolUse", ALL),
    ("PostToolUse", ALL),
    ("PostToolUseFailure", ALL),
    ("Notification", ()),
    ("PermissionRequest", ()),
    ("PermissionDenied", ()),
    ("Stop", ()),
    ("SubagentStart", ()),
    ("SubagentStop", ()),
    ("PreCompact", ()),
    ("SessionEnd", ()),
    ("ConfigChange", ()),
)

# A crash or time-out here refuses the call; everywhere else the harness lets it pass.
FAIL_CLOSED = {("PreToolUse", "file")}

# What an agent may run without asking: the verbs that can't harm others.
AGENT_VERBS = (
    *("status", "who", "leases", "claim", "release", "renew", "wait"),
    *("check", "files", "blame", "send", "reply", "inbox", "ack"),
)
ALLOW_RULES = tuple(f"Bash(coord {verb}:*)" for verb in AGENT_VERBS)


def settings_path(places: Places, *, project: bool) -> str:
    """The settings file of a scope. The project's counts only where Claude Code starts in that folder."""
    folder = os.path.join(places.cwd, ".claude") if project else places.claude_config
    return os.path.join(folder, "settings.json")


def absent(_places: Places) -> str:
    """Why nothing is installed for it: there is no such reason."""
    return ""


def groups(python: str, root: str) -> Groups:
    """The wanted matcher groups of each event."""
    return {event: [_group(python, root, event, c) for c in classes or ("",)] for event, classes in EVENTS}


def _group(python: str, root: str, event: str, tool_class: str) -> dict[str, Any]:
    arguments = ["--harness", NAME, "--event", event]
    if not tool_class:
        return {"hooks": [handler(python, root, *arguments) | {"timeout": TIMEOUT_SECONDS}]}
    entry = handler(python, root, *arguments, "--class", tool_class) | {"timeout": TIMEOUT_SECONDS}
    if (event, tool_class) in FAIL_CLOSED:
        entry["onFailure"] = "block"
    return {"matcher": MATCHERS[tool_class], "hooks": [entry]}
