"""What makes Claude Code drop a whole settings file, the hooks in it included, without a word: as observed on 2.1.332."""

import math
from collections.abc import Callable, Iterator
from typing import Any

# A malformed entry of these events makes it drop the file; in every other event only the entry is lost.
GUARDS = ("PreToolUse", "PermissionRequest")
FIELDS = {"command": ("command",), "prompt": ("prompt",), "agent": ("prompt",), "http": ("url",), "mcp_tool": ("server", "tool")}  # fmt: skip
ON_FAILURE = ("block", "continue")

Path = tuple[str, ...]
OBJECT, LIST, STRING, BOOLEAN = "an object", "a list", "a string", "true or false"
COUNT = "a whole number above 0"
CHECKS: dict[str, Callable[[Any], bool]] = {
    OBJECT: lambda value: isinstance(value, dict),
    LIST: lambda value: isinstance(value, list),
    STRING: lambda value: isinstance(value, str),
    BOOLEAN: lambda value: isinstance(value, bool),
    COUNT: lambda value: _is_number(value) and value == int(value),
}

# The fields that people set, each with what it has to be; null is nothing of these. An unknown field does no harm.
TYPES: dict[str, tuple[Path, ...]] = {
    OBJECT: (
        ("hooks",), ("env",), ("permissions",), ("enabledPlugins",), ("statusLine",), ("sandbox",), ("attribution",),
    ),
    LIST: (
        ("permissions", "allow"), ("permissions", "deny"), ("permissions", "ask"),
        ("permissions", "additionalDirectories"), ("availableModels",), ("enabledMcpjsonServers",),
        ("disabledMcpjsonServers",), ("companyAnnouncements",), ("claudeMdExcludes",),
    ),
    STRING: (
        ("$schema",), ("model",), ("apiKeyHelper",), ("outputStyle",), ("language",), ("agent",), ("plansDirectory",),
        ("otelHeadersHelper",), ("permissions", "defaultMode"),
    ),
    BOOLEAN: (
        ("disableAllHooks",), ("includeCoAuthoredBy",), ("includeGitInstructions",), ("respectGitignore",),
        ("enableAllProjectMcpServers",), ("alwaysThinkingEnabled",), ("spinnerTipsEnabled",), ("verbose",),
        ("autoCompactEnabled",), ("autoMemoryEnabled",), ("fileCheckpointingEnabled",), ("fastMode",),
        ("showTurnDuration",), ("prefersReducedMotion",), ("skipDangerousModePermissionPrompt",),
    ),
    COUNT: (("cleanupPeriodDays",),),
}  # fmt: skip


def odd(value: dict[str, Any]) -> str:
    """The first thing that Claude Code does not put up with, as a clause; empty if there is none."""
    return next(_odd(value), "")


def _odd(value: dict[str, Any]) -> Iterator[str]:
    for wanted, paths in TYPES.items():
        for path in paths:
            above: dict[str, Any] = value
            for key in path[:-1]:
                found = above.get(key)
                above = found if isinstance(found, dict) else {}
            if path[-1] in above and not CHECKS[wanted](above[path[-1]]):
                yield f'"{".".join(path)}" is not {wanted}'
    found = value.get("hooks")
    hooks = found if isinstance(found, dict) else {}
    for event in GUARDS:
        groups = hooks.get(event, [])
        if not isinstance(groups, list):
            yield f'"hooks.{event}" is not a list'
            continue
        yield from (
            f"group {at} of {event} {why}" for at, group in enumerate(groups, 1) for why in _group(group)
        )


def _group(group: Any) -> Iterator[str]:
    if not isinstance(group, dict):
        yield "is not an object"
    elif not isinstance(group.get("matcher", ""), str):
        yield 'has a "matcher" that is not a string'
    elif not isinstance(group.get("hooks"), list):
        yield 'has no list of "hooks"'
    else:
        for entry in group["hooks"]:
            yield from faults(entry)


def faults(entry: Any) -> Iterator[str]:
    """What is wrong with one hook of a group, as the end of a sentence on that group."""
    if not isinstance(entry, dict):
        yield "has a hook that is not an object"
    elif entry.get("type") not in tuple(FIELDS):
        yield f"has a hook of the type {entry.get('type')!r}"
    elif lacking := [name for name in FIELDS[entry["type"]] if not isinstance(entry.get(name), str)]:
        yield f'has a hook whose "{lacking[0]}" is not a string'
    elif not _is_number(entry.get("timeout", 1)):
        yield 'has a hook whose "timeout" is not a number above 0'
    elif not isinstance(entry.get("args", []), list):
        yield 'has a hook whose "args" is not a list'
    elif entry.get("onFailure", ON_FAILURE[0]) not in ON_FAILURE:
        yield 'has a hook whose "onFailure" is neither "block" nor "continue"'


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value > 0
    )
