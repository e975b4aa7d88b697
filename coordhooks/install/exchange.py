"""Swap two files in one step, so that an edit of somebody else in the last microsecond is seen, not lost.

A rename destroys what it replaces unseen. After a swap the old content is still there to look at.
"""

import ctypes
import os
import sys

_AT_FDCWD = -100
_SWAP = 2  # RENAME_EXCHANGE of Linux and RENAME_SWAP of macOS happen to be equal


def exchange(one: str, other: str) -> bool:
    """Swap the two files; False if this system or file system can't, and nothing was done."""
    libc = ctypes.CDLL(None)
    first, second = os.fsencode(one), os.fsencode(other)
    try:
        if sys.platform == "darwin":
            return bool(libc.renamex_np(first, second, _SWAP) == 0)
        return bool(libc.renameat2(_AT_FDCWD, first, _AT_FDCWD, second, _SWAP) == 0)
    except AttributeError:  # an older C library
        return False
