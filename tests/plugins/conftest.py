"""A clone in a folder with an odd name, and somebody who holds ``src/a.py``."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness.claude import environment as claude_environment
from harness.codex import Codex
from harness.codex import environment as codex_environment
from harness.process import clean_environment
from harness.scripted_codex import ScriptedCodex
from harness.scripted_model import ScriptedModel

from coordhooks.install.places import Places
from coordhooks.store import CoordStore

CHECKOUT = Path(__file__).parents[2]
PARTS = ("coordhooks", "hooks", "schemas", "skills", "commands", "bin", ".claude-plugin", ".codex-plugin",
         ".agents", "install.sh", "pyproject.toml", "README.md", "LICENSE")  # fmt: skip
ID = "coordhooks@coordhooks"

Run = Callable[..., str]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What git would bring, without the compiled modules of the checkout."""
    folder = tmp_path / 'it\'s a "clone" of $HOME' / "coordhooks"
    folder.mkdir(parents=True)
    for part in PARTS:
        source = CHECKOUT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / part)
    return folder


@pytest.fixture
def places(home: Path, repo: Path) -> Places:
    return Places.here(clean_environment(home), str(repo))


@pytest.fixture
def store(home: Path) -> Iterator[CoordStore]:
    store = CoordStore(home / ".local/state/coordhooks/coord.sqlite3")
    yield store
    store.close()


@pytest.fixture
def held(store: CoordStore, repo: Path) -> Path:
    """A file that another agent holds."""
    other = store.register_instance("the-other", cwd=str(repo), ttl_seconds=3600)
    store.claim(other, ["src/a.py"], tree=str(repo), ttl_seconds=3600)
    return repo / "src/a.py"


@pytest.fixture
def in_claude(claude_binary: Path, home: Path, script: Callable[..., ScriptedModel]) -> Run:
    """``in_claude("install", ID)``: a command of ``claude plugin``, off the network; what it prints."""
    env = claude_environment(home, script())
    return lambda *words: _run(str(claude_binary), *words, env=env, cwd=home)


@pytest.fixture
def in_codex(codex: Codex, codex_script: Callable[..., ScriptedCodex]) -> Run:
    codex.folder.mkdir()
    env = codex_environment(codex.home, codex_script())
    return lambda *words: _run(str(codex.binary), *words, env=env, cwd=codex.home)


def _run(binary: str, *words: str, env: dict[str, str], cwd: Path) -> str:
    done = subprocess.run(
        [binary, "plugin", *words], env=env, cwd=cwd, check=False, capture_output=True, text=True,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
