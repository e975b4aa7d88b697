"""Anything at all, into everything that reads. A fixed sample in ``make test``, new examples by the clock in ``make fuzz``."""

import functools
import os
import time
from collections.abc import Callable

from harness import torture
from hypothesis import HealthCheck, settings

SECONDS = float(os.environ.get("COORDHOOKS_FUZZ_SECONDS", "10"))  # for each property, in the long run

Property = Callable[..., None]


def examples(sample: int) -> Callable[[Property], Property]:
    """``sample`` examples, the same in every run; in the long run as many new ones as ``SECONDS`` allow."""
    chosen = settings(
        max_examples=sample,
        derandomize=not torture.full(),
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    return lambda test: _time_boxed(chosen(test)) if torture.full() else chosen(test)


def _time_boxed(test: Property) -> Property:
    """Batches of the sample's size, each with examples of its own, until the time is up."""

    @functools.wraps(test)
    def batches(**given: object) -> None:
        end = time.monotonic() + SECONDS
        test(**given)
        while time.monotonic() < end:
            test(**given)

    return batches
