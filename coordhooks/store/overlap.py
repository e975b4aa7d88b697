"""When do two names overlap? Equal, or one contains the other at a ``/``.

Keys start with ``/`` and the root of everything is empty, so a name's ancestors are its own prefixes and its
descendants are one range of an index: a claim costs the same however many other leases there are. Keys are
the file system's own bytes, never text, never a pattern.
"""

import os

from coordhooks.errors import BadArgument
from coordhooks.model import Target

SEPARATOR = b"/"
BEHIND_SEPARATOR = b"0"  # the byte after "/"

# The spaces in which names are compared. Names of different spaces never conflict.
NAMES = ""  # plain names of the bare API
FILES = "file"  # absolute real paths: checkout scope
REPOSITORY = "repository:"  # + project: relative paths in every tree of it
RESOURCE = "resource:"  # + project: names such as push/origin/main
INDEX = "index"  # git's index of a working tree, for the length of a call


class Want:
    """One name that somebody asks for, in the form in which it is compared and listed.

    ``key`` in ``space``; for files also ``rel`` in ``project``, by which repository leases meet them. ``bounded``
    is true of a folder without the working trees inside it.
    """

    __slots__ = ("bounded", "inode", "key", "path", "project", "rel", "space", "tree")

    def __init__(
        self,
        space: str,
        key: bytes,
        path: bytes,
        *,
        project: str | None = None,
        rel: bytes | None = None,
        tree: str = "",
        inode: tuple[int, int] | None = None,
        bounded: bool = False,
    ) -> None:
        self.bounded = bounded
        self.space = space
        self.key = key
        self.path = path
        self.project = project
        self.rel = rel
        self.tree = tree
        self.inode = inode


def of_target(target: Target, *, everywhere: bool = False) -> Want:
    """A file or folder: of its own tree, or (``everywhere``) of every tree of its repository."""
    key, rel = encode(target.key.rstrip("/")), encode(target.rel)
    return Want(
        REPOSITORY + target.project if everywhere else FILES,
        rel if everywhere else key,
        encode(target.name if everywhere else target.path),
        project=target.project,
        rel=rel,
        tree=target.tree,
        inode=None if everywhere else target.inode,
        bounded=target.bounded,
    )


def of_index(project: str, tree: str) -> Want:
    """git's index of one working tree: two commands that write it take turns."""
    return Want(INDEX, encode(tree) + b"/git-index", b"git/index", project=project, tree=tree)


def of_names(names: list[str] | tuple[str, ...], space: str = NAMES) -> list[Want]:
    """Plain names: stripped, normalised, de-duplicated in order. Raises ``BadArgument`` for an unusable one."""
    if isinstance(names, str) or not names:
        raise BadArgument("name at least one path or resource, in a list")
    cleaned = dict.fromkeys(normalize(name) for name in names)
    return [Want(space, SEPARATOR + encode(name), encode(name)) for name in cleaned]


def normalize(name: str) -> str:
    """``./a//b/../c`` is ``a/c``; absolute names, ``.`` and names that escape with ``..`` are refused."""
    stripped = name.strip() if isinstance(name, str) else ""
    if not stripped or "\0" in stripped:
        raise BadArgument(f"not a name: {name!r}")
    if stripped.startswith("/"):
        raise BadArgument(f"{stripped!r} is absolute: use a name relative to the repository")
    parts: list[str] = []
    for part in stripped.split("/"):
        if part == "..":
            if not parts:
                raise BadArgument(f"{stripped!r} leaves the repository")
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    if not parts:
        raise BadArgument(f"{stripped!r} names everything: claim what you need")
    return "/".join(parts)


def encode(name: str) -> bytes:
    try:
        return os.fsencode(name)
    except UnicodeEncodeError:
        raise BadArgument("a name with half of a surrogate pair can't be a file's") from None


def ancestors(key: bytes) -> list[bytes]:
    """The key itself and all that contain it: ``/a/b`` gives ``/a/b``, ``/a`` and the empty root."""
    found = [key]
    while key:
        key = key[: key.rindex(SEPARATOR)]
        found.append(key)
    return found


def where(space: str, value: str, column: str, key: bytes) -> list[tuple[str, list[str | bytes]]]:
    """The SQL conditions for all rows with ``space = value`` whose key overlaps ``key``, and their values.

    Two, because SQLite would answer one with OR by looking at the whole space.
    """
    above = ancestors(key)
    marks = ", ".join("?" * len(above))
    return [
        (f"{space} = ? AND {column} IN ({marks})", [value, *above]),
        (
            f"{space} = ? AND {column} >= ? AND {column} < ?",
            [value, key + SEPARATOR, key + BEHIND_SEPARATOR],
        ),
    ]
