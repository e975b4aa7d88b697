"""What makes Codex drop a whole hooks file, ours in it included, without a word: as observed on 0.171.0."""

import codecs
import json
from collections.abc import Iterator
from typing import Any

from coordhooks.install import codex

KEYS = ("hooks", "description")  # at the top; any other makes Codex refuse the file
EVENTS = {*(event for event, _ in codex.EVENTS), "PostCompact"}  # all that it knows; the last is none of ours
TYPES = ("command", "mcp_tool", "prompt", "agent")


class _Twice(ValueError):
    pass


def odd(content: bytes) -> str:
    """The first thing that Codex does not put up with, as a clause; empty if there is none, or no JSON object at all."""
    if content.startswith(codecs.BOM_UTF8):
        return "it begins with a byte-order mark"
    try:
        value = json.loads(content, object_pairs_hook=_once)
    except _Twice as twice:
        return str(twice)
    except (ValueError, RecursionError):
        return ""
    return next(_odd(value), "") if isinstance(value, dict) else ""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Twice(f'it has the key "{key}" twice in one object')
        found[key] = value
    return found


def _odd(value: dict[str, Any]) -> Iterator[str]:
    yield from (f'it has "{key}" at the top, which Codex does not know' for key in value if key not in KEYS)
    events = value.get("hooks", {})
    if not isinstance(events, dict):
        yield '"hooks" is not an object'
        return
    for event, groups in events.items():
        if not isinstance(groups, list):
            if event in EVENTS:  # else it is a name that it does not know
                yield f'"hooks.{event}" is not a list'
            continue
        for group in groups:
            yield from (f"an entry of {event} {why}" for why in _group(group))


def _group(group: Any) -> Iterator[str]:
    if not isinstance(group, dict):
        yield "is not an object"
    elif not isinstance(group.get("hooks", []), list):
        yield 'has "hooks" that are not a list'
    else:
        for entry in group.get("hooks", []):
            yield from _entry(entry)


def _entry(entry: Any) -> Iterator[str]:
    if not isinstance(entry, dict):
        yield "has a hook that is not an object"
    elif entry.get("type") not in TYPES:
        yield f"is of the type {entry.get('type')!r}"
    elif entry["type"] == "command" and not isinstance(entry.get("command"), str):
        yield "has no command"
    elif isinstance(timeout := entry.get("timeout", 1), bool) or not isinstance(timeout, int):
        yield f"has the time-out {timeout!r}, which is no whole number"
