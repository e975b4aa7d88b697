"""The ``coord`` command in ~/.local/bin."""

import os
import re
import shlex
import shutil

from coordhooks.errors import InstallError
from coordhooks.install.places import Places
from coordhooks.locations import make_folder

_MARK = "# Written by coordhooks' install.sh, removed by install.sh --uninstall."
_RUN = """import sys
sys.argv[0] = "coord"
try:
    from coordhooks.cli import main
except ImportError as error:
    sys.exit(f"coord: a part of it is missing ({error}); run install.sh of coordhooks again")
sys.exit(main())"""

# For another interpreter, which does not know the environment. What was compiled for the lost one may not load in it.
_FALL_BACK = "import sys; sys.path.insert(0, sys.argv.pop(1))\n" + _RUN


def _text(places: Places) -> str:
    """A script rather than a link to the environment's own: its first line can't hold every path."""
    python = shlex.quote(places.python)
    site = shlex.quote(places.root)
    return f"""#!/bin/sh
{_MARK}
p={python}
[ -x "$p" ] && exec "$p" -I -c {shlex.quote(_RUN)} "$@"
r={site}
[ -d "$r/coordhooks" ] || {{ echo "coord: its program in $r is gone; run install.sh of coordhooks again" >&2; exit 127; }}
echo "coord: no interpreter at $p: run install.sh of coordhooks again. Until then any other Python is tried." >&2
for p in python3 /usr/local/bin/python3 /usr/bin/python3 python3.14 python3.13 python3.12 python3.11; do
    "$p" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
    exec "$p" -I -c {shlex.quote(_FALL_BACK)} "$r" "$@"
done
echo "coord: there is no Python 3.11 or newer; install one, then run install.sh of coordhooks again" >&2
exit 127
"""


def data(places: Places) -> str:
    """The data folder of the installation whose command is there; empty if it is not ours."""
    if not _is_ours(places.coord):
        return ""
    found = re.search(r"(?ms)^p=(.*?)^\[", _read(places.coord))
    try:
        [python] = shlex.split(found[1]) if found else [""]
    except ValueError:  # somebody has edited it
        return ""
    end = os.path.join(os.sep, "current", "bin", "python3")
    return python.removesuffix(end) if python.endswith(end) else ""


def check(places: Places) -> None:
    """Raise InstallError if another program has the name ``coord`` there."""
    if os.path.lexists(places.coord) and not _is_ours(places.coord):
        raise InstallError(
            f"{places.coord} is another program's, so it was left alone: move it away, then try again"
        )


def write(places: Places) -> list[str]:
    """Put the command there; says what was done. Raises InstallError as ``check`` does."""
    check(places)
    text = _text(places)
    if os.path.exists(places.coord) and _read(places.coord) == text:
        return []
    folder = os.path.dirname(places.coord)
    make_folder(folder)
    new = os.path.join(folder, ".coord.coordhooks-new")
    with open(new, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    os.chmod(new, 0o755)
    os.replace(new, places.coord)
    return [f"wrote the command {places.coord}"]


def path_note(places: Places, search_path: str) -> list[str]:
    """What to say when the shell won't find the command, or finds another one first."""
    folder = os.path.dirname(places.coord)
    if folder in search_path.split(os.pathsep):
        first = shutil.which("coord", path=search_path)
        shadowed = first and not os.path.samefile(first, places.coord)
        return [f"note: {first} comes before {places.coord} on your PATH"] if shadowed else []
    return [
        f'{folder} is not on your PATH; add to your shell\'s profile: export PATH="$HOME/.local/bin:$PATH"'
    ]


def remove(places: Places, *, dry_run: bool) -> list[str]:
    """Remove the command if it is ours; says what was done."""
    if not os.path.lexists(places.coord) or not _is_ours(places.coord):
        return []
    if dry_run:
        return [f"would remove {places.coord}"]
    os.unlink(places.coord)
    return [f"removed {places.coord}"]


def _is_ours(path: str) -> bool:
    return os.path.isfile(path) and _MARK in _read(path)


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read(4096)
