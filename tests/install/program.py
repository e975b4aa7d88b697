"""A stand-in for the installed program: its hook says how it was called."""

import os
import shutil
import sys
from pathlib import Path

from coordhooks.install.places import Places

CHECKOUT = Path(__file__).parents[2]
HOOK_STUB = """
import sys
def main():
    sys.stdout.write(repr((sys.argv[1:], sys.stdin.buffer.read(), sys.path, sys.flags.isolated)))
"""


def program(places: Places) -> None:
    """Put a stand-in for the installed program there, or repair it."""
    if os.path.lexists(places.current):
        os.unlink(places.current)
    shutil.rmtree(places.versions, ignore_errors=True)
    version = Path(places.versions, "1-test")
    (version / "bin").mkdir(parents=True)
    (version / "bin" / "python3").symlink_to(sys.executable)
    (version / "site" / "coordhooks").mkdir(parents=True)
    (version / "site" / "coordhooks" / "__init__.py").touch()
    (version / "site" / "coordhooks" / "hook.py").write_text(HOOK_STUB)
    shutil.copytree(CHECKOUT / "hooks", version / "site" / "coordhooks" / "_hooks")
    Path(places.current).symlink_to("versions/1-test")
