"""The folders that were not there before us: on record, so that those that are empty can go with us."""

import contextlib
import os
from collections.abc import Iterable

from coordhooks.install import notes
from coordhooks.install.places import Places


def missing(*paths: str) -> list[str]:
    """The folders that have to be made for these files, deepest first."""
    found = set()
    for path in paths:
        folder = os.path.dirname(path)
        while not os.path.lexists(folder):
            found.add(folder)
            folder = os.path.dirname(folder)
    return sorted(found, key=len, reverse=True)


def record(places: Places) -> str:
    """The file that they are noted in."""
    return os.path.join(places.data, "folders.json")


def noted(places: Places) -> list[str]:
    """What is on record, deepest first. A record that can't be read costs an empty folder, no more."""
    return [name for name in notes.noted(record(places)) if isinstance(name, str)]


def note(places: Places, more: Iterable[str]) -> None:
    """Add folders to the record. Only under the installer's lock."""
    notes.keep(record(places), sorted({*noted(places), *more}, key=len, reverse=True))


def forget(places: Places) -> None:
    """Remove the record."""
    notes.forget(record(places))


def remove(found: Iterable[str]) -> None:
    """Remove those of the folders that are empty."""
    for folder in found:
        with contextlib.suppress(OSError):  # in use, or gone
            os.rmdir(folder)
