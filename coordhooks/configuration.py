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

from coordhooks import locations, paths, quoting
from coordhooks.errors import BadPath, CoordError
from coordhooks.store import settings
from coordhooks.store.db import Transaction

FILE = "config.toml"
STAMP = "config_stamp"
MAX_COUNT = 10**15  # more than anyone counts, and less than the store can keep
MAX_SHOWN = 80  # characters of what stands in the file, in a refusal
Value = str | int | float


class BadConfiguration(CoordError):
    """The user's configuration file can't be used; it says where."""


def seconds(value: object) -> float:
    """``90``, ``"90s"``, ``"10m"``, ``"2h"`` or ``"1d"`` as seconds. Raises ``ValueError``."""
    text = str(value).strip().lower()
    factor = {"s": 1, "m": 60, "h": 3600, "d": 86400}.get(text[-1:])
    number = float(text if factor is None else text[:-1]) * (factor or 1)
    if not 0 < number < float("inf"):
        raise ValueError(f"not a duration: {value!r}")
    return number


def _switch(value: object) -> int:
    if not isinstance(value, bool):
        raise ValueError("use true or false")
    return int(value)


def _lines(value: object) -> str:
    if not isinstance(value, list) or not all(isinstance(item, str) and "\n" not in item for item in value):
        raise ValueError("use a list of strings")
    return "\n".join(value)


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_COUNT:
        raise ValueError(f"use a whole number from 0 to {MAX_COUNT}")
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
    raw = _read(path)
    projects = raw.pop("project", {})
    if not isinstance(projects, dict):
        raise BadConfiguration(f'{path}: write [project."FOLDER"] above the settings of a project')
    tables = {"": _flat(path, raw)}
    for folder, table in projects.items():
        tables[_project(path, folder)] = _flat(path, table)
    return {
        (project, name): _value(path, name, value)
        for project, table in tables.items()
        for name, value in table.items()
    }


def of_no_repository(path: str) -> list[str]:
    """The folders of ``[project."…"]`` that no repository is in, or none any more: such a table is for no project."""
    projects = _read(path).get("project")
    return [
        folder
        for folder in (projects if isinstance(projects, dict) else {})
        if _project(path, folder) == paths.OUTSIDE
    ]


def _read(path: str) -> dict[str, object]:
    try:
        return tomllib.loads(locations.contents(path).decode("utf-8"))
    except OSError as error:
        raise BadConfiguration(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise BadConfiguration(f"{path}: {_cut(str(error))}") from error


def _cut(text: str) -> str:
    return quoting.line(text, MAX_SHOWN)


def _project(path: str, folder: str) -> str:
    """The project that a folder is in, as the store names it."""
    try:
        root = paths.real(paths.absolute(folder, locations.home(os.environ)))
    except BadPath as error:
        raise BadConfiguration(f"{path}: [project.{_cut(repr(folder))}]: {error}") from error
    return paths.repository_of(root, is_folder=True)[1]


def _flat(path: str, table: object) -> dict[str, object]:
    """A table's settings, each quality gate a setting of its own, so that a project may replace one of them."""
    if not isinstance(table, dict):
        raise BadConfiguration(f'{path}: write [project."FOLDER"] above the settings of a project')
    gates = table.get("gates", {})
    if not isinstance(gates, dict):
        return table
    rest = {name: value for name, value in table.items() if name != "gates"}
    return rest | {settings.GATE + name: value for name, value in gates.items()}


def _value(path: str, name: str, value: object) -> Value:
    compiles = _command if name.startswith(settings.GATE) else SETTINGS.get(name)
    if compiles is None:
        known = ", ".join([*SETTINGS, "gates"])
        raise BadConfiguration(f"{path}: unknown setting {_cut(repr(name))}: known are {known}")
    try:
        made: Value = compiles(value)  # type: ignore[operator]
    except (ValueError, RecursionError) as error:
        raise BadConfiguration(f"{path}: {_cut(f'{name} = {value!r}')}: {_cut(str(error))}") from error
    return made


def _stamp(path: str) -> str:
    try:
        found = os.stat(path)
    except OSError:
        return ""
    return f"{found.st_mtime_ns}:{found.st_size}:{found.st_ino}"
