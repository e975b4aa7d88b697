"""What every test can ask for. The first thing that happens is that the real home goes out of reach."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from harness import hooks, safe_home, scratch_disk, torture
from harness.claude import Claude
from harness.codex import Codex
from harness.fetch import CLAUDE_CODE, CODEX, PROGRAMS
from harness.git import git, make_repository
from harness.process import clean_environment
from harness.scripted_codex import ScriptedCodex
from harness.scripted_model import ScriptedModel
from harness.turn import Scripted
from hypothesis import HealthCheck, settings

scratch_disk.choose()
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
        if {"claude_binary", "codex_binary"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.real)
        if item.get_closest_marker("torture") and not torture.full():
            item.add_marker(pytest.mark.skip(reason="full counts: run `make torture`"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    for program in PROGRAMS:
        if number := sum(program.missing in str(report.longrepr) for report in skipped):
            terminalreporter.write_line(f"{number} tests did NOT run: {program.missing}", yellow=True)


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


@pytest.fixture
def script() -> Iterator[Callable[..., ScriptedModel]]:
    """``script(turn, ...)``: a model that answers with these turns. Problems in a script fail the test."""
    models: list[ScriptedModel] = []

    def start(*turns: Scripted) -> ScriptedModel:
        models.append(ScriptedModel(*turns).start())
        return models[-1]

    yield start
    _close(models)


def _close(models: Sequence[ScriptedModel]) -> None:
    problems = [problem for model in models for problem in model.problems]
    for model in models:
        model.close()
    assert not problems, problems


@pytest.fixture
def codex_script() -> Iterator[Callable[..., ScriptedCodex]]:
    """The same for Codex."""
    models: list[ScriptedCodex] = []

    def start(*turns: Scripted) -> ScriptedCodex:
        model = ScriptedCodex(*turns)
        model.start()
        models.append(model)
        return model

    yield start
    _close(models)


@pytest.fixture(scope="session")
def claude_binary() -> Path:
    """The real Claude Code."""
    if not CLAUDE_CODE.fetched:
        pytest.skip(CLAUDE_CODE.missing)
    return CLAUDE_CODE.path


@pytest.fixture
def claude(claude_binary: Path, home: Path, script: object) -> Iterator[Claude]:
    """Starts the real Claude Code with ``home``; what it starts ends with the test, before its models do."""
    claude = Claude(claude_binary, home)
    yield claude
    claude.close()


@pytest.fixture(scope="session")
def codex_binary() -> Path:
    """The real Codex."""
    if not CODEX.fetched:
        pytest.skip(CODEX.missing)
    return CODEX.path


@pytest.fixture
def codex(codex_binary: Path, home: Path, codex_script: object) -> Iterator[Codex]:
    """Starts the real Codex with ``home``; what it starts ends with the test, before its models do."""
    codex = Codex(codex_binary, home)
    yield codex
    codex.close()


@pytest.fixture
def installed(home: Path) -> Path:
    """``home``, with our hooks in the user's settings of Claude Code, and ``coord`` on the PATH."""
    hooks.install(home)
    return home


@pytest.fixture
def coord(installed: Path, repo: Path) -> Callable[..., str]:
    """``coord("status", "--json")`` as a person in ``repo``, or in ``cwd=``: what it prints. It must succeed."""

    def run(*arguments: str, cwd: Path = repo) -> str:
        command = [str(installed / ".local/bin/coord"), *arguments]
        environment = clean_environment(installed)
        done = subprocess.run(command, cwd=cwd, env=environment, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    return run
