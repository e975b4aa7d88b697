"""What the parser asks of the file system: is this a folder, which names match. Bounded, and nothing is written.

What the command itself has made by then counts as being there.
"""

import os

from coordhooks.targets.glob import matches

MAX_ENTRIES = 5000  # directory entries looked at for one command


class World:
    """The file system as the command finds it at one point of its run."""

    __slots__ = ("files", "folders", "left")

    def __init__(self) -> None:
        self.left = MAX_ENTRIES
        self.files: set[str] = set()  # absolute paths that the command has written
        self.folders: set[str] = set()  # and folders that it has made

    def is_folder(self, path: str) -> bool:
        """Is there a folder?"""
        return os.path.isdir(path) or os.path.normpath(path) in self.folders

    def exists(self, path: str) -> bool:
        """Is there anything of that name (a dangling link too)?"""
        norm = os.path.normpath(path)
        return os.path.lexists(path) or norm in self.folders or norm in self.files

    def names(self, folder: str) -> list[str] | None:
        """The names in a folder, sorted; ``None`` if there are too many to look at."""
        try:
            found = set(os.listdir(folder))
        except (OSError, ValueError):
            found = set()
        self.left -= len(found)
        if self.left < 0:
            return None
        norm = os.path.normpath(folder).rstrip("/") + "/"
        for made in (*self.files, *self.folders):
            if made.startswith(norm):
                found.add(made[len(norm) :].partition("/")[0])
        return sorted(found)


def expand(pattern: str, cwd: str, world: World) -> list[str] | None:
    """The paths that a pattern matches, spelled as the shell does; ``None`` if that can't be told.

    Literal ``*``, ``?`` and ``[`` of the pattern are written ``[*]``, ``[?]``, ``[[]``.
    """
    found = ["/" if pattern.startswith("/") else ""]
    parts = [part for part in pattern.split("/") if part]
    for at, part in enumerate(parts):
        last = at == len(parts) - 1 and not pattern.endswith("/")
        step: list[str] = []
        for prefix in found:
            matched = _step(prefix, part, cwd, world)
            if matched is None:
                return None
            step += [name for name in matched if last or world.is_folder(os.path.join(cwd, name))]
        found = [name if last else name + "/" for name in step]
    return found


def _step(prefix: str, part: str, cwd: str, world: World) -> list[str] | None:
    if not is_pattern(part):
        name = prefix + unescape(part)
        return [name] if world.exists(os.path.join(cwd, name)) else []
    names = world.names(os.path.join(cwd, prefix) if prefix else cwd)
    if names is None:
        return None
    hidden = part.startswith(".")
    pattern = part.replace("[^", "[!")
    return [
        prefix + name for name in names if (hidden or not name.startswith(".")) and matches(name, pattern)
    ]


def escape(text: str) -> str:
    """The pattern that matches ``text`` alone."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in text)


def unescape(pattern: str) -> str:
    """The text that ``escape`` was given."""
    for char in "*?[":
        pattern = pattern.replace(f"[{char}]", char)
    return pattern


def is_pattern(pattern: str) -> bool:
    """Is there anything active in it?"""
    for char in "*?[":
        pattern = pattern.replace(f"[{char}]", "")
    return any(char in pattern for char in "*?[")
