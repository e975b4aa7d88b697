"""What every test can ask for. The first thing that happens is that the real home goes out of reach."""

import os
import shutil
from pathlib import Path

import pytest
from harness import safe_home, torture
from harness.git import git, make_repository
from hypothesis import HealthCheck, settings

SAFE_HOME = safe_home.enter()

settings.register_profile(
    "coordhooks",
    deadline=None,  # the machine may be busy with other agents
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("coordhooks")


def pytest_unconfigure() -> None:
    shutil.rmtree(SAFE_HOME, ignore_errors=True)


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "claude_binary" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.real)
        if item.get_closest_marker("torture") and not torture.full():
            item.add_marker(pytest.mark.skip(reason="full counts: run `make torture`"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home folder, for programs that the test starts."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A git repository with src/a.py, src/b.py, lib/a.py and notes.txt, each the line ``1``, committed."""
    return make_repository(tmp_path / "repo")


@pytest.fixture
def worktree(repo: Path) -> Path:
    """A linked worktree of ``repo`` on a branch of its own."""
    folder = repo.parent / "worktree"
    git(repo, "worktree", "add", "--quiet", "-b", "other", str(folder))
    return folder
