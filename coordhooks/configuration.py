"""The user's ``config.toml``: read on the cold paths, compiled into the store for the hot one.

One file, with general settings at the top and a table for each project::

    yield_after = "10m"
    [gates]
    tests = "make test"
    [project."/home/me/src/shop"]
    shared = ["docs/*.md"]
    enabled = false
"""

import os
import tomllib

from coordhooks import locations, paths
from coordhooks.errors import CoordError
from coordhooks.store import settings
from coordhooks.store.db import Transaction

FILE = "config.toml"
STAMP = "config_stamp"
Value = str | int | float


class BadConfiguration(CoordError):
    """The user's configuration file can't be used; it says where."""


def seconds(value: object) -> float:
    """``90``, ``"90s"``, ``"10m"``, ``"2h"`` or ``"1d"`` as seconds. Raises ``ValueError``."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    text = str(value).strip().lower()
    factor = {"s": 1, "m": 60, "h": 3600, "d": 86400}.get(text[-1:])
    number = float(text if factor is None else text[:-1])
    if not 0 < number < float("inf"):
        raise ValueError(f"not a duration: {value!r}")
    return number * (factor or 1)


def _switch(value: object) -> int:
    if not isinstance(value, bool):
        raise ValueError("use true or false")
    return int(value)


def _lines(value: object) -> str:
    if not isinstance(value, list) or not all(isinstance(item, str) and "\n" not in item for item in value):
        raise ValueError("use a list of strings")
    return "\n".join(value)


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError("use a whole number, 0 or more")
    return value


def _command(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("use a shell command")
    return value


def _one_of(*allowed: str) -> "object":
    def check(value: object) -> str:
        if value not in allowed:
            raise ValueError(f"use one of {', '.join(allowed)}")
        return str(value)

    return check


# Every setting, and how its value in the file becomes one in the store.
SETTINGS = {
    "enabled": _switch,
    "yield_after": seconds,
    "yield_after_reexport": seconds,
    "release": _one_of("turn", "session"),
    "shared": _lines,
    "titles": _switch,
    "reports": _switch,
    "strict": _switch,
    "guard_config": _switch,
    "capabilities": _lines,
    "dispatch": _switch,
    "dispatch_limit": _count,
    "quota_limit": _count,
    "quota_window": seconds,
    "on_error": _one_of("deny", "allow"),
    "retention": seconds,
}


def refresh(tx: Transaction, environ: "os._Environ[str] | dict[str, str]") -> None:
    """Compile the file into the store, if it changed since. A bad file leaves the settings as they were."""
    path = os.path.join(locations.config_dir(environ), FILE)
    stamp = _stamp(path)
    if settings.get(tx, "", STAMP, "") == stamp:
        return
    compiled = compiled_from(path) if stamp else {}
    settings.drop_compiled(tx)
    for (project, name), value in compiled.items():
        settings.put(tx, project, name, value)
    settings.put(tx, "", STAMP, stamp)


def compiled_from(path: str) -> dict[tuple[str, str], Value]:
    """``{(project, name): value}``. Raises ``BadConfiguration`` naming the file and the setting."""
    try:
        with open(path, "rb") as file:
            raw = tomllib.load(file)
    except (OSError, ValueError) as error:
        raise BadConfiguration(f"{path}: {error}") from error
    tables = {"": _flat({name: value for name, value in raw.items() if name != "project"})}
    for folder, table in dict(raw.get("project", {})).items():
        root = os.path.realpath(os.path.expanduser(folder))
        tables[paths.repository_of(root, is_folder=True)[1]] = _flat(table)
    return {
        (project, name): _value(path, name, value)
        for project, table in tables.items()
        for name, value in table.items()
    }


def _flat(table: dict[str, object]) -> dict[str, object]:
    """A table's settings, each quality gate a setting of its own, so that a project may replace one of them."""
    gates = table.get("gates", {})
    if not isinstance(gates, dict):
        return table
    rest = {name: value for name, value in table.items() if name != "gates"}
    return rest | {settings.GATE + name: value for name, value in gates.items()}


def _value(path: str, name: str, value: object) -> Value:
    compiles = _command if name.startswith(settings.GATE) else SETTINGS.get(name)
    if compiles is None:
        raise BadConfiguration(f"{path}: unknown setting {name!r}: known are {', '.join(SETTINGS)}, gates")
    try:
        made: Value = compiles(value)  # type: ignore[operator]
    except ValueError as error:
        raise BadConfiguration(f"{path}: {name} = {value!r}: {error}") from error
    return made


def _stamp(path: str) -> str:
    try:
        found = os.stat(path)
    except OSError:
        return ""
    return f"{found.st_mtime_ns}:{found.st_size}:{found.st_ino}"
