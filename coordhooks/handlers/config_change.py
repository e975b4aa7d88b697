"""Somebody changed the harness's configuration: recorded, and told to the others if it switches hooks off.

With the setting ``guard_config`` such a change is refused, and this session goes on with the hooks that it has.
"""

import json
import os

from coordhooks import locations, quoting
from coordhooks.handlers import inbox
from coordhooks.handlers.attendance import attend, company
from coordhooks.model import Decision, Event, Json
from coordhooks.store import messages, runtimes, settings
from coordhooks.store.db import Transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings

PLUGIN = "coordhooks@"  # before the name of the market place, in the harness's list of plugins
OFF = "Hooks were switched off for {who} (in {path}): its writes are no longer checked against your leases."
TRIED = (
    "{who} wanted to switch the hooks off (in {path}): refused, its writes are still checked."
    " Whoever starts anew reads the file as it is now."
)
REFUSED = (
    "coordhooks: {path} switches off the hooks that keep agents from overwriting each other. This session keeps them,"
    " because guard_config is set in your coordhooks settings; undo the change, or it counts from the next session on."
)


def handle(event: Event, around: "Surroundings") -> Decision:
    path = str(event.facts.get("file_path") or "")
    off = switches_off(path, around.environ)
    with Transaction(around.db) as tx:
        me = attend(tx, event, around)
        guarded = off and bool(settings.get(tx, me["project"], "guard_config", 0))
        tx.audit("config_changed", me["runtime_id"], path=path, hooks_off=off, refused=guarded)
        others = [row["runtime_id"] for row in company(tx, me)] if off else []
        if others:
            who, where = inbox.name_of(tx, me["runtime_id"]), quoting.line(path)
            body = (TRIED if guarded else OFF).format(who=who, path=where)
            messages.deliver(tx, runtimes.SYSTEM, others, messages.Message(body, kind=messages.URGENT))
    reason = REFUSED.format(path=quoting.line(path)) if guarded else ""
    return Decision(hold=reason, notice=reason)


def switches_off(path: str, environ: "os._Environ[str] | dict[str, str]") -> bool:
    """Do our hooks end with this change of a settings file?

    It may turn off all hooks, or our plugin; or our entries are no longer where the installer has put them, as in
    a file that is gone or can't be read, which the harness ignores.
    """
    found = _settings(path)
    plugins = found.get("enabledPlugins")
    if found.get("disableAllHooks") is True:
        return True
    if isinstance(plugins, dict) and any(
        on is False and key.startswith(PLUGIN) for key, on in plugins.items()
    ):
        return True
    return _held_ours(path, environ) and not _holds_ours(found)


def _settings(path: str) -> Json:
    if not os.path.isfile(path):  # a pipe or a device might never end
        return {}
    try:
        with open(path, encoding="utf-8-sig") as file:
            found = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _held_ours(path: str, environ: "os._Environ[str] | dict[str, str]") -> bool:
    """By the installer's own record, see install/manifest.py; what was put there by hand is not on it."""
    record = _settings(os.path.join(locations.data_dir(environ), "installed.json")).get("files")
    return isinstance(record, dict) and os.path.realpath(path) in record


def _holds_ours(found: Json) -> bool:
    hooks = found.get("hooks")
    return isinstance(hooks, dict) and "coordhooks" in json.dumps(hooks.get("PreToolUse"))
