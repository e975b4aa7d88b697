"""For the doctor: are our hooks in the user's settings, can the harness read that file, can they start?"""

import json
import os
from collections.abc import Iterator
from typing import Any

from coordhooks.cli.session import Session
from coordhooks.install import claude_code
from coordhooks.install.command import is_ours
from coordhooks.install.places import Places

Found = tuple[bool | None, str]


def findings(session: Session) -> Iterator[Found]:
    """``(is it in order?, what was found)`` for each harness's settings file of the user."""
    places = Places.here(dict(session.environ), session.cwd)
    path = claude_code.settings_path(places, project=False)
    try:
        with open(path, encoding="utf-8-sig") as file:
            value = json.load(file)
    except FileNotFoundError:
        yield False, f"{path} is not there, so nothing guards writes: run install.sh or `coord install`"
        return
    except ValueError as error:
        yield False, f"{path} is no JSON ({error}), so Claude Code ignores it whole: repair it"
        return
    ours = dict(_ours(value))
    missing = [event for event, _ in claude_code.EVENTS if event not in ours]
    if not ours:
        yield False, f"{path} has no hooks of ours, so nothing guards writes: run `coord install`"
    elif missing:
        yield False, f"{path} lacks our hooks for {', '.join(missing)}: run `coord install`"
    else:
        yield True, f"{path} has our hooks for all {len(ours)} events"
    if isinstance(value, dict) and value.get("disableAllHooks") is True:
        yield False, f"{path} says disableAllHooks: nothing guards writes until that is taken out"
    yield from _programs(ours)


def _ours(value: object) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """Each event with the entries that start us."""
    hooks = value.get("hooks") if isinstance(value, dict) else None
    for event, groups in (hooks if isinstance(hooks, dict) else {}).items():
        lists = [group.get("hooks") for group in _listed(groups) if isinstance(group, dict)]
        entries = [entry for one in lists for entry in _listed(one) if is_ours(entry)]
        if entries:
            yield event, entries


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _programs(ours: dict[str, list[dict[str, object]]]) -> Iterator[Found]:
    """What the entries name has to be there: the interpreter, and the folder that holds the package."""
    named = set()
    for entries in ours.values():
        for entry in entries:
            arguments = entry.get("args")
            if isinstance(arguments, list) and len(arguments) > 4:
                named.add((str(arguments[3]), str(arguments[4])))
    for python, root in sorted(named):
        if not os.access(python, os.X_OK):
            yield False, f"the interpreter of the hooks is gone: {python}: run install.sh again"
        if not os.path.isfile(os.path.join(root, "coordhooks", "hook.py")):
            yield False, f"the program of the hooks is gone: {root}: run install.sh again"
