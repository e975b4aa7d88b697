"""Our plugin in Claude Code and Codex: where it is installed, whether it is on, from which folder it runs.

Nothing here writes. The places are those of Claude Code 2.1.332 and Codex 0.171.0, as observed: Claude Code runs a
plugin of a local marketplace from that folder itself, Codex from a copy.
"""

import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from coordhooks.install import claude_code, codex, codex_trust, merge
from coordhooks.install.command import MARK
from coordhooks.install.jsonfile import taken
from coordhooks.install.places import Places
from coordhooks.locations import MAX_CONFIG, contents

HOOKS_FILES = {claude_code.NAME: "hooks/hooks.json", codex.NAME: "hooks/codex.json"}

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plugin:
    """Our plugin as one harness knows it.

    ``id`` is ``coordhooks@MARKETPLACE``, ``config`` the file whose word on ``enabled`` counts, ``root`` the folder
    that it runs from and ``data`` the one where it keeps what it needs.
    """

    harness: str
    id: str
    enabled: bool
    config: str
    root: str
    data: str

    @property
    def hooks_file(self) -> str:
        return os.path.join(self.root, *HOOKS_FILES[self.harness].split("/"))

    @property
    def whole(self) -> bool:
        """Are its hooks there? A clone that was moved takes them along; the harness then lets everything pass."""
        return os.path.isfile(self.hooks_file) and os.path.isfile(os.path.join(self.root, MARK, "hook.py"))

    @property
    def active(self) -> bool:
        """Does it run, as far as the harness's files tell? Codex asks for trust besides: see ``trust``."""
        return self.enabled and self.whole


def installed(places: Places) -> list[Plugin]:
    """Our plugin in every harness that has it, switched off and broken ones as well."""
    return [plugin for harness in HOOKS_FILES for plugin in of(places, harness)]


def of(places: Places, harness: str) -> list[Plugin]:
    """The same in one harness."""
    return list(_in_codex(places) if harness == codex.NAME else _in_claude_code(places))


def doubled(places: Places) -> list[tuple[Plugin, str]]:
    """Each active plugin with the settings file that has our hooks, too. The effect is that of one."""
    files = {name: _settings_files(places, name) for name in HOOKS_FILES}
    return [
        (plugin, path)
        for plugin in installed(places)
        if plugin.active
        for path in files[plugin.harness]
        if merge.installed(taken(path))
    ]


def trust(places: Places, plugin: Plugin) -> list[codex_trust.Hook]:
    """The plugin's hooks with Codex's trust in them, as ``codex_trust.hooks`` gives those of its settings.

    Codex also pins the content of the copy when it first runs; what is edited there later, it skips as well.
    Raises ``ConfigRefused`` if its configuration can't be read.
    """
    state = _table(_toml(codex_trust.config_path(places)), *codex_trust.STATE)
    found = codex_trust.hooks(places, path=plugin.hooks_file)
    keyed = (replace(hook, key=_key(plugin, hook.key)) for hook in found)
    return [replace(hook, state=codex_trust.state_of(state.get(hook.key), hook.hash)) for hook in keyed]


def environment(plugin: Plugin) -> str:
    """The private environment whose packages the plugin uses; empty if it has none: run ``coord setup``."""
    link = os.path.join(plugin.data, "env")
    return os.path.realpath(link) if os.path.isdir(os.path.join(link, "site")) else ""


# -- Claude Code ------------------------------------------------------------------------------------------


def _in_claude_code(places: Places) -> Iterator[Plugin]:
    folder = os.path.join(places.claude_config, "plugins")
    known = taken(os.path.join(folder, "known_marketplaces.json"))
    plugins = _table(taken(os.path.join(folder, "installed_plugins.json")), "plugins")
    for name, entries in plugins.items():
        applying = [entry for entry in _listed(entries) if _applies(entry, places.cwd)]
        if name.startswith(f"{MARK}@") and applying:
            enabled, config = _enabled(places, name)
            market = known.get(name.partition("@")[2])
            root = _directory(market) or str(applying[-1].get("installPath", ""))
            data = os.path.join(folder, "data", _data_name(name))
            yield Plugin(claude_code.NAME, name, enabled, config, root, data)


def _applies(entry: object, cwd: str) -> bool:
    """An installation in the scope of a project counts in that project's folder only."""
    if not isinstance(entry, dict):
        return False
    project = entry.get("projectPath")
    return not isinstance(project, str) or os.path.realpath(project) == os.path.realpath(cwd)


def _enabled(places: Places, name: str) -> tuple[bool, str]:
    """What the settings say of it, and which file had the last word: local before project before user."""
    for path in reversed(_settings_files(places, claude_code.NAME)):
        said = _table(taken(path), "enabledPlugins").get(name)
        if isinstance(said, bool):
            return said, path
    return False, claude_code.settings_path(places, project=False)


def _directory(market: object) -> str:
    """The folder of a local marketplace, which is the plugin's own; empty for one that was fetched."""
    source = market.get("source") if isinstance(market, dict) else None
    if not isinstance(source, dict) or source.get("source") != "directory":
        return ""
    return str(source.get("path", ""))


# -- Codex ------------------------------------------------------------------------------------------------


def _in_codex(places: Places) -> Iterator[Plugin]:
    config = codex_trust.config_path(places)
    folder = os.path.join(places.codex_home, "plugins")
    for name, entry in _table(_toml(config), "plugins").items():
        if not name.startswith(f"{MARK}@") or not isinstance(entry, dict):
            continue
        versions = os.path.join(folder, "cache", name.partition("@")[2], MARK)
        root = max(_folders(versions), key=lambda path: os.stat(path).st_mtime, default=versions)
        data = os.path.join(folder, "data", _data_name(name))
        yield Plugin(codex.NAME, name, entry.get("enabled") is not False, config, root, data)


def _key(plugin: Plugin, key: str) -> str:
    """The name of a hook in Codex's table of trust: it knows a plugin's file by the plugin."""
    return f"{plugin.id}:{HOOKS_FILES[plugin.harness]}{key.removeprefix(plugin.hooks_file)}"


# -- files of others --------------------------------------------------------------------------------------


def _settings_files(places: Places, harness: str) -> list[str]:
    """The files that may hold our hooks or a word on the plugin, the weakest first."""
    if harness == codex.NAME:
        return [codex.settings_path(places, project=project) for project in (False, True)]
    user, project = (claude_code.settings_path(places, project=project) for project in (False, True))
    return list(dict.fromkeys((user, project, os.path.join(os.path.dirname(project), "settings.local.json"))))


def _data_name(name: str) -> str:
    """``coordhooks@somewhere`` keeps its data in ``coordhooks-somewhere``."""
    return "".join(char if char.isalnum() or char in "-_" else "-" for char in name)


def _folders(path: str) -> list[str]:
    if not os.path.isdir(path):
        return []
    return [entry.path for entry in os.scandir(path) if entry.is_dir()]


def _toml(path: str) -> Json:
    try:
        return tomllib.loads(contents(path, MAX_CONFIG).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}


def _table(value: Json, *keys: str) -> Json:
    for key in keys:
        found = value.get(key)
        value = found if isinstance(found, dict) else {}
    return value


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
