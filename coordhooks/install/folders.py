"""The folders that were not there before us: on record, so that those that are empty can go with us."""

import contextlib
import json
import os
from collections.abc import Iterable

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
    try:
        with open(record(places), encoding="utf-8", errors="surrogateescape") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return []
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def note(places: Places, more: Iterable[str]) -> None:
    """Add folders to the record. Only under the installer's lock."""
    known = noted(places)
    wanted = sorted({*known, *more}, key=len, reverse=True)
    if wanted == known:
        return
    new = record(places) + ".new"
    with open(new, "w", encoding="utf-8", errors="surrogateescape") as file:
        json.dump(wanted, file)
    os.replace(new, record(places))


def forget(places: Places) -> None:
    """Remove the record."""
    for path in (record(places), record(places) + ".new"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def remove(found: Iterable[str]) -> None:
    """Remove those of the folders that are empty."""
    for folder in found:
        with contextlib.suppress(OSError):  # in use, or gone
            os.rmdir(folder)
