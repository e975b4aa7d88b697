"""One machine for all examples of a module; and how long a long run will take, said at its start."""

from collections.abc import Iterator
from typing import Any

import pytest
from harness import torture
from harness.git import make_repository

from fuzz import SECONDS
from fuzz.line import Line


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Line]:
    folder = tmp_path_factory.mktemp("fuzz")
    with pytest.MonkeyPatch.context() as patch:
        made = Line(folder, make_repository(folder / "repo"), patch)
        yield made
        made.close()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: list[str]) -> None:
    """Every worker counts the same tests; the first one's count is told."""
    properties = sum(name.startswith("tests/fuzz/") for name in ids)
    reporter = node.config.pluginmanager.get_plugin("terminalreporter")
    if not torture.full() or node.gateway.id != "gw0" or not reporter:
        return
    workers = len(node.config.option.tx)
    minutes = properties * SECONDS / workers / 60
    reporter.write_line(
        f"\n{properties} properties are fuzzed, {SECONDS:g} s each, {workers} at once: {minutes:.0f} minutes"
    )
