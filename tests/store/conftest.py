"""A store in a folder of its own, with a clock to turn by hand."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from store.support import Clock, Sleeper

from coordhooks.store.coordstore import CoordStore


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def db_path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "coord.db"


@pytest.fixture
def store(db_path: Path, clock: Clock) -> Iterator[CoordStore]:
    opened = CoordStore(db_path, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def agent(store: CoordStore) -> Callable[..., str]:
    """Register an agent by the name of its conversation."""

    def register(name: str = "A", **options: object) -> str:
        return store.register_instance(f"conv-{name}", **options)

    return register


@pytest.fixture
def sleeper() -> Iterator[Callable[[], Sleeper]]:
    """Start real processes, which do not outlive the test."""
    started: list[Sleeper] = []

    def start() -> Sleeper:
        started.append(Sleeper())
        return started[-1]

    yield start
    for one in started:
        one.kill()
