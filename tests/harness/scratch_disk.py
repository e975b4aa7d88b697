"""Where the tests put their folders: in memory, where there is room, for they fsync by the thousand.

What a disk does when it is full, slow or broken is tested on file systems and faults made for that.
"""

import os
import shutil
import tempfile

SHARED_MEMORY = "/dev/shm"
ROOM = 4 * 1024**3  # bytes; a run has been seen to leave 1.2 GB


_ON_DISK = "TESTS_TMPDIR"  # workers inherit the environment of the process that has chosen already


def on_disk() -> str:
    """The folder that was in use before, for what must not lie in memory."""
    return os.environ[_ON_DISK]


def choose() -> None:
    """Let ``tempfile``, pytest and whatever they start use it, unless TMPDIR already says where."""
    os.environ.setdefault(_ON_DISK, tempfile.gettempdir())
    if "TMPDIR" not in os.environ and _is_fit(SHARED_MEMORY):
        os.environ["TMPDIR"] = tempfile.tempdir = SHARED_MEMORY


def _is_fit(folder: str) -> bool:
    """Is there room, and may programs be run from it?"""
    try:
        if shutil.disk_usage(folder).free < ROOM:
            return False
        flags = os.statvfs(folder).f_flag
    except (OSError, AttributeError):
        return False
    return os.access(folder, os.W_OK) and not flags & getattr(os, "ST_NOEXEC", 0)
