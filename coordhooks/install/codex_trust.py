"""Codex's trust in our hooks: it skips those it does not trust in silence, so installed is not yet active.

Trust stands in ``config.toml`` as ``[hooks.state."KEY"] trusted_hash``: the key is the hook's place (file, event,
group, position), the hash that of what the hook says. Formula and places as observed on Codex 0.171.0.
"""

import hashlib
import json
import os
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from coordhooks.errors import ConfigRefused
from coordhooks.install import codex, merge, safefile, tomltext
from coordhooks.install.jsonfile import taken
from coordhooks.install.places import Places

BYTE_ORDER_MARK = "\ufeff"
STATE, HASH = ("hooks", "state"), "trusted_hash"  # the table of all entries of trust, and what is in one
TRUSTED, MODIFIED, UNTRUSTED, DISABLED = "trusted", "modified", "untrusted", "disabled"
AT_FIRST = "Codex skips new and changed hooks in silence until you trust them: `/hooks` in Codex, or --trust-codex here"
STATES = (TRUSTED, MODIFIED, UNTRUSTED, DISABLED)

# Events whose matcher Codex drops before it hashes, and those whose time-out it bounds; else 600 s at first.
WITHOUT_MATCHER = ("UserPromptSubmit", "Stop", "Interrupt")
DEFAULT_TIMEOUT = 600

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Hook:
    """One hook of ours that is installed, and whether Codex will run it."""

    event: str
    key: str
    hash: str
    state: str


def hooks(places: Places, *, path: str = "", value: Json | None = None) -> list[Hook]:
    """Every hook of ours in a hooks file of Codex, the user's if no other is named; ``value`` is what it will say.

    Raises ``ConfigRefused`` if its configuration can't be read.
    """
    state = _dig(_config(config_path(places)), *STATE)
    path = path or codex.settings_path(places, project=False)
    return [
        Hook(event, key, digest, state_of(state.get(key), digest))
        for event, key, digest in _installed(path, value)
    ]


def switched_off(places: Places) -> bool:
    """Does Codex's configuration turn all hooks off?"""
    features = _dig(_config(config_path(places)), "features")
    return any(features.get(name) is False for name in ("hooks", "codex_hooks"))


def trusts_project(places: Places, root: str) -> bool:
    """Does Codex read what the project in this folder says?"""
    return _dig(_config(config_path(places)), "projects", root).get("trust_level") == "trusted"


def check(places: Places) -> None:
    """Raise ``ConfigRefused`` unless trust can be recorded; nothing is written."""
    path = safefile.target(config_path(places))
    _config(path)
    safefile.check_writable(path)
    _recorded(path, (safefile.read(path) or b"").decode(), {"": ""})


def trust(path: str, wanted: list[Hook]) -> None:
    """Record in the configuration at ``path`` that the user trusts these hooks as they are.

    Only for a user who asked for it. Raises ``ConfigRefused`` before any write.
    """
    hashes = {hook.key: hook.hash for hook in wanted}
    _edit(path, lambda text: _recorded(path, text, hashes))


def planned(path: str, wanted: list[Hook]) -> tuple[bytes | None, bytes]:
    """The configuration as it is, and what ``trust`` would make of it."""
    before = safefile.read(safefile.target(path))
    return before, _recorded(
        path, (before or b"").decode(), {hook.key: hook.hash for hook in wanted}
    ).encode()


def check_distrust(path: str) -> None:
    """Raise ``ConfigRefused`` unless the configuration can be read, and written where it has entries at all."""
    path = safefile.target(path)
    if _dig(_config(path), *STATE):
        safefile.check_writable(path)


def distrust(path: str, keys: list[str], *, made: bool) -> list[str]:
    """Take back what ``trust`` wrote, as far as it is there; returns those keys. What else the user says of our
    hooks stays. ``made``: there was no such file before us.
    """
    state = _dig(_config(path), *STATE)
    there = [key for key in keys if HASH in _dig(state, key)]
    if there:
        _edit(
            path,
            lambda text: _taken_out(path, text, lambda rest: tomltext.drop(rest, STATE, there, HASH)),
            backup=False,
            made=made,
        )
    return there


def purge(path: str, keys: list[str]) -> None:
    """Take out everything that is said of these hooks."""
    _edit(
        path,
        lambda text: _taken_out(path, text, lambda rest: tomltext.drop_tables(rest, STATE, keys)),
        backup=False,
    )


def among(places: Places, keys: list[str]) -> list[str]:
    """Those keys that have an entry. Raises ``ConfigRefused`` as ``entered`` does."""
    state = _dig(_config(config_path(places)), *STATE)
    return [key for key in keys if key in state]


def entered(places: Places, path: str) -> list[str]:
    """The keys of our hooks in a hooks file that have an entry, of whoever.

    Raises ``ConfigRefused`` if the configuration can't be read.
    """
    return among(places, [key for _, key, _ in _installed(path)])


def active(hook: Hook) -> bool:
    """Will Codex run it, or has the user said that it shall not?"""
    return hook.state in (TRUSTED, DISABLED)


def displaced(path: str) -> list[str]:
    """The events in which hooks of others come after ours: without ours, Codex no longer knows them again."""
    value = taken(path)
    last = {event: group for event, group, _ in merge.ours(value)}
    return [event for event, group in last.items() if group < len(value[merge.HOOKS][event]) - 1]


def advice(found: list[Hook]) -> str:
    """What to say of hooks that Codex skips; empty if there are none."""
    skipped = [hook for hook in found if not active(hook)]
    if not skipped:
        return ""
    states = " or ".join(dict.fromkeys(hook.state for hook in skipped))
    return (
        f"Codex skips {len(skipped)} of our {len(found)} hooks in silence, because they are {states}{unguarded(found)}"
        " until you trust them. In Codex: `/hooks`, then trust them; or let `coord install --trust-codex` record it in"
        " Codex's config.toml"
    )


def unguarded(found: list[Hook]) -> str:
    """What it means for writes that some of these hooks are skipped, as a clause with its comma; empty if nothing."""
    guards = [hook.state == TRUSTED for hook in found if hook.event == "PreToolUse"]
    if all(guards):
        return ""
    return ", so some writes go unguarded" if any(guards) else ", so NOTHING guards its writes"


def config_path(places: Places) -> str:
    return os.path.join(places.codex_home, codex.CONFIG)


# -- what is installed ------------------------------------------------------------------------------------


def _installed(path: str, value: Json | None = None) -> Iterator[tuple[str, str, str]]:
    """(event, key, hash) of every hook of ours in a hooks file; nothing from one that can't be read."""
    value = taken(path) if value is None else value
    for event, group, index in merge.ours(value):
        if index >= 0:
            found = value[merge.HOOKS][event][group]
            key = f"{path}:{_label(event)}:{group}:{index}"
            yield event, key, digest(event, found[merge.HOOKS][index], found.get("matcher"))


def digest(event: str, hook: Json, matcher: str | None) -> str:
    """The hash of one command hook, as Codex computes it."""
    said: Json = {"type": "command", "command": hook["command"], "async": bool(hook.get("async", False))}
    said["timeout"] = _timeout(event, hook)
    said |= {k: hook[k] for k in ("statusMessage", "additionalContextLimit") if hook.get(k) is not None}
    entry: Json = {"event_name": _label(event), "hooks": [said]}
    if matcher is not None and event not in WITHOUT_MATCHER:
        entry["matcher"] = matcher
    text = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _timeout(event: str, hook: Json) -> int:
    """The time-out that is in effect, in seconds."""
    if event in codex.SHORT:
        return min(codex.SHORT_TIMEOUT_SECONDS, max(1, int(hook.get("timeout", 1))))
    return max(1, int(hook.get("timeout", DEFAULT_TIMEOUT)))


def _label(event: str) -> str:
    """``PreToolUse`` is ``pre_tool_use`` there."""
    return "".join("_" + char.lower() if char.isupper() else char for char in event).lstrip("_")


# -- what is trusted --------------------------------------------------------------------------------------


def state_of(entry: object, digest: str) -> str:
    """What an entry of Codex's table means for the hook of that hash."""
    if not isinstance(entry, dict):
        return UNTRUSTED
    if entry.get("enabled") is False:
        return DISABLED
    said = entry.get(HASH)
    return UNTRUSTED if said is None else TRUSTED if said == digest else MODIFIED


def _config(path: str) -> Json:
    try:
        return tomllib.loads((safefile.read(path) or b"").decode("utf-8-sig"))
    except ValueError as error:  # no UTF-8, or no TOML
        raise ConfigRefused(path, f"it is no TOML ({error}), so it was left alone: repair it") from error


def _dig(value: Json, *keys: str) -> Json:
    for key in keys:
        found = value.get(key)
        value = found if isinstance(found, dict) else {}
    return value


def _recorded(path: str, text: str, hashes: dict[str, str]) -> str:
    mark, text = _marked(text)
    edited = tomltext.put(text, STATE, hashes, HASH)
    if edited is None:
        reason = (
            "no entry of trust can be added to it safely: trust the hooks in Codex instead, with `/hooks`"
        )
        raise ConfigRefused(path, reason)
    return mark + edited


def _marked(text: str) -> tuple[str, str]:
    """The byte-order mark, which Codex puts up with, and the text after it."""
    rest = text.removeprefix(BYTE_ORDER_MARK)
    return text[: len(text) - len(rest)], rest


def _taken_out(path: str, text: str, cut: Callable[[str], str | None]) -> str:
    mark, text = _marked(text)
    edited = cut(text)
    if edited is None:
        reason = (
            "the entries of trust for our hooks can't be taken out of it safely. They do nothing any more; to be"
            f" rid of them, delete those in [{'.'.join(STATE)}] whose name begins with the path of our hooks file"
        )
        raise ConfigRefused(path, reason)
    return mark + edited


def _edit(path: str, edit: Callable[[str], str], *, backup: bool = True, made: bool = False) -> None:
    path = safefile.target(path)
    safefile.check_writable(path)

    def changed(before: bytes | None) -> bytes | None:
        after = edit((before or b"").decode()).encode()
        return None if made and not after else after

    safefile.change(path, changed, backup=backup)
