"""The private virtual environments in the data folder, and the link to the one in use."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator

from coordhooks import __version__
from coordhooks.errors import InstallError
from coordhooks.install import pip
from coordhooks.install.places import Places
from coordhooks.locations import make_folder

Say = Callable[[str], None]

NEEDED = 60  # MB for one environment, and for what pip unpacks on the way
_COMPLETE = ".complete"  # written last: a folder without it is half built
# What the package is built from, see pyproject.toml.
_SOURCES = ("pyproject.toml", "README.md", "LICENSE", "coordhooks", "hooks", "schemas", "skills")


def version_name(checkout: str, python: str) -> str:
    """The name of the environment for this source and interpreter: another content, another folder."""
    digest = hashlib.sha256(f"{python} {sys.version}".encode(errors="surrogateescape"))
    for path in _files(checkout):
        digest.update(os.fsencode(os.path.relpath(path, checkout)) + b"\0")
        with open(path, "rb") as file:
            digest.update(hashlib.sha256(file.read()).digest())
    return f"{__version__}-{digest.hexdigest()[:12]}"


def build(checkout: str, python: str, places: Places, say: Say) -> str:
    """Make the environment for ``checkout`` unless it is there; its name.

    Raises InstallError; nothing is left then.
    """
    name = version_name(checkout, python)
    folder = os.path.join(places.versions, name)
    if os.path.exists(os.path.join(folder, _COMPLETE)) and _is_whole(checkout, folder):
        return name
    shutil.rmtree(folder, ignore_errors=True)
    make_folder(places.versions)
    try:
        say(f"creating a private environment with {python} ...")
        pip.make_environment(python, folder)
        say("installing coordhooks and its packages from the package index ...")
        pip.install(python, checkout, folder)
        _finish(checkout, folder)
    except BaseException as error:
        full = _full(places.versions, tempfile.gettempdir())  # looked at before what is there makes room
        shutil.rmtree(folder, ignore_errors=True)
        if full and isinstance(error, InstallError | OSError):
            raise InstallError(f"{error}\n{full}") from error
        raise
    return name


def _full(*folders: str) -> str:
    """Where there is no room for an environment; empty if there is. What pip says of it is seldom its last word."""
    for folder in folders:
        free = shutil.disk_usage(folder).free >> 20
        if free < NEEDED:
            return f"Only {free} MB are free in {folder}, about {NEEDED} MB are needed: make room, then try again."
    return ""


def activate(places: Places, name: str) -> list[str]:
    """Make ``name`` the version in use, and drop all others but the one before; says what was done."""
    before = os.path.basename(os.readlink(places.current)) if os.path.islink(places.current) else None
    if before == name:
        return []
    new = f"{places.current}.new"
    if os.path.lexists(new):  # an installer was killed
        os.unlink(new)
    os.symlink(os.path.join("versions", name), new)  # relative: the data folder may move
    os.replace(new, places.current)
    for old in set(os.listdir(places.versions)) - {name, before}:
        shutil.rmtree(os.path.join(places.versions, old), ignore_errors=True)
    return [f"installed version {name} in {places.versions}" + (f" (kept {before})" if before else "")]


def remove(places: Places, *, dry_run: bool) -> list[str]:
    """Remove all versions; says what was done."""
    if not os.path.lexists(places.current) and not os.path.isdir(places.versions):
        return []
    if dry_run:
        return [f"would remove {places.versions}"]
    if os.path.lexists(places.current):
        os.unlink(places.current)
    shutil.rmtree(places.versions, ignore_errors=True)
    return [f"removed {places.versions}"]


def _files(checkout: str) -> Iterator[str]:
    for source in _SOURCES:
        path = os.path.join(checkout, source)
        if os.path.isfile(path):
            yield path
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            yield from (os.path.join(folder, name) for name in sorted(names) if not name.endswith(".pyc"))


# Where the package lies, and the standard library; fails where the environment can't run us.
_WHERE = (
    "import coordhooks.install.__main__, encodings, os, coordhooks;"
    " print(os.path.dirname(coordhooks.__path__[0]), os.path.dirname(encodings.__path__[0]), sep='\\0', end='')"
)

_BUNDLE = "import runpy; runpy.run_module('coordhooks.install.bundle', run_name='__main__')"


def _ask(folder: str, code: str) -> "subprocess.CompletedProcess[str]":
    python = os.path.join(folder, "bin", "python3")
    try:
        return subprocess.run(
            [python, "-I", "-c", code], capture_output=True, text=True, check=False, cwd="/"
        )
    except OSError as error:  # the interpreter that it was made of is gone
        return subprocess.CompletedProcess([python], 127, "", str(error))


def _is_whole(checkout: str, folder: str) -> bool:
    """Does the environment run, with this very content? Its bundle is repaired if need be."""
    return (
        not _ask(folder, _WHERE).returncode
        and not _differing(checkout, os.path.join(folder, "site"))
        and not _ask(folder, _BUNDLE).returncode
    )


def _differing(checkout: str, site: str) -> str:
    """The first file of the package that is not in ``site`` as it is in ``checkout``; empty if all are."""
    for path in _files(checkout):
        name = os.path.relpath(path, checkout)
        if name.startswith(f"coordhooks{os.sep}"):
            try:
                with open(path, "rb") as ours, open(os.path.join(site, name), "rb") as theirs:
                    if ours.read() != theirs.read():
                        return name
            except FileNotFoundError:
                return name
    return ""


def _finish(checkout: str, folder: str) -> None:
    """Give names to what hooks need that hold neither the Python version nor its place.

    ``site`` is where the package lies; ``stdlib`` shows hooks/launch.sh whether the interpreter can start at all.
    """
    answer = _ask(folder, _WHERE)
    if answer.returncode:
        raise InstallError(f"the new environment does not work:\n{answer.stderr}")
    site, stdlib = answer.stdout.split("\0")
    os.symlink(os.path.relpath(site, folder), os.path.join(folder, "site"))
    os.symlink(stdlib, os.path.join(folder, "stdlib"))
    if different := _differing(checkout, os.path.join(folder, "site")):
        raise InstallError(f"pip has installed another {different} than that of {checkout}")
    answer = _ask(folder, _BUNDLE)
    if answer.returncode:
        raise InstallError(f"the hooks' modules could not be put into one file:\n{answer.stderr}")
    with open(os.path.join(folder, _COMPLETE), "w", encoding="utf-8"):
        pass
