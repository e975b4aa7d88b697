"""Change a file that belongs to somebody else: whole or not at all, and never over another one's edit.

Links stay links, mode, owner and extended attributes stay, a backup stands beside it, and readers see the old
content or the new one.
"""

import contextlib
import fcntl
import glob
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from coordhooks.errors import ConfigRefused, InstallError
from coordhooks.install.exchange import exchange
from coordhooks.locations import MAX_CONFIG, contents, make_folder

ATTEMPTS = 200  # of an edit against a program that writes the file all the time
SETTLE_SECONDS = 0.1  # a program that read the file before our write has written it back by then
BACKUPS_KEPT = 3

Edit = Callable[[bytes | None], bytes | None]  # None: there is no such file


@contextlib.contextmanager
def lock(path: str, *, timeout: float = 600.0) -> Iterator[None]:
    """Hold the installer's lock. Taken with flock, as filelock does: a bare interpreter runs this.

    Raises InstallError if another installer keeps it longer than ``timeout`` seconds.
    """
    make_folder(os.path.dirname(path))
    deadline = time.monotonic() + timeout
    while (fd := _locked(path)) is None:
        if time.monotonic() > deadline:
            raise InstallError(f"another installer has held {path} for {timeout:.0f} s: wait for it to end")
        time.sleep(0.05)
    try:
        yield
    finally:
        os.close(fd)


def _locked(path: str) -> int | None:
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with contextlib.suppress(BlockingIOError, FileNotFoundError):
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(fd), os.stat(path)):
            return fd  # else an uninstaller has removed the file that we locked
    os.close(fd)
    return None


def target(path: str) -> str:
    """The file behind ``path`` and all links. It may be missing, and its folders unless a link leads to them: what a
    link leads to may be a disk that is not there now.

    Raises ConfigRefused if this is no place for a file.
    """
    real = os.path.realpath(path)
    if os.path.islink(real):
        raise ConfigRefused(path, "the link leads in a circle")
    if os.path.lexists(real) and not os.path.isfile(real):
        raise ConfigRefused(
            path,
            "it is not a regular file"
            if real == path
            else f"it leads to {real}, which is not a regular file",
        )
    if link := _dangling(path, real):
        where = os.path.realpath(link)
        leads = (
            f"it is a link to {where}, whose folder"
            if link == path
            else f"{link} is a link to {where}, which"
        )
        raise ConfigRefused(path, f"{leads} does not exist: create that or remove the link")
    return real


def _dangling(path: str, real: str) -> str:
    """The link to a missing folder on the way to a file; empty if there is none."""
    if os.path.islink(path):
        return "" if os.path.isdir(os.path.dirname(real)) else path
    folder = os.path.dirname(path)
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    return folder if os.path.islink(folder) and not os.path.exists(folder) else ""


def read(path: str) -> bytes | None:
    """The content; None if there is no file. Raises ConfigRefused if it can't be read."""
    try:
        return contents(path, MAX_CONFIG)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigRefused(path, f"can't be read ({error.strerror})") from error


def check_writable(path: str) -> None:
    """Raise ConfigRefused unless ``path`` (without links) can be replaced. Root respects modes here, too."""
    if os.path.exists(path):
        status = os.stat(path)
        mode = stat.S_IMODE(status.st_mode)
        if not mode & stat.S_IWUSR or not os.access(path, os.W_OK):
            what = "it is read-only" if mode & stat.S_IRUSR else "its owner may neither read nor write it"
            raise ConfigRefused(path, f"{what} (mode {mode:03o}), so it was left alone: make it writable")
        if status.st_uid != os.geteuid() and os.geteuid() != 0:
            raise ConfigRefused(path, "it belongs to another user")
    folder = os.path.dirname(path)
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK | os.X_OK):
        raise ConfigRefused(path, f"no file can be written in {folder}")


def change(path: str, edit: Edit, *, backup: bool = True) -> bool:
    """Replace the content of ``path`` (without links) by ``edit`` of it until it stays so; False if it was.

    ``edit`` is called again with what somebody else wrote meanwhile. Raises InstallError if that never ends.
    """
    changed = False
    _clear_litter(*os.path.split(path))
    for _ in range(ATTEMPTS):
        before = read(path)
        after = edit(before)
        if after == before:
            return changed
        if _swap_in(path, before, after, backup=backup):
            changed = True
            time.sleep(SETTLE_SECONDS)
    raise InstallError(f"{path}: another program keeps writing it; stop that program, then try again")


# -- one write --------------------------------------------------------------------------------------------


def _swap_in(path: str, before: bytes | None, after: bytes | None, *, backup: bool) -> bool:
    """Put ``after`` where ``before`` is; False, with nothing done, if that is no longer there."""
    folder = os.path.dirname(path)
    make_folder(folder)
    kept = _back_up(path, before) if backup else None
    fd, new = _beside(path)
    done = False
    try:
        _fill(fd, new, after, like=path)
        done = _replace(new, path, before, after)
    finally:
        for needless in (new, *([kept] if kept and not done else ())):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(needless)
    if done:
        _sync_folder(folder)
        _prune_backups(path)
    return done


def _beside(path: str) -> tuple[int, str]:
    """A new file in the same folder, open; ``_clear_litter`` knows it."""
    folder, name = os.path.split(path)
    return tempfile.mkstemp(prefix=f".{name}.coordhooks-{os.getpid()}-", suffix=".tmp", dir=folder)


def _fill(fd: int, new: str, content: bytes | None, *, like: str) -> None:
    """Write ``content`` to the new file, and make it ``like`` the old one in all else."""
    with open(fd, "wb") as file:
        file.write(content or b"")
        file.flush()
        if os.path.exists(like):
            old = os.stat(like)
            with contextlib.suppress(PermissionError):  # a group that the user is not in
                os.fchown(fd, old.st_uid, old.st_gid)
            shutil.copystat(like, new)
            os.utime(new)  # programs that watch the file must see a new time
        os.fsync(fd)


def _replace(new: str, path: str, before: bytes | None, after: bytes | None) -> bool:
    if read(path) != before:
        return False
    if before is None:
        try:
            os.link(new, path)  # fails, as it must, if somebody has just created it
        except FileExistsError:
            return False
        except OSError:  # a file system without hard links
            os.replace(new, path)
        return True
    if not exchange(new, path):
        os.replace(new, path) if after is not None else os.unlink(path)
        return True
    if read(new) != before:  # somebody wrote between our look and the swap: theirs goes back
        exchange(new, path)
        return False
    if after is None:
        os.unlink(path)
    return True


def _sync_folder(folder: str) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    except OSError:  # some network file systems can't
        pass
    finally:
        os.close(fd)


def _clear_litter(folder: str, name: str) -> None:
    """Temporary files of installers that were killed."""
    for old in glob.glob(os.path.join(glob.escape(folder), f".{glob.escape(name)}.coordhooks-*.tmp")):
        pid = re.search(r"\.coordhooks-(\d+)-", old)
        if pid and not _alive(int(pid.group(1))):
            with contextlib.suppress(OSError):  # it does no harm where it can't be removed
                os.unlink(old)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


# -- backups ----------------------------------------------------------------------------------------------


def backups(path: str) -> list[str]:
    """Our backups of ``path``, newest first."""
    return sorted(glob.glob(glob.escape(path) + ".coordhooks-*.bak"), reverse=True)


def _back_up(path: str, content: bytes | None) -> str | None:
    if content is None or any(read(old) == content for old in backups(path)):
        return None
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    name = f"{path}.coordhooks-{stamp}.bak"
    fd, new = _beside(path)  # 0600 from the start, and whole before it has the name of a backup
    with open(fd, "wb") as file:
        file.write(content)
        os.fchmod(fd, stat.S_IMODE(os.stat(path).st_mode) & 0o600)
    os.rename(new, name)
    return name


def _prune_backups(path: str) -> None:
    for old in backups(path)[BACKUPS_KEPT:]:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(old)


def drop_needless_backups(path: str) -> list[str]:
    """Remove backups that equal the file itself, and what killed installers left; returns the others."""
    _clear_litter(*os.path.split(path))
    content = read(path)
    for old in backups(path):
        if read(old) == content:
            os.unlink(old)
    return backups(path)
