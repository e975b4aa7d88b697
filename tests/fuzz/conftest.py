"""One machine for all examples of a module."""

from collections.abc import Iterator

import pytest
from harness.git import make_repository

from fuzz.line import Line


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Line]:
    folder = tmp_path_factory.mktemp("fuzz")
    with pytest.MonkeyPatch.context() as patch:
        made = Line(folder, make_repository(folder / "repo"), patch)
        yield made
        made.close()
