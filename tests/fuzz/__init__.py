"""Anything at all, into everything that reads. A sample in ``make test``, the same for hours in ``make fuzz``."""

from harness import torture
from hypothesis import HealthCheck, settings


def examples(sample: int) -> settings:
    """``sample`` examples, the same in every run; two hundred times as many, and new ones, in the long run."""
    return settings(
        max_examples=torture.count(sample, sample * 200),
        derandomize=not torture.full(),
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
