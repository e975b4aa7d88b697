"""Where the files are that are not Python: beside the package in a checkout, inside it when installed."""

import os

PACKAGE = os.path.dirname(os.path.abspath(__file__))


def schema_path(name: str) -> str:
    """The file of a schema named as ``codex/input/Stop``; raises ``FileNotFoundError``."""
    path = os.path.join(_folder("schemas"), *name.split("/")) + ".json"
    if not os.path.isfile(path):
        raise FileNotFoundError(f"no schema {name}: {path}")
    return path


def hooks_dir() -> str:
    """The folder of what harnesses start; raises ``FileNotFoundError``."""
    return _folder("hooks")


def skill_path(name: str) -> str:
    """The file of one of our skills; raises ``FileNotFoundError``."""
    return os.path.join(_folder("skills"), name, "SKILL.md")


def _folder(name: str) -> str:
    # Inside first: once installed, what lies beside the package belongs to somebody else.
    for path in (os.path.join(PACKAGE, f"_{name}"), os.path.join(os.path.dirname(PACKAGE), name)):
        if os.path.isdir(path):
            return path
    raise FileNotFoundError(f"coordhooks is not whole: its folder {name} is missing; install it again")
