"""The program itself: interpreter, versions, the packages it needs, and whether `coord` is this one."""

import base64
import hashlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import metadata

from coordhooks import __version__, resources
from coordhooks.cli.checks.finding import Finding, fault, good, note
from coordhooks.cli.session import Session
from coordhooks.install import bundle, wrapper
from coordhooks.install.places import Places

CHECK = "program"
AGAIN = "run `./install.sh` of coordhooks again"

# Without these the command and the hooks' cold paths do less than they say: module, and its package.
PACKAGES = {
    "click": "click", "filelock": "filelock", "jsonschema": "jsonschema", "rich": "rich",
    "tree_sitter": "tree-sitter", "tree_sitter_bash": "tree-sitter-bash",
}  # fmt: skip


def check(session: Session) -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield good(CHECK, f"coordhooks {__version__} on Python {version}", file=sys.executable)
    found = {package: importlib.util.find_spec(module) for module, package in PACKAGES.items()}
    if missing := [package for package, spec in found.items() if spec is None]:
        yield fault(CHECK, f"packages are missing: {', '.join(missing)}", file=sys.prefix, remedy=AGAIN)
    else:
        yield good(CHECK, ", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES.values()))
    yield from _whole()
    yield from _command(Places.here(dict(session.environ), session.cwd))


def _whole() -> Iterator[Finding]:
    """Is every file of the package as it was installed, and the one out of which hooks load their modules?"""
    changed = sorted(
        str(file) for file in metadata.distribution("coordhooks").files or () if not _as_installed(file)
    )
    if changed:
        says = f"not as it was installed: {changed[0]}" + (
            f" and {len(changed) - 1} more" if changed[1:] else ""
        )
        yield fault(CHECK, says, remedy=AGAIN)
    site = os.path.dirname(resources.PACKAGE)
    if bundle.sound(site) is False:
        yield fault(
            CHECK, "the hooks' modules in one file are damaged", file=bundle.place(site), remedy=AGAIN
        )


def _as_installed(file: metadata.PackagePath) -> bool:
    """By the list that pip keeps; what it has no checksum for was made later."""
    if file.hash is None or not str(file).startswith("coordhooks/"):
        return True
    try:
        digest = hashlib.new(file.hash.mode, file.read_binary()).digest()
    except OSError:
        return False
    return base64.urlsafe_b64encode(digest).decode().rstrip("=") == file.hash.value


def _command(places: Places) -> Iterator[Finding]:
    """Agents run plain `coord`: it has to be found, and to be ours."""
    if not os.path.lexists(places.coord):
        return
    data = wrapper.data(places)  # its own, which need not be the one that XDG_DATA_HOME names now
    python = replace(places, data=data).python
    if data and not os.path.exists(python):
        says = f"`coord` starts an interpreter that is gone: {python}"
        yield fault(CHECK, says, file=places.coord, remedy=AGAIN)
    for text in wrapper.path_note(places, places.search_path):
        yield note(CHECK, text.removeprefix("note: "), file=places.coord)
