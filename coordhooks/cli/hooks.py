"""For the doctor: are our hooks in the user's settings, can the harness read that file, can they start, do they run?"""

import json
import os
from collections.abc import Iterator
from typing import Any

from coordhooks.cli import show
from coordhooks.cli.session import Session
from coordhooks.errors import ConfigRefused
from coordhooks.install import codex, codex_trust
from coordhooks.install.command import is_ours, program
from coordhooks.install.installer import HARNESSES
from coordhooks.install.places import Places

Found = tuple[bool | None, str]


def findings(session: Session) -> Iterator[Found]:
    """``(is it in order?, what was found)`` for each harness's settings file of the user."""
    places = Places.here(dict(session.environ), session.cwd)
    for harness in HARNESSES.values():
        if absent := harness.absent(places):
            yield None, absent
        else:
            yield from _settings(harness, places)
    if not codex.absent(places):
        yield from _trust(session, places)


def _settings(harness: Any, places: Places) -> Iterator[Found]:
    path = harness.settings_path(places, project=False)
    try:
        with open(path, encoding="utf-8-sig") as file:
            value = json.load(file)
    except FileNotFoundError:
        yield False, f"{path} is not there, so nothing guards writes: run install.sh or `coord install`"
        return
    except ValueError as error:
        yield False, f"{path} is no JSON ({error}), so {harness.TITLE} ignores it whole: repair it"
        return
    ours = dict(_ours(value))
    missing = [event for event, _ in harness.EVENTS if event not in ours]
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
    named = {program(entry) for entries in ours.values() for entry in entries} - {None}
    for python, root in sorted(filter(None, named)):
        if not os.access(python, os.X_OK):
            yield False, f"the interpreter of the hooks is gone: {python}: run install.sh again"
        if not os.path.isfile(os.path.join(root, "coordhooks", "hook.py")):
            yield False, f"the program of the hooks is gone: {root}: run install.sh again"


# -- Codex: installed, trusted and seen firing are three things ---------------------------------------------


def _trust(session: Session, places: Places) -> Iterator[Found]:
    try:
        found = codex_trust.hooks(places)
        if codex_trust.switched_off(places):
            yield (
                False,
                "Codex's config.toml switches all hooks off ([features] hooks = false): take that out",
            )
    except ConfigRefused as error:
        yield False, str(error)
        return
    counts = {state: sum(hook.state == state for hook in found) for state in codex_trust.STATES}
    told = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    if found:
        yield counts[codex_trust.TRUSTED] == len(found), f"Codex: {len(found)} hooks installed, {told}"
    if advice := codex_trust.advice(found):
        yield False, advice
    yield None, f"Codex: {_seen(session)}"
    yield None, "Codex: what it types into a shell that runs already (write_stdin) fires no hook at all"


def _seen(session: Session) -> str:
    """Have hooks of Codex really run? Only what is in the store proves it."""
    from coordhooks.store import health, runtimes

    path = session.db.path
    if os.path.exists(path) and not health.faults(path, session.db.timeout):
        with session.transaction(readonly=True) as tx:
            if at := dict(runtimes.last_heard(tx)).get(codex.NAME):
                return f"its hooks were last seen firing {show.span(tx.now - at)} ago"
    return "its hooks were never seen firing"
