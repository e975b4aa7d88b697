"""A world for each test, and pyc files for the hooks, which write none themselves."""

import compileall
from collections.abc import Iterator
from pathlib import Path

import pytest

from hooks.world import CHECKOUT, World


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    compileall.compile_dir(CHECKOUT / "coordhooks", quiet=1)


@pytest.fixture
def world(home: Path, repo: Path) -> Iterator[World]:
    made = World(home, repo)
    yield made
    made.close()
