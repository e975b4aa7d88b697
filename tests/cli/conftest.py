"""A machine for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.support import Agent, Machine


@pytest.fixture
def machine(home: Path, repo: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    monkeypatch.setenv("HOME", str(home))
    for name in (
        "XDG_STATE_HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "CLAUDE_CONFIG_DIR",
        "COORD_RUNTIME",
        "COORD_OFF",
    ):
        monkeypatch.delenv(name, raising=False)
    made = Machine(home, repo, monkeypatch)
    yield made
    made.close()


@pytest.fixture
def alice(machine: Machine) -> Agent:
    return machine.agent("sess-A")


@pytest.fixture
def bob(machine: Machine) -> Agent:
    return machine.agent("sess-B")
