"""The interpreter to build on: one that the next upgrade leaves in place."""

import os
import sys

# Package managers keep these names while the folders behind them come and go with each release.
STABLE_FOLDERS = ("/opt/homebrew/bin", "/usr/local/bin", "/usr/bin")


def stable(executable: str | None = None, folders: tuple[str, ...] = STABLE_FOLDERS) -> str:
    """The lasting path to the interpreter that runs us (or ``executable``), else its own path.

    Never a virtual environment's, which is its project's to delete. A name with the minor version comes
    first: plain ``python3`` may one day mean another, and packages are installed for this one.
    """
    own: str = executable or getattr(sys, "_base_executable", "") or sys.executable
    names = (f"python{sys.version_info[0]}.{sys.version_info[1]}", "python3")
    for path in (os.path.join(folder, name) for name in names for folder in folders):
        if os.path.exists(path) and os.path.samefile(path, own):
            return path
    return own
