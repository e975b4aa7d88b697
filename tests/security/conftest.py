"""The machine on which the hooks of a test run."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hooks.world import World


@pytest.fixture
def world(home: Path, repo: Path) -> Iterator[World]:
    made = World(home, repo)
    yield made
    made.close()
