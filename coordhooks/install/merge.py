"""Our matcher groups in somebody else's hooks. Knows the shape of the file, not the harness."""

from collections.abc import Callable, Iterator
from typing import Any

from coordhooks.install.command import is_ours, tool_class
from coordhooks.install.jsonfile import Document, Path

Group = dict[str, Any]
Groups = dict[str, list[Group]]  # by event

HOOKS = "hooks"


def problem(value: Any, wanted: Groups) -> tuple[str, Path] | None:
    """Why the wanted groups can't go in, as a phrase, and at which value; None if they can."""
    if not isinstance(value, dict):
        return "the top level is not an object", ()
    hooks = value.get(HOOKS, {})
    if not isinstance(hooks, dict):
        return '"hooks" is not an object', (HOOKS,)
    wrong = next((event for event in wanted if not isinstance(hooks.get(event, []), list)), None)
    return (f'"hooks"."{wrong}" is not a list', (HOOKS, wrong)) if wrong else None


def add(document: Document, wanted: Groups, known: list[str] | None) -> list[str]:
    """Bring our groups to the wanted state, in place where there are some.

    Returns the containers (``hooks`` and event names) that stand there only because of us. ``known`` are
    those on record; without a record (None), those that hold nothing but entries of ours count.
    """
    created = _only_ours(document.value) if known is None else list(known)
    if HOOKS not in document.value:
        document.put((), HOOKS, wanted)
        return [HOOKS, *wanted]
    for event, groups in wanted.items():
        if event not in document.value[HOOKS]:
            document.put((HOOKS,), event, groups)
            created.append(event)
        else:
            _renew(document, event, groups)
    _drop(document, lambda event, *_: event not in wanted, created)
    return sorted(set(created))


def remove(document: Document, created: list[str] | None) -> None:
    """Take out every entry of ours, and the containers that are empty then and were ``created`` by us.

    Without a record (None) all containers that we leave empty count as ours.
    """
    _drop(document, lambda *_: True, created)


def installed(value: Any) -> int:
    """How many entries of ours there are."""
    return sum(1 for _ in ours(value))


# -- inside -----------------------------------------------------------------------------------------------


def ours(value: Any) -> Iterator[tuple[str, int, int]]:
    """(event, group, handler) of every entry of ours; handler -1 is a flat entry of an old layout."""
    hooks = value.get(HOOKS) if isinstance(value, dict) else None
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for g, group in enumerate(groups if isinstance(groups, list) else ()):
            for h, handler in enumerate(_handlers(group)):
                if is_ours(handler):
                    yield event, g, h
            if is_ours(group):
                yield event, g, -1


def _handlers(group: Any) -> list[Any]:
    handlers = group.get(HOOKS) if isinstance(group, dict) else None
    return handlers if isinstance(handlers, list) else []


def _is_wholly_ours(group: Any) -> bool:
    handlers = _handlers(group)
    return is_ours(group) or (bool(handlers) and all(is_ours(handler) for handler in handlers))


def _only_ours(value: dict[str, Any]) -> list[str]:
    """Containers that hold nothing but entries of ours, from an earlier installation."""
    hooks = value.get(HOOKS, {})
    events = [
        event
        for event, groups in hooks.items()
        if isinstance(groups, list) and groups and all(_is_wholly_ours(group) for group in groups)
    ]
    return events + ([HOOKS] if hooks and len(events) == len(hooks) else [])


def _renew(document: Document, event: str, wanted: list[Group]) -> None:
    """One event that is there: ours are replaced where they stand, missing ones go last, surplus ones go."""
    missing = list(wanted)
    surplus = []
    present = [i for i, group in enumerate(document.value[HOOKS][event]) if _is_wholly_ours(group)]
    # Those that know their class first, so that one from an old layout takes what is left.
    for index in sorted(present, key=lambda i: (_class(document.value[HOOKS][event][i]) is None, i)):
        group = document.value[HOOKS][event][index]
        same = [w for w in missing if _class(w) == _class(group)] or (
            missing if _class(group) is None else []
        )
        if not same:
            surplus.append(index)
            continue
        match = same[0]
        missing.remove(match)
        if group != match:
            document.replace((HOOKS, event, index), match)
    for index in sorted(surplus, reverse=True):
        document.remove((HOOKS, event, index))
    # One of ours inside a group of somebody else: its place is not for us to keep.
    _drop(document, lambda e, g, _: e == event and not _is_wholly_ours(document.value[HOOKS][e][g]), [])
    for group in missing:
        document.append((HOOKS, event), group)


def _class(group: Group) -> str | None:
    handlers = _handlers(group)
    return tool_class(handlers[0]) if handlers else None


def _drop(document: Document, unwanted: Callable[[str, int, int], bool], created: list[str] | None) -> None:
    """Remove entries for which ``unwanted(event, group, handler)``, then what that empties of ``created``."""
    emptied = set()
    while found := next((hit for hit in ours(document.value) if unwanted(*hit)), None):
        event, g, h = found
        path: Path = (HOOKS, event, g)
        alone = h < 0 or len(_handlers(document.value[HOOKS][event][g])) == 1
        document.remove(path if alone else (*path, HOOKS, h))
        emptied.add(event)
    for event in emptied:
        if not document.value[HOOKS][event] and (created is None or event in created):
            document.remove((HOOKS, event))
    if emptied and not document.value[HOOKS] and (created is None or HOOKS in created):
        document.remove((HOOKS,))
