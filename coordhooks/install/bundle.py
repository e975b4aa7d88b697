"""Makes the one file out of which the hooks of an installed environment load their modules; see ``coordhooks.bundle``.

It belongs to one interpreter and one content, as the environment's folder does, so it can't be stale. Where there is none,
or another Python runs, the modules are imported as usual.
"""

import marshal
import os
import sys
from _imp import source_hash
from collections.abc import Iterator

LEFT_OUT = ("cli", "install", "ledger", "__pycache__")  # rooms that no hook on a fast path enters


def write(site: str) -> str:
    """Make the bundle for the package in ``site`` and the running interpreter, or repair it; its path.

    Raises ``OSError``.
    """
    path = place(site)
    if sound(site) is not True:
        with open(f"{path}.new", "wb") as file:
            file.write(_made(site))
        os.replace(f"{path}.new", path)
    return path


def sound(site: str) -> bool | None:
    """Does the bundle in ``site`` hold every module as it was put in? ``None`` if there is none."""
    try:
        with open(place(site), "rb") as file:
            file.read(int.from_bytes(file.read(4), "big"))
            index = marshal.loads(file.read(int.from_bytes(file.read(4), "big")))
            code = file.read()
        parts = {
            name: (code[start : start + length], kept) for name, (start, length, _, kept) in index.items()
        }
    except FileNotFoundError:
        return None
    except (EOFError, ValueError, TypeError, AttributeError):
        return False
    whole = all(source_hash(0, part) == kept for part, kept in parts.values())
    return whole and set(parts) == {name for name, _ in _modules(site)}


def place(site: str) -> str:
    return os.path.join(site, "coordhooks", f"bundle-{sys.implementation.cache_tag}.bin")


def _made(site: str) -> bytes:
    index: dict[str, tuple[int, int, str, bytes]] = {}
    code = b""
    for name, path in _modules(site):
        folder = os.path.relpath(os.path.dirname(path), site) if path.endswith("__init__.py") else ""
        compiled = _compiled(path)
        index[name] = (len(code), len(compiled), folder, source_hash(0, compiled))
        code += compiled
    heads = (_compiled(os.path.join(site, "coordhooks", "bundle.py")), marshal.dumps(index))
    return b"".join(len(head).to_bytes(4, "big") + head for head in heads) + code


def _modules(site: str) -> Iterator[tuple[str, str]]:
    for folder, folders, files in os.walk(os.path.join(site, "coordhooks")):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT and not name.startswith("_"))
        for path in (os.path.join(folder, name) for name in sorted(files) if name.endswith(".py")):
            dotted = os.path.relpath(path, site).removesuffix(".py").replace(os.sep, ".")
            yield dotted.removesuffix(".__init__"), path


def _compiled(path: str) -> bytes:
    """A module's code, without the texts that only its readers need."""
    with open(path, "rb") as file:
        return marshal.dumps(compile(file.read(), path, "exec", dont_inherit=True, optimize=2))


if __name__ == "__main__":
    print(write(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))
