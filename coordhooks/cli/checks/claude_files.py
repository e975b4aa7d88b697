"""The settings files that Claude Code reads when it is started here, and what is wrong with each by itself."""

import os
import sys
from collections.abc import Iterator

from coordhooks.cli.checks.configfile import BROKEN, INSTALL, NOT_UTF_8, ConfigFile, hooks
from coordhooks.cli.checks.finding import Finding, fault, note
from coordhooks.install import claude_code, claude_shape
from coordhooks.install.places import Places

CHECK = "Claude Code"
USER, PROJECT, LOCAL, MANAGED = "user", "project", "local", "managed"
MANAGED_FOLDERS = {
    "darwin": "/Library/Application Support/ClaudeCode",
    "win32": r"C:\Program Files\ClaudeCode",
}
MANAGED_FOLDER = "/etc/claude-code"
PLUGIN = "coordhooks@"  # how the key of our plugin begins, before the name of its marketplace


def managed() -> list[str]:
    """Where an organisation's settings lie."""
    folder = MANAGED_FOLDERS.get(sys.platform, MANAGED_FOLDER)
    parts = os.path.join(folder, "managed-settings.d")
    more = sorted(os.listdir(parts)) if os.path.isdir(parts) else []
    names = [os.path.join(parts, name) for name in more if name.endswith(".json")]
    return [os.path.join(folder, "managed-settings.json"), *names]


def read(places: Places) -> list[tuple[str, ConfigFile]]:
    """``(scope, file)`` of each, the weakest first."""
    local = os.path.join(places.cwd, ".claude", "settings.local.json")
    found = [
        (USER, claude_code.settings_path(places, project=False)),
        (PROJECT, claude_code.settings_path(places, project=True)),
        (LOCAL, local),
    ]
    distinct = {os.path.realpath(path): (scope, path) for scope, path in reversed(found)}
    return [
        *((scope, ConfigFile(path)) for scope, path in reversed(distinct.values())),
        *((MANAGED, ConfigFile(path)) for path in managed()),
    ]


def faults(scope: str, file: ConfigFile) -> Iterator[Finding]:
    """What is wrong with one file, whatever the others say."""
    if file.state == BROKEN:
        yield _broken(scope, file, file.why)
        return
    if odd := claude_shape.odd(file.value):
        yield _broken(scope, file, odd)
    if file.value.get("disableAllHooks") is True:
        says = '"disableAllHooks" is true, so NO hook runs, whichever file it is in: nothing guards writes'
        yield fault(CHECK, says, file=file.path, remedy=_take_out(scope, '"disableAllHooks"'))
    if scope == MANAGED and file.value.get("allowManagedHooksOnly") is True:
        says = '"allowManagedHooksOnly" is true, so only hooks of your organisation run: nothing of ours does'
        yield fault(CHECK, says, file=file.path, remedy="ask who manages this machine to add our hooks there")
    if file.ours:
        yield from hooks(CHECK, file, claude_code.groups)


def counts(file: ConfigFile) -> bool:
    """Does Claude Code take hooks from it?"""
    return not file.why and not claude_shape.odd(file.value)


def plugin(file: ConfigFile) -> bool | None:
    """Does it switch our plugin on or off? ``None``: it says nothing of it."""
    said = file.value.get("enabledPlugins")
    if not isinstance(said, dict):
        return None
    values = [bool(on) for key, on in said.items() if key.startswith(PLUGIN)]
    return any(values) if values else None


def _broken(scope: str, file: ConfigFile, why: str) -> Finding:
    """A file that is dropped whole. If it is neither the user's own nor about us, our hooks run all the same."""
    if why == NOT_UTF_8:  # Claude Code takes UTF-16, and puts up with a stray byte in a text
        says = f"{why}: whether Claude Code takes our hooks from it can't be told here, and nothing of ours edits it"
        return fault(
            CHECK, says, file=file.path, remedy="save it as UTF-8; `coord doctor --live` tells meanwhile"
        )
    says = f"{why}, so Claude Code ignores the file whole, without a word"
    make = fault if scope == USER or file.is_about_us else note
    if scope == USER or file.is_about_us:
        says += ": our hooks in it don't run"
    return make(CHECK, says, file=file.path, remedy=f"correct it in an editor, then {INSTALL}")


def _take_out(scope: str, what: str) -> str:
    return (
        f"ask who manages this machine to take {what} out" if scope == MANAGED else f"take {what} out of it"
    )
