from collections.abc import Iterator
from pathlib import Path

import pytest
from ledger.made import Clock

from coordhooks.ledger import Ledger


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "ledger"


@pytest.fixture
def ledger(folder: Path, clock: Clock) -> Iterator[Ledger]:
    with Ledger(folder, clock=clock) as opened:
        yield opened
