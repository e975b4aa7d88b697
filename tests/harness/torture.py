"""How often the expensive tests repeat: a sample in `make test`, the full number in `make torture`."""

import os


def full() -> bool:
    """Is this a run with the full numbers?"""
    return bool(os.environ.get("COORDHOOKS_TORTURE"))


def count(sample: int, all_of_them: int) -> int:
    """``sample``, or ``all_of_them`` when COORDHOOKS_TORTURE is set."""
    return all_of_them if full() else sample
