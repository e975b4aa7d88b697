"""A home folder of its own for every test here, with a stand-in for the installed program."""

import os
from pathlib import Path

import pytest

from coordhooks.install import safefile
from coordhooks.install.places import Places
from install.program import program


@pytest.fixture
def home_name() -> str:
    """Override to run in a home with another name."""
    return "home"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, home_name: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / home_name
    project = folder / "project"
    project.mkdir(parents=True)
    for name in [*os.environ]:
        if name.startswith(("XDG_", "CLAUDE", "CODEX", "COORD_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.chdir(project)
    monkeypatch.setattr(safefile, "SETTLE_SECONDS", 0)  # nobody else writes, except in test_race
    return folder


@pytest.fixture
def places(home: Path) -> Places:
    """Places in the home of the test, where a program seems to be installed."""
    places = Places.here()
    assert all(
        p.startswith(str(home)) for p in (places.data, places.state, places.config, places.claude_config)
    )
    program(places)
    return places


@pytest.fixture
def settings(places: Places) -> Path:
    """The user's settings file; its folder exists, it does not."""
    folder = Path(places.claude_config)
    folder.mkdir()
    return folder / "settings.json"
