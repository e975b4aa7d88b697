"""In which folders we were installed, on record: whoever uninstalls may not have the variables that named them.

The record lies in the data folder, and that is found by the ``coord`` command, whose place depends on the home alone.
"""

import os
from dataclasses import replace

from coordhooks.errors import InstallError
from coordhooks.install import notes, wrapper
from coordhooks.install.places import Places

_NAMED = ("home", "state", "config", "claude_config", "codex_home")


def record(places: Places) -> str:
    """The file that they are noted in."""
    return os.path.join(places.data, "origins.json")


def note(places: Places) -> None:
    """Add these folders to the record. Only under the installer's lock."""
    own = {name: getattr(places, name) for name in _NAMED}
    known = notes.noted(record(places))
    notes.keep(record(places), known if own in known else [*known, own])


def forget(places: Places) -> None:
    """Remove the record."""
    notes.forget(record(places))


def installed(places: Places) -> list[Places]:
    """Every set of folders that we were installed in, these first. All have the data folder of the installation."""
    data = wrapper.data(places)
    if data and not _has_traces(places.data):
        places = replace(places, data=data)
    known = (entry for entry in notes.noted(record(places)) if isinstance(entry, dict))
    others = [
        replace(places, **{name: str(entry[name]) for name in _NAMED})
        for entry in known
        if set(_NAMED) <= set(entry)
    ]
    return list(dict.fromkeys([places, *others]))


def check(places: Places) -> None:
    """Raise ``InstallError`` if another data folder has an installation of this home: it would be forgotten."""
    data = wrapper.data(places)
    if data and os.path.realpath(data) != os.path.realpath(places.data) and _has_traces(data):
        raise InstallError(
            f"coordhooks is installed in {data}, not {places.data}: set XDG_DATA_HOME as it was then, or uninstall"
            " it first (install.sh --uninstall finds it); nothing was changed"
        )


def _has_traces(data: str) -> bool:
    return any(os.path.lexists(os.path.join(data, name)) for name in ("current", "versions", "origins.json"))
