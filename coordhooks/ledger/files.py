"""Private, durable files: opened without following links, 0600 under any umask, written whole."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from coordhooks.errors import LedgerError
from coordhooks.upkeep import sweep

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_IN_THE_MAKING = ".tmp"
_NETWORK = (
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "afs",
    "ceph",
    "fuse.sshfs",
    "fuse.glusterfs",
    "lustre",
)
_ADVICE = {
    errno.EISDIR: "remove what is in its place, it is not from coordhooks",
    errno.EROFS: "`coord log` still shows what is in it; to write, put the state folder on a disk that can be written",
    errno.ENOSPC: "make room on its disk",
    errno.EDQUOT: "make room within your quota",
}


def open_private(path: str, flags: int) -> int:
    """A descriptor of ``path``; a new file gets mode 0600. A symlink is refused with ``LedgerError``."""
    try:
        try:
            return os.open(path, flags & ~os.O_CREAT | _NOFOLLOW)
        except FileNotFoundError:
            if not flags & os.O_CREAT:
                raise
            return _create(path, flags)
    except OSError as error:
        raise _explained(path, error) from error


def _create(path: str, flags: int) -> int:
    try:
        fd = _create_new(path, flags)
    except FileExistsError:  # another process was faster
        return os.open(path, flags & ~os.O_CREAT | _NOFOLLOW)
    sync_folder(os.path.dirname(path))
    return fd


def _create_new(path: str, flags: int) -> int:
    fd = os.open(path, flags | os.O_CREAT | os.O_EXCL | _NOFOLLOW, 0o600)
    os.fchmod(fd, 0o600)  # a umask may have taken our own bits away
    return fd


def _explained(path: str, error: OSError) -> LedgerError:
    if os.path.islink(path):
        return LedgerError(f"{path} is a symlink and was not followed; remove it, it is not from coordhooks")
    advice = _ADVICE.get(error.errno or 0, "check its owner and permissions")
    return LedgerError(f"can't open {path}: {error.strerror}; {advice}")


def make_folder(path: str) -> None:
    """Create ``path`` and its parents, and make it 0700 if others could enter it. It must be ours."""
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        found = os.stat(path)
        if os.name == "posix" and found.st_uid != os.getuid():
            raise LedgerError(
                f"the folder {path} belongs to user {found.st_uid}, not to you ({os.getuid()}), and was not used:"
                f" give it back with `sudo chown -R $(id -u) {path}`"
            )
        if found.st_mode & 0o777 != 0o700:
            os.chmod(path, 0o700)
    except OSError as error:
        raise LedgerError(
            f"can't use the folder {path}: {error.strerror}; check its owner and permissions"
        ) from error


def write_all(fd: int, data: bytes) -> None:
    """Write every byte of ``data``: one ``write`` may take less than it is given."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def sync_folder(path: str) -> None:
    """Make creations and renames in ``path`` durable."""
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@contextmanager
def replacing(path: str, made_in: str = "") -> Iterator[int]:
    """A descriptor of a new private file that takes the name ``path`` at the end, durably, or vanishes.

    Until then it is in ``made_in``, or beside ``path``. That folder is swept, so it must be one of few files.
    """
    folder, name = made_in or os.path.dirname(path), os.path.basename(path)
    sweep(folder, lambda name: name.endswith(_IN_THE_MAKING))
    temporary = f"{os.path.join(folder, name)}.{os.getpid()}.{os.urandom(4).hex()}{_IN_THE_MAKING}"
    fd = _create_new(temporary, os.O_RDWR)
    try:
        yield fd
        os.fsync(fd)
        os.rename(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    finally:
        os.close(fd)
    sync_folder(os.path.dirname(path))


def write_file(path: str, data: bytes, made_in: str = "") -> None:
    """Put ``data`` at ``path`` whole and durably, or not at all; ``made_in`` as for ``replacing``."""
    with replacing(path, made_in) as fd:
        write_all(fd, data)


def network_kind(path: str, mounts: str = "/proc/self/mountinfo") -> str | None:
    """The kind of network file system that ``path`` is on (``nfs4``, ...), None for a local or unknown one."""
    try:
        with open(mounts, encoding="utf-8", errors="replace") as lines:
            kinds = {_mount_point(line): _mount_kind(line) for line in lines}
    except OSError:
        return None
    place = os.path.realpath(path)
    while place not in kinds and place != os.path.dirname(place):
        place = os.path.dirname(place)
    kind = kinds.get(place)
    return kind if kind in _NETWORK else None


def _mount_point(line: str) -> str:
    return line.split()[4].replace("\\040", " ")


def _mount_kind(line: str) -> str:
    return line.partition(" - ")[2].split()[0]
