"""The skill that teaches an agent the ``coord`` command, in the user's folder of Claude Code."""

import contextlib
import os

from coordhooks.install.places import Places
from coordhooks.resources import skill_path

_MARK = "<!-- coordhooks: install.sh keeps this file up to date -->"


def path_of(places: Places) -> str:
    """Where it goes."""
    return os.path.join(places.claude_config, "skills", "coord", "SKILL.md")


def write(places: Places, *, dry_run: bool) -> list[str]:
    """Put the skill there; says what was, or would be, done. A skill of that name that is not ours is left alone."""
    path, text = path_of(places), _text()
    there = _read(path)
    if there == text:
        return []
    if there is not None and _MARK not in there:
        return [f"note: {path} is not ours, so it was left alone: agents learn less of `coord`"]
    if dry_run:
        return [f"would write the skill {path}"]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    new = path + ".new"
    with open(new, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(new, path)
    return [f"wrote the skill {path}"]


def remove(places: Places, *, dry_run: bool) -> list[str]:
    """Take our skill away, and its folder if it is empty then."""
    path = path_of(places)
    if _MARK not in (_read(path) or ""):
        return []
    if dry_run:
        return [f"would remove {path}"]
    os.unlink(path)
    with contextlib.suppress(OSError):
        os.rmdir(os.path.dirname(path))
    return [f"removed {path}"]


def _text() -> str:
    with open(skill_path("coord"), encoding="utf-8") as file:
        return f"{file.read().rstrip()}\n\n{_MARK}\n"


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return None
