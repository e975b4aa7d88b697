"""Small records in the data folder, each a JSON list that grows until uninstalling, written whole or not at all."""

import contextlib
import json
import os
from typing import Any


def noted(path: str) -> list[Any]:
    """What is on record; nothing where that can't be read."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return []
    return found if isinstance(found, list) else []


def keep(path: str, items: list[Any]) -> None:
    """Write the record unless it says so already. Only under the installer's lock."""
    if items == noted(path):
        return
    with open(f"{path}.new", "w", encoding="utf-8", errors="surrogateescape") as file:
        json.dump(items, file)
    os.replace(f"{path}.new", path)


def forget(path: str) -> None:
    """Remove the record."""
    for name in (path, f"{path}.new"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
