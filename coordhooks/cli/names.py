"""From a word on the command line to what it names: a file, a folder, or a resource of the project."""

import os

from coordhooks.cli.session import Refused, Session
from coordhooks.paths import OUTSIDE, locate
from coordhooks.store.engine import Row
from coordhooks.store.overlap import FILES, RESOURCE, Want, of_names, of_target

MARK = "@"  # a file whose name begins with it is written ./@name
ROOT = "/"


def wants(session: Session, words: "tuple[str, ...] | list[str]", *, everywhere: bool = False) -> list[Want]:
    """What each word names, in the form in which the store compares it; repeated ones once."""
    found: dict[tuple[str, bytes], Want] = {}
    for word in words:
        want = _resource(session, word[1:]) if word.startswith(MARK) else _file(session, word, everywhere)
        found.setdefault((want.space, want.key), want)
    return list(found.values())


def _resource(session: Session, name: str) -> Want:
    return of_names([name], RESOURCE + session.project)[0]


def _file(session: Session, word: str, everywhere: bool) -> Want:
    if word == ROOT and not session.tree:
        raise Refused("`/` names the root of a working tree, and this folder is in none: name what you need")
    spelled = session.tree if word == ROOT else word
    target = locate(spelled, session.cwd, folder=word.endswith("/"))
    if everywhere and target.project == OUTSIDE:
        raise Refused(
            f"{word} is in no repository, so there is no other working tree of it: leave out --everywhere"
        )
    return of_target(target, everywhere=everywhere)


def in_both_scopes(session: Session, words: "tuple[str, ...] | list[str]") -> list[Want]:
    """One's own lease on a name may be of this working tree, or of all."""
    found = wants(session, words)
    for want in list(found):
        if want.space == FILES and want.project not in (None, OUTSIDE):
            word = os.fsdecode(want.path)
            found += wants(session, [word], everywhere=True)
    return found


def shown(session: Session, lease: Row) -> str:
    """A lease's name as it is typed here."""
    return typed(session, lease["space"], os.fsdecode(lease["path"]))


def typed(session: Session, space: str, path: str) -> str:
    """A name as it is typed here, from its space and the path under which it is kept."""
    if space.startswith(RESOURCE):
        return MARK + path
    if space == FILES and session.tree and path == session.tree:
        return ROOT
    return session.short(path) if space == FILES else path


def existing_files(path: str, limit: int) -> int:
    """How many files are below a folder, counted up to ``limit``."""
    count = 0
    for _, folders, files in os.walk(path):
        folders[:] = [name for name in folders if name not in (".git", ".jj")]
        count += len(files)
        if count > limit:
            break
    return count
