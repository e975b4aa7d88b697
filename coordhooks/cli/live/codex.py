"""Codex under trial, with the user's own hooks file and trust, and nothing else of the user's."""

import json
import os
import shutil

from coordhooks.cli.live import responses_api as wire
from coordhooks.cli.live.model import Call
from coordhooks.cli.live.scratch import Scratch
from coordhooks.errors import ConfigRefused
from coordhooks.install import codex, codex_trust, plugins
from coordhooks.install.places import Places

NAME, TITLE, PROGRAM = codex.NAME, codex.TITLE, "codex"
SLUG = "gpt-5.5"  # a model that Codex knows, and that calls its tools itself
PINNED = ".hook-trust"  # in Codex's home: what the plugins' copies held when they were first used
KEY_VARIABLE = "COORD_DOCTOR_KEY"


def obstacle(places: Places) -> str:
    """Why no trial can be held; empty if one can."""
    try:
        codex_trust.switched_off(places)
    except ConfigRefused as error:
        return str(error)
    return ""


def calls(place: Scratch, *names: str) -> list[Call]:
    """A patch of each of these files."""
    text = "*** Begin Patch\n*** Add File: {}\n+written\n*** End Patch"
    return [("apply_patch", {"input": text.format(place.path(name))}) for name in names]


def command(place: Scratch, binary: str, url: str) -> tuple[list[str], dict[str, str]]:
    """The command line and the environment; the user's hooks and what Codex thinks of ours are copied into place."""
    folder = os.path.join(place.home, ".codex")
    os.mkdir(folder)
    mine, there = codex.settings_path(place.places, project=False), os.path.join(folder, codex.HOOKS)
    if os.path.isfile(mine):
        shutil.copyfile(mine, there)  # whole, for one odd entry of others makes Codex drop it whole
    lines = [*_config(place.places, mine, there), *_plugin(place.places, folder)]
    with open(os.path.join(folder, codex.CONFIG), "w", encoding="utf-8") as file:
        file.write("\n".join([*lines, ""]))
    words = [
        binary,
        "exec",
        "--dangerously-bypass-approvals-and-sandbox",
        *_options(url),
        "--json",
        "coord doctor",
    ]
    proxies = {"HTTP_PROXY": url, "HTTPS_PROXY": url, "NO_PROXY": "127.0.0.1"}
    return words, place.environ | {"CODEX_HOME": folder, KEY_VARIABLE: "a-dummy-key"} | proxies


def _config(places: Places, mine: str, there: str) -> list[str]:
    """Trust names a hook by its file, which is another here. Others' hooks get none, so Codex skips them."""
    lines = []
    if codex_trust.switched_off(places):
        lines += ["[features]", "hooks = false"]
    for hook in codex_trust.hooks(places):
        lines += _said(hook.key.replace(mine, there, 1), hook)
    return lines


def _plugin(places: Places, folder: str) -> list[str]:
    """Our plugin, its copy and what Codex has pinned of that included."""
    lines = []
    for plugin in plugins.of(places, NAME):
        if plugin.active:
            lines += [f"[plugins.{json.dumps(plugin.id)}]", "enabled = true"]
            for path in (plugin.root, os.path.join(places.codex_home, PINNED)):
                if os.path.isdir(path):
                    shutil.copytree(path, os.path.join(folder, os.path.relpath(path, places.codex_home)))
            for hook in plugins.trust(places, plugin):
                lines += _said(hook.key, hook)
    return lines


def _said(key: str, hook: codex_trust.Hook) -> list[str]:
    """What Codex's configuration says of a hook."""
    if hook.state == codex_trust.UNTRUSTED:
        return []
    trusted = hook.hash if hook.state == codex_trust.TRUSTED else "another"
    lines = [f"[hooks.state.{json.dumps(key)}]", f'trusted_hash = "{trusted}"']
    return lines + (["enabled = false"] if hook.state == codex_trust.DISABLED else [])


def _options(url: str) -> list[str]:
    """The scripted model as Codex's provider."""
    provider = {
        "name": "scripted", "base_url": f"{url}/v1", "env_key": KEY_VARIABLE, "wire_api": "responses",
        "request_max_retries": 0, "stream_max_retries": 0,
    }  # fmt: skip
    values: dict[str, object] = {
        f"model_providers.scripted.{name}": value for name, value in provider.items()
    }
    values |= {"model": SLUG, "model_provider": "scripted", "check_for_update_on_startup": False}
    values |= {"analytics.enabled": False}
    return [word for name, value in values.items() for word in ("-c", f"{name}={json.dumps(value)}")]


__all__ = ["NAME", "PROGRAM", "TITLE", "calls", "command", "obstacle", "wire"]
