"""The skill that teaches an agent the ``coord`` command, in the user's folder of Claude Code."""

import contextlib
import hashlib
import os
import re

from coordhooks.install.places import Places
from coordhooks.locations import make_folder
from coordhooks.resources import skill_path

_MARK = "<!-- coordhooks: install.sh keeps this file up to date"
_SIGNED = re.compile(f"(.*){_MARK}(?: \\(([0-9a-f]{{16}})\\))? -->\n", re.S)


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
    if there is not None and _is_edited(there):
        return [f"note: {path} was edited, so it was left alone; delete it to get ours again"]
    if dry_run:
        return [f"would write the skill {path}"]
    make_folder(os.path.dirname(path))
    new = path + ".new"
    with open(new, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(new, path)
    return [f"wrote the skill {path}"]


def remove(places: Places, *, dry_run: bool) -> list[str]:
    """Take our skill away, and its folder if it is empty then."""
    path = path_of(places)
    there = _read(path) or ""
    if _MARK not in there:
        return []
    if _is_edited(there):
        return [f"note: {path} was edited, so it was left there; delete it if you don't need it"]
    if dry_run:
        return [f"would remove {path}"]
    os.unlink(path)
    with contextlib.suppress(OSError):
        os.rmdir(os.path.dirname(path))
    return [f"removed {path}"]


def _text() -> str:
    with open(skill_path("coord"), encoding="utf-8") as file:
        text = f"{file.read().rstrip()}\n\n"
    return f"{text}{_MARK} ({_digest(text)}) -->\n"


def _is_edited(text: str) -> bool:
    """Is it other than it was written, once? An older one of ours has no digest, so that can't be told: no."""
    signed = _SIGNED.fullmatch(text)
    return signed is None or signed[2] not in (None, _digest(signed[1]))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return None
