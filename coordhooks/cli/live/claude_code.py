"""Claude Code under trial, with the hooks of the user's own settings and nothing else of the user's."""

import json
import os
import shutil
from typing import Any

from coordhooks.cli.checks import claude_files
from coordhooks.cli.live import messages_api as wire
from coordhooks.cli.live.model import Call
from coordhooks.cli.live.scratch import Scratch
from coordhooks.install import claude_code, claude_shape
from coordhooks.install.command import is_ours
from coordhooks.install.places import Places

NAME, TITLE, PROGRAM = claude_code.NAME, claude_code.TITLE, "claude"

# What names a server, an account, a program to start or a permission, with the type in which it counts. A
# malformed one stays: it makes Claude Code drop the whole file, hooks included, and that must show.
LEFT_OUT: dict[str, type] = {
    "env": dict, "apiKeyHelper": str, "awsAuthRefresh": str, "awsCredentialExport": str, "gcpAuthRefresh": str,
    "otelHeadersHelper": str, "forceLoginMethod": str, "forceLoginOrgUUID": str, "proxyAuthHelper": str,
    "model": str, "permissions": dict, "statusLine": dict, "sandbox": dict, "fileSuggestion": dict,
    "extraKnownMarketplaces": dict,
}  # fmt: skip
ENVIRONMENT = {
    "ANTHROPIC_API_KEY": "sk-ant-a-dummy-key-for-the-loopback",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
}


def obstacle(_places: Places) -> str:
    """Why no trial can be held safely: managed settings of an organisation reach every process."""
    for path in claude_files.managed():
        settings = _load(path)
        if isinstance(settings, dict) and set(settings) & {"env", "apiKeyHelper"}:
            return f"{path} says where requests go, so no trial was held: it might reach a real server"
    return ""


def calls(place: Scratch, *names: str) -> list[Call]:
    """A write of each of these files."""
    return [("Write", {"file_path": place.path(name), "content": "written\n"}) for name in names]


def command(place: Scratch, binary: str, url: str) -> tuple[list[str], dict[str, str]]:
    """The command line and the environment; the user's settings are copied into place."""
    folder = os.path.join(place.home, ".claude")
    _copy(claude_code.settings_path(place.places, project=False), os.path.join(folder, "settings.json"))
    for name in ("settings.json", "settings.local.json"):
        mine = os.path.join(place.places.cwd, ".claude", name)
        _copy(mine, os.path.join(place.repo, ".claude", name))
    _plugins(os.path.join(place.places.claude_config, "plugins"), os.path.join(folder, "plugins"))
    words = [
        binary,
        "-p",
        "--output-format",
        "json",
        "--permission-mode",
        "acceptEdits",
        "--",
        "coord doctor",
    ]
    proxies = {"HTTP_PROXY": url, "HTTPS_PROXY": url, "NO_PROXY": "127.0.0.1"}
    here = {"CLAUDE_CONFIG_DIR": folder, "ANTHROPIC_BASE_URL": url}
    return words, place.environ | ENVIRONMENT | proxies | here


def _copy(path: str, to: str) -> None:
    """A settings file with our hooks and those switches that could keep them from running; if unreadable, as it is."""
    if not os.path.isfile(path):
        return
    os.makedirs(os.path.dirname(to), exist_ok=True)
    settings = _load(path)
    if not isinstance(settings, dict):
        shutil.copyfile(path, to)
        return
    kept = {key: value for key, value in settings.items() if not _left_out(key, value)}
    if isinstance(kept.get("hooks"), dict):
        kept["hooks"] = {event: _ours(groups) for event, groups in kept["hooks"].items()}
    with open(to, "w", encoding="utf-8") as file:
        json.dump(kept, file)


def _left_out(key: str, value: Any) -> bool:
    return isinstance(value, LEFT_OUT.get(key, ())) and not claude_shape.odd({key: value})


def _ours(groups: Any) -> Any:
    """The groups of one event without the entries of others, which have no business in a trial; malformed ones show."""
    if not isinstance(groups, list):
        return groups
    return [
        group
        | {"hooks": [entry for entry in group["hooks"] if is_ours(entry) or any(claude_shape.faults(entry))]}
        if isinstance(group, dict) and isinstance(group.get("hooks"), list)
        else group
        for group in groups
    ]


def _plugins(folder: str, to: str) -> None:
    """The lists of what is installed; they name the plugins' own folders by absolute paths."""
    for name in ("installed_plugins.json", "known_marketplaces.json"):
        if os.path.isfile(path := os.path.join(folder, name)):
            os.makedirs(to, exist_ok=True)
            shutil.copyfile(path, os.path.join(to, name))


def _load(path: str) -> object:
    try:
        with open(path, encoding="utf-8-sig") as file:
            return json.load(file)
    except (OSError, ValueError, RecursionError):
        return None


__all__ = ["NAME", "PROGRAM", "TITLE", "calls", "command", "obstacle", "wire"]
