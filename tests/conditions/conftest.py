"""The world of the hooks' tests, and a tally of what was injected."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hooks.conftest import _compiled  # noqa: F401 - a fixture of the session
from hooks.world import World

Tally = Callable[..., None]


@pytest.fixture
def world(home: Path, repo: Path) -> Iterator[World]:
    made = World(home, repo)
    yield made
    made.close()


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Tally:
    """``tally("a claim, killed", 12)``: what was done to it, how often, and that it survived."""

    def note(condition: str, injections: int) -> None:
        request.node.user_properties += [("condition", condition), ("injections", injections)]

    return note
