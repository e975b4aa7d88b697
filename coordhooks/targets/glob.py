"""Matching a name against a shell pattern, case and all; ``re`` is loaded by the first pattern, since most calls have none."""


def matches(name: str, pattern: str) -> bool:
    """Does the whole ``name`` match? ``*`` matches ``/`` as well, as in a shell's ``case``."""
    if "*" not in pattern and "?" not in pattern and "[" not in pattern:
        return name == pattern
    from fnmatch import fnmatchcase

    return fnmatchcase(name, pattern)
