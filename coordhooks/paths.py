"""Which file is it: from the spelling in a payload to one identity that all agents compare.

A file is known by its absolute real path; where the volume folds case, by the folded one; where it has other
names, by its inode. Its project is the repository that holds it, found without starting git and without
looking at any ``GIT_*`` variable.
"""

import os

from coordhooks.errors import BadPath
from coordhooks.model import Target

OUTSIDE = "outside"
MAX_LINE = 4096
MAX_PATH = 32767  # characters; no system has longer paths


class Folders:
    """What is known of folders by now, for a call that locates many files; nothing of it is kept longer."""

    __slots__ = ("_real", "_repositories")

    def __init__(self) -> None:
        self._real: dict[str, str] = {}
        self._repositories: dict[str, tuple[str, str]] = {}

    def real(self, path: str, *, follow: bool) -> str:
        """As ``real`` says, with each folder resolved once."""
        parent, name = os.path.split(path)
        if name in ("", ".", ".."):
            return real(path, follow=follow)
        if parent not in self._real:
            self._real[parent] = real(parent)
        here = os.path.join(self._real[parent], name)
        return real(here) if follow and os.path.islink(here) else here

    def repository_of(self, folder: str) -> tuple[str, str]:
        if folder not in self._repositories:
            self._repositories[folder] = repository_of(folder, is_folder=True)
        return self._repositories[folder]


def locate(
    spelled: str, cwd: str, *, follow: bool = True, folder: bool = False, among: Folders | None = None
) -> Target:
    """The target that ``spelled`` means for a process in ``cwd``.

    ``follow=False`` is for operations on the name itself (removing, renaming): only the parent is resolved. ``among``
    makes many at once cheap. Raises ``BadPath`` for a path that no file can have, an empty one, or a relative one
    without a ``cwd``.
    """
    among = among or Folders()
    path = among.real(absolute(spelled, cwd), follow=follow)
    found = status(path)
    folder = folder or (found is not None and is_folder(found))
    tree, project = among.repository_of(path if folder else os.path.dirname(path))
    name = (path[len(tree.rstrip("/")) + 1 :] or "/") if project != OUTSIDE else path
    exact = exact_length(path)
    return Target(
        path,
        project if exact == len(path) else _compared(project, exact_length(project)),
        tree,
        name,
        key=_compared(path, exact),
        rel=_rooted(_compared(name, exact - len(path) + len(name))),
        inode=None if found is None or folder else (found.st_dev, found.st_ino),
        folder=folder,
    )


def _rooted(name: str) -> str:
    """A relative name in the form of a key: it starts with ``/``, and the root itself is empty."""
    return "" if name == "/" else "/" + name.lstrip("/")


def absolute(spelled: str, cwd: str) -> str:
    """``spelled`` as an absolute path, ``~`` expanded, nothing resolved yet."""
    if len(spelled) > MAX_PATH:
        raise BadPath(f"the path has {len(spelled)} characters, which no file's has")
    if not spelled or "\0" in spelled:
        raise BadPath("the path is empty" if not spelled else "the path holds a NUL character")
    try:
        os.fsencode(spelled)
    except UnicodeEncodeError:
        raise BadPath("the path holds half of a surrogate pair, which no file name can") from None
    if spelled.startswith("~"):
        spelled = os.path.expanduser(spelled)
    if os.path.isabs(spelled):
        return spelled
    if not os.path.isabs(cwd):
        raise BadPath("the path is relative and no working folder was given")
    return os.path.join(cwd, spelled)


def refuse_surrogates(spelled: str) -> None:
    """A name out of JSON is real text: a lone surrogate in it is no byte of a file name. Raises ``BadPath``."""
    try:
        spelled.encode("utf-8")
    except UnicodeEncodeError:
        raise BadPath("the path holds half of a surrogate pair, which no file name can") from None


def real(path: str, *, follow: bool = True) -> str:
    """Every symlink of the part that exists resolved, the missing rest appended."""
    try:
        if follow:
            return os.path.realpath(path)
        parent, name = os.path.split(path.rstrip("/") or "/")
        if name in ("", ".", ".."):
            return os.path.realpath(path)
        return os.path.join(os.path.realpath(parent), name)
    except (OSError, ValueError) as error:
        raise BadPath(f"the path can't be resolved: {error.__class__.__name__}") from error


def status(path: str) -> os.stat_result | None:
    """``lstat`` of a path, or ``None`` if nothing is there, or if no file can have that name."""
    try:
        return os.lstat(path)
    except (OSError, ValueError):
        return None


def is_folder(found: os.stat_result) -> bool:
    """Is it a directory (``stat.S_ISDIR`` without the import)?"""
    return found.st_mode & 0o170000 == 0o040000


# -- projects ---------------------------------------------------------------------------------------------


def repository_of(path: str, *, is_folder: bool = False) -> tuple[str, str]:
    """``(root of the working tree, project)`` of a real path; ``("", OUTSIDE)`` beyond any repository.

    All working trees of one repository have the same project: git's common folder, or jj's ``repo``.
    """
    folder = path if is_folder else os.path.dirname(path)
    while True:
        project = _git_project(folder) or _jj_project(folder)
        if project:
            return folder, project
        above = os.path.dirname(folder)
        if above == folder:
            return "", OUTSIDE
        folder = above


def metadata_folder(root: str) -> str:
    """The folder in which git or jj keeps what belongs to this working tree alone, or an empty string."""
    return _git_folder(root) or (
        os.path.join(root, ".jj") if os.path.isdir(os.path.join(root, ".jj")) else ""
    )


def _git_folder(root: str) -> str:
    """``.git`` of a working tree: the folder itself, or the one that its file points to."""
    marker = os.path.join(root, ".git")
    found = status(marker)
    if found is None:
        return ""
    if not is_folder(found) and not os.path.isdir(marker):
        pointed = _first_line(marker)
        if not pointed.startswith("gitdir:"):
            return ""
        marker = os.path.join(root, pointed.removeprefix("gitdir:").strip())
    return marker if os.path.exists(os.path.join(marker, "HEAD")) else ""


def _git_project(root: str) -> str:
    """The common folder of the git repository whose working tree starts here, or an empty string."""
    marker = _git_folder(root)
    if not marker:
        return ""
    common = _first_line(os.path.join(marker, "commondir"))
    return os.path.realpath(os.path.join(marker, common) if common else marker)


def _jj_project(folder: str) -> str:
    """The shared store of the Jujutsu workspace that starts here, or an empty string.

    A repository that git and jj share has one project, so a jj-only workspace of it is named after its git.
    """
    store = os.path.join(folder, ".jj", "repo")
    found = status(store)
    if found is None:
        return ""
    if not is_folder(found):
        store = os.path.join(folder, ".jj", _first_line(store))
    store = os.path.realpath(store)
    return _git_project(os.path.dirname(os.path.dirname(store))) or store


def _first_line(path: str) -> str:
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # a pipe of that name must not stop us
    except OSError:
        return ""
    try:
        return os.fsdecode(os.read(fd, MAX_LINE)).split("\n", 1)[0].rstrip("\r")
    except OSError:
        return ""
    finally:
        os.close(fd)


# -- volumes that fold names ------------------------------------------------------------------------------


def fold(path: str) -> str:
    """The form in which a volume that ignores case (and Unicode form) compares a path."""
    import unicodedata

    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def exact_length(path: str) -> int:
    """How much of ``path``, from its start, is compared as it is; below that, the volume ignores case.

    The volume is asked, from the deepest name upwards, by looking up existing names under a flipped spelling.
    """
    exact, current = len(path), path
    while True:
        parent, name = os.path.split(current)
        folds = _folds(parent, name)
        if folds is False or parent == current:
            return exact
        if folds:
            exact = len(parent)
        current = parent


def _folds(parent: str, name: str) -> bool | None:
    """Does this folder ignore the case of this name? ``None``: a name without case, or absent, does not tell."""
    flipped = name.swapcase()
    found = status(os.path.join(parent, name)) if flipped != name else None
    if found is None or (found.st_nlink > 1 and not is_folder(found)):  # both spellings may be hard links
        return None
    other = status(os.path.join(parent, flipped))
    return other is not None and (other.st_dev, other.st_ino) == (found.st_dev, found.st_ino)


def _compared(path: str, exact: int) -> str:
    exact = max(0, exact)
    return path if exact >= len(path) else path[:exact] + fold(path[exact:])
