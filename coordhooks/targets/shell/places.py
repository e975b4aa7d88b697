"""Small questions about words as paths that many programs ask."""

from coordhooks.targets.shell.scope import Scope, Word, resolve
from coordhooks.targets.shell.verdict import FILE, FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.targets.shell.walk import Shell


def absolute(word: Word, scope: Scope) -> str | None:
    """The word as an absolute path, ``..`` undone; ``None`` if it can't be told."""
    return None if word.text is None else resolve(word.text, scope.cwd)


def is_folder(shell: "Shell", word: Word, scope: Scope) -> bool:
    """Does the word name a folder that is there by now?"""
    path = absolute(word, scope)
    return path is not None and shell.world.is_folder(path)


def kind_of(shell: "Shell", word: Word, scope: Scope) -> str:
    """A folder means all that is below it."""
    return FOLDER if is_folder(shell, word, scope) else FILE


def inside(folder: Word, word: Word) -> Word:
    """``word``'s last name in ``folder``."""
    if folder.text is None or word.text is None:
        return Word()
    name = word.text.rstrip("/").rpartition("/")[2]
    return Word(folder.text.rstrip("/") + "/" + name) if name not in ("", ".", "..") else Word(folder.text)


def with_suffix(word: Word, suffix: str) -> Word:
    """The word with something appended."""
    return Word(None, roots=word.roots) if word.text is None else Word(word.text + suffix)


def backup(word: Word, suffix: str) -> Word:
    """The copy that an in-place edit keeps: a suffix, or a pattern in which ``*`` is the name."""
    if word.text is None or "*" not in suffix:
        return with_suffix(word, suffix)
    folder, slash, name = word.text.rpartition("/")
    kept = suffix.replace("*", name)
    return Word(kept if "/" in kept else folder + slash + kept)


def elsewhere(scope: Scope, folder: Word | None) -> Scope:
    """The scope of a program that was told to work in ``folder``."""
    if folder is None:
        return scope
    new = scope.copy()
    new.cwd = absolute(folder, scope)
    return new
