"""tree-sitter and its bash grammar, loaded without the Python around them.

Both packages import ``typing`` and ``importlib.resources`` for features that are not used here, which takes longer
than the compiled parts themselves. Where these are not found alone, the packages are imported as usual.
"""

import sys
from _frozen_importlib import ModuleSpec  # what importlib.machinery hands on, without its imports
from _frozen_importlib_external import ExtensionFileLoader, PathFinder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Re:
    compile = None


class _Enum:
    IntEnum = staticmethod(lambda _name, members: members)


# What the compiled part asks of these modules when it starts, for queries and a log that are not used here; importing
# them would take longer than everything else that it does.
STAND_INS: "dict[str, Any]" = {"re": _Re, "enum": _Enum}


def parser() -> "Any":
    """A parser of bash. Raises ``ImportError`` where a package is missing."""
    try:
        sitter, grammar = _compiled("tree_sitter"), _compiled("tree_sitter_bash")
    except (ImportError, AttributeError, OSError, TypeError):
        import tree_sitter as sitter
        import tree_sitter_bash as grammar
    return sitter.Parser(sitter.Language(grammar.language()))


def _compiled(package: str) -> "Any":
    name = f"{package}._binding"
    if name in sys.modules:
        return sys.modules[name]
    around = PathFinder.find_spec(package)
    spec = PathFinder.find_spec("_binding", around.submodule_search_locations) if around else None
    if spec is None or spec.origin is None:
        raise ImportError(f"no compiled part of {package}", name=package)
    loader = ExtensionFileLoader(name, spec.origin)
    absent = STAND_INS.keys() - sys.modules.keys()
    sys.modules.update((module, STAND_INS[module]) for module in absent)
    try:
        compiled = loader.create_module(ModuleSpec(name, loader, origin=spec.origin))
        loader.exec_module(compiled)
    finally:
        for module in absent:
            del sys.modules[module]
    return compiled
