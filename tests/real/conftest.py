"""Our hooks in the real Claude Code: every test here has them installed in its home."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from coordhooks.store import CoordStore


@pytest.fixture(autouse=True)
def hooked(installed: Path) -> Path:
    return installed


@pytest.fixture
def store(home: Path) -> Iterator[CoordStore]:
    """The store that the hooks of this home use."""
    store = CoordStore(home / ".local/state/coordhooks/coord.sqlite3")
    yield store
    store.close()


@pytest.fixture(autouse=True)
def nothing_went_wrong(home: Path) -> Iterator[None]:
    """No hook may have failed, unless its test is about that."""
    yield
    problems = home / ".local/state/coordhooks/problems.jsonl"
    assert not problems.exists(), problems.read_text()
