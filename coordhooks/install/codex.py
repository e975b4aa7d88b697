"""Codex: which hooks we want, and in which file."""

import os
import shutil
from typing import Any

from coordhooks.install.command import one_string
from coordhooks.install.merge import Groups
from coordhooks.install.places import Places

NAME = "codex"
TITLE = "Codex"
HOOKS, CONFIG = "hooks.json", "config.toml"

# Seconds, integers: for one fraction Codex drops the whole file. Twice our own deadline, so that ours speaks first.
TIMEOUT_SECONDS = 10
SHORT_TIMEOUT_SECONDS = 3  # all that Codex grants at the end of a turn or session; without it, it grants 1

MATCHERS = {"file": "apply_patch", "shell": "Bash", "mcp": "mcp__.*"}
ALL = tuple(MATCHERS)

EVENTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("SessionStart", ()),
    ("UserPromptSubmit", ()),
    ("PreToolUse", ALL),
    ("PostToolUse", ALL),
    ("PermissionRequest", ()),
    ("Stop", ()),
    ("SubagentStart", ()),
    ("SubagentStop", ()),
    ("Interrupt", ()),
    ("PreCompact", ()),
    ("SessionEnd", ()),
)
SHORT = ("Interrupt", "SessionEnd")

ALLOW_RULES: tuple[str, ...] = ()  # its hook runs `coord` for a sandboxed agent; no rule is needed


def settings_path(places: Places, *, project: bool) -> str:
    """The hooks file of a scope. The project's counts only in a project that Codex trusts."""
    return os.path.join(folder(places, project=project), HOOKS)


def folder(places: Places, *, project: bool) -> str:
    return os.path.join(places.cwd, ".codex") if project else places.codex_home


def absent(places: Places) -> str:
    """Why nothing is installed for it; empty where it is in use."""
    if os.path.isdir(places.codex_home) or shutil.which("codex", path=places.search_path):
        return ""
    return (
        f"Codex is not in use here (neither {places.codex_home} nor a `codex` on the PATH), so it got no hooks:"
        " run `coord install` again when it is"
    )


def groups(python: str, root: str) -> Groups:
    """The wanted matcher groups of each event."""
    return {event: [_group(python, root, event, c) for c in classes or ("",)] for event, classes in EVENTS}


def _group(python: str, root: str, event: str, tool_class: str) -> dict[str, Any]:
    """What refuses a call whose hook failed is in hooks/launch.sh: Codex has no switch for it."""
    arguments = ["--harness", NAME, "--event", event, *(("--class", tool_class) if tool_class else ())]
    timeout = SHORT_TIMEOUT_SECONDS if event in SHORT else TIMEOUT_SECONDS
    hooks = {"hooks": [one_string(python, root, *arguments) | {"timeout": timeout}]}
    return {"matcher": MATCHERS[tool_class], **hooks} if tool_class else hooks
