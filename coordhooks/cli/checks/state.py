"""The state folder: its place, who may look into it, its file system, and the space that is left."""

import os
import shlex
import shutil
from collections.abc import Iterator

from coordhooks.cli.checks.finding import Finding, fault, good, note
from coordhooks.cli.session import Session

CHECK = "state folder"
LITTLE = 100 << 20  # bytes free, below which the disk counts as nearly full
MOUNTS = "/proc/mounts"
NETWORK = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p", "afs", "ceph", "glusterfs", "lustre")
OPEN_TO_OTHERS = 0o077
ELSEWHERE = "set XDG_STATE_HOME to a folder on a local disk, for all harnesses"


def check(session: Session) -> Iterator[Finding]:
    folder = session.state_dir
    if not os.path.lexists(folder):
        yield note(CHECK, "it is not there yet: no hook has run", file=folder)
    elif not os.path.isdir(folder):
        says = "it is no folder, so every write is refused"
        yield fault(CHECK, says, file=folder, remedy=f"move it away: `{aside(folder)}`")
    else:
        yield _rights(folder)
        yield _file_system(folder)
        yield _space(folder)


def repair(session: Session) -> Iterator[Finding]:
    """A folder of ours that others may look into is closed to them."""
    folder = session.state_dir
    if os.path.isdir(folder) and os.name == "posix":
        found = os.stat(folder)
        if found.st_uid == os.getuid() and found.st_mode & 0o777 != 0o700:
            os.chmod(folder, 0o700)
            yield good("repair", "it is yours alone to use: mode 0700", file=folder)


def aside(path: str) -> str:
    """The command that moves a thing out of the way."""
    return f"mv {shlex.quote(path)} {shlex.quote(path + '.aside')}"


def _rights(folder: str) -> Finding:
    found = os.stat(folder)
    mode = found.st_mode & 0o777
    if os.name == "posix" and found.st_uid != os.getuid():
        says = f"it belongs to user {found.st_uid}, not to you ({os.getuid()})"
        return fault(CHECK, says, file=folder, remedy=f"`sudo chown -R $(id -u) {shlex.quote(folder)}`")
    if os.name == "posix" and mode & 0o700 != 0o700:
        says = f"mode {mode:04o}: you may not use it yourself, so every write is refused"
        return fault(
            CHECK, says, file=folder, remedy=f"`coord doctor --fix`, or `chmod 700 {shlex.quote(folder)}`"
        )
    if os.name == "posix" and mode & OPEN_TO_OTHERS:
        says = f"mode {mode:04o}: others can look into it"
        return fault(CHECK, says, file=folder, remedy=f"`chmod 700 {shlex.quote(folder)}`")
    return good(CHECK, f"yours, mode {mode:04o}", file=folder)


def _file_system(folder: str) -> Finding:
    kind = _kind(folder)
    if kind in NETWORK:
        says = f"{kind} is a network file system: SQLite's locks can't be relied on there"
        return fault("file system", says, file=folder, remedy=ELSEWHERE)
    return good("file system", kind, file=folder)


def _kind(folder: str) -> str:
    """The type of the file system that holds a folder, where the list of mounts tells it."""
    try:
        with open(MOUNTS, encoding="utf-8", errors="surrogateescape") as file:
            mounts = [line.split() for line in file]
    except OSError:
        return "of a kind that can't be told here"
    real = os.path.join(os.path.realpath(folder), "")
    above = [(m[1], m[2]) for m in mounts if real.startswith(os.path.join(m[1].replace("\\040", " "), ""))]
    return max(above, key=lambda mount: len(mount[0]), default=("", "unknown"))[1]


def _space(folder: str) -> Finding:
    free = shutil.disk_usage(folder).free
    if free > LITTLE:
        return good("free space", f"{free >> 20} MB", file=folder)
    says = f"only {free >> 20} MB are free: writes are refused when the store can't grow"
    return fault("free space", says, file=folder, remedy="make room on that disk")
