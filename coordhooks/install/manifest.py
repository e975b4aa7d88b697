"""The record of what we changed in files of others: what it takes to leave without a trace."""

import json
import os
from dataclasses import asdict, dataclass, field

from coordhooks.errors import InstallError
from coordhooks.install.jsonfile import Splice


@dataclass(slots=True)
class Record:
    """One file. ``undo`` restores the text before us as long as its SHA-256 is still ``sha256``."""

    harness: str
    sha256: str = ""
    existed: bool = True
    created: list[str] = field(default_factory=list)  # containers that stand there only because of us
    allowed: list[str] = field(default_factory=list)  # permission rules that we added
    undo: list[Splice] | None = None
    folders: list[str] = field(default_factory=list)  # made for this file, deepest first
    trusted: list[str] = field(default_factory=list)  # keys of Codex's trust that we recorded
    trusted_in: str = ""  # in which file
    trust_made: bool = False  # there was no such file before


Manifest = dict[str, Record]  # by the real path of the file


def load(path: str) -> Manifest:
    """The manifest; empty if there is none. Raises InstallError if it is damaged."""
    try:
        with open(path, encoding="utf-8") as file:
            files = json.load(file)["files"]
        return {name: Record(**entry) for name, entry in files.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InstallError(
            f"{path}: the record of what was installed can't be read ({error}), so nothing was changed."
            " Move it away and run again: our entries are then recognised by their command."
        ) from error


def save(path: str, manifest: Manifest) -> None:
    """Write the manifest in one step, or remove it when it is empty."""
    if not manifest:
        if os.path.exists(path):
            os.unlink(path)
        return
    text = json.dumps({"files": {name: asdict(record) for name, record in manifest.items()}}, indent=1)
    new = path + ".new"  # one name, for we hold the lock: nothing is left by a killed installer
    with open(new, "w", encoding="utf-8") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)
