"""How long a written file is held: a turn, one call, or not at all."""

from pathlib import Path

import pytest

from coordhooks.model import Target
from coordhooks.paths import OUTSIDE, locate
from coordhooks.targets.sharing import AUTOMATIC, CALL, NONE, extra_patterns, kind_of


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("src/a.py", AUTOMATIC), ("CHANGELOG", CALL), ("CHANGELOG.md", CALL), ("docs/CHANGELOG.rst", CALL),
        ("TODO", CALL), ("TODO.txt", CALL), ("package.json", CALL), ("web/package.json", CALL), ("package-lock.json", CALL),
        ("uv.lock", CALL), ("yarn.lock", CALL), ("pnpm-lock.yaml", CALL), ("go.sum", CALL), ("go.mod", CALL), ("Cargo.lock", CALL),
        ("Cargo.toml", CALL), ("pyproject.toml", CALL), ("poetry.lock", CALL), ("CLAUDE.md", CALL), ("AGENTS.md", CALL),
        ("MEMORY.md", CALL), ("src/__snapshots__/a.snap", CALL), ("src/my__snapshots__.py", AUTOMATIC),
        ("MYCHANGELOG.md", AUTOMATIC), ("src/package.json.ts", AUTOMATIC), (".git/config", NONE), (".git/hooks/x", NONE),
        (".jj/x", NONE), (".github/x.yml", AUTOMATIC), (".claude/settings.json", AUTOMATIC),
    ],
)  # fmt: skip
def test_by_name(repo: Path, name: str, kind: str) -> None:
    assert kind_of(locate(name, str(repo)), []) == kind


def outside(path: str) -> Target:
    return Target(path, OUTSIDE, "", path, key=path, rel=path)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/tmp/x", NONE), ("/var/tmp/deep/x", NONE), ("/dev/shm/x", NONE), ("/private/var/folders/a/x", NONE),
        ("/home/u/.claude/settings.json", NONE), ("/home/u/.codex/config.toml", NONE),
        ("/home/u/notes.txt", AUTOMATIC), ("/tmpfile", AUTOMATIC), ("/home/u/.claudette/x", AUTOMATIC),
        ("/home/u/package.json", CALL),
    ],
)  # fmt: skip
def test_outside_repositories(path: str, kind: str) -> None:
    assert kind_of(outside(path), []) == kind


def test_a_repository_in_a_temporary_folder_is_a_repository(repo: Path) -> None:
    assert kind_of(locate("src/a.py", str(repo)), []) == AUTOMATIC


@pytest.mark.parametrize(
    ("setting", "name", "kind"),
    [
        ("*.po", "locale/de.po", CALL), ("locale/*", "locale/de.po", CALL), ("locale/*", "src/a.py", AUTOMATIC),
        ("*.po\n*.pot", "x.pot", CALL), ("", "x.pot", AUTOMATIC), ("*.PO", "x.po", AUTOMATIC),
    ],
)  # fmt: skip
def test_the_settings_add_patterns(repo: Path, setting: str, name: str, kind: str) -> None:
    assert kind_of(locate(name, str(repo)), extra_patterns(setting)) == kind


def test_names_are_never_patterns(repo: Path) -> None:
    assert kind_of(locate("[abc].py", str(repo)), ["a.py"]) == AUTOMATIC
    assert kind_of(locate("*", str(repo)), ["a.py"]) == AUTOMATIC
