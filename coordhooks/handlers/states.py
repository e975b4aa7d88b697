"""How a file stands, from the two letters of git's status: the index against HEAD, and the file against the index."""

from coordhooks.git import UNTRACKED


def any_(_status: str) -> bool:
    return True


def tracked(status: str) -> bool:
    """In the index or in HEAD."""
    return status[0] != UNTRACKED


def staged(status: str) -> bool:
    """The index differs from HEAD."""
    return status[0] not in (" ", UNTRACKED)


def touched(status: str) -> bool:
    """The file differs from the index."""
    return status[1] not in (" ", UNTRACKED)


def fresh(status: str) -> bool:
    """There, and not in the index."""
    return status[1] == UNTRACKED


def addable(status: str) -> bool:
    return touched(status) or fresh(status)


def committed(status: str) -> bool:
    """In HEAD."""
    return status[0] not in ("A", UNTRACKED)


def indexed(status: str) -> bool:
    return status[0] not in ("D", UNTRACKED)
