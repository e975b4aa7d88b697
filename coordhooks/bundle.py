"""The hooks' modules out of one file, which an installer has made: most of a start is looking for files.

The bundle begins with this module's own code, which ``hooks/boot.py`` runs with ``bundle``, the open file, and ``root``,
the folder that holds the package. Then come an index, ``{name: (offset, length, folder, checksum)}`` where ``folder`` is
empty but for a package, and the code of each module; the first two with their length before them in 4 bytes. A module
that is not in the bundle, or is damaged there, is looked for as usual.
"""

import sys
from _imp import source_hash  # the checksum of the import system's own, the only one that costs no import
from marshal import loads
from posix import pread  # only the few modules that a hook needs are read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import BinaryIO


class Finder:
    """A finder and loader of the import system."""

    def __init__(self, file: "BinaryIO", root: str) -> None:
        self.root = root
        length = int.from_bytes(file.read(4), "big")
        self.index: dict[str, tuple[int, int, str, bytes]] = loads(file.read(length))
        self.found: dict[str, bytes] = {}
        self.file = file
        self.start = file.tell()
        self.spec = type(sys.__spec__)

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> "ModuleSpec | None":
        entry = self.index.get(name)
        if entry is None:
            return None
        offset, length, folder, checksum = entry
        self.found[name] = code = pread(self.file.fileno(), length, self.start + offset)
        if source_hash(0, code) != checksum:
            return None
        spec: ModuleSpec = self.spec(name, self, is_package=bool(folder))  # type: ignore[arg-type]
        if folder:
            spec.submodule_search_locations = [f"{self.root}/{folder}"]
        return spec

    def create_module(self, _spec: "ModuleSpec") -> None:
        """As usual."""

    def exec_module(self, module: "ModuleType") -> None:
        name = module.__name__
        folder = self.index[name][2]
        module.__file__ = (
            f"{self.root}/{folder}/__init__.py" if folder else f"{self.root}/{name.replace('.', '/')}.py"
        )
        exec(loads(self.found.pop(name)), module.__dict__)


if "bundle" in globals():
    sys.meta_path.insert(0, Finder(globals()["bundle"], globals()["root"]))
