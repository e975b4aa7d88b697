"""The skill in the user's folder: written, kept up to date, taken away; other people's are left alone."""

import hashlib
from pathlib import Path

import pytest

from coordhooks.install import install, uninstall
from coordhooks.install.places import Places


def skill(places: Places) -> Path:
    return Path(places.claude_config, "skills", "coord", "SKILL.md")


def test_it_is_written_once_and_taken_away(settings: Path, places: Places) -> None:
    assert f"wrote the skill {skill(places)}" in install("user").changes
    text = skill(places).read_text()
    assert text.startswith("---\nname: coord\n")
    assert len(text.split()) < 170
    assert not [change for change in install("user").changes if "skill" in change]
    uninstall()
    assert not skill(places).parent.parent.exists()


@pytest.mark.parametrize("signed", [True, False], ids=["with a digest", "as the first versions wrote it"])
def test_an_old_one_is_replaced(settings: Path, places: Places, signed: bool) -> None:
    install("user")
    text = skill(places).read_text()
    old = "old words\n\n"
    digest = f" ({hashlib.sha256(old.encode()).hexdigest()[:16]})" if signed else ""
    skill(places).write_text(f"{old}<!-- coordhooks: install.sh keeps this file up to date{digest} -->\n")
    install("user")
    assert skill(places).read_text() == text


@pytest.mark.parametrize("edited", ["my own note\n{}", "{}my own note\n"])
def test_one_that_its_user_has_edited_stays(settings: Path, places: Places, edited: str) -> None:
    install("user")
    text = edited.format(skill(places).read_text())
    skill(places).write_text(text)
    assert any("was edited" in change for change in install("user").changes)
    assert any("was edited" in change for change in uninstall().changes)
    assert skill(places).read_text() == text


def test_somebody_elses_is_left_alone(settings: Path, places: Places) -> None:
    skill(places).parent.mkdir(parents=True)
    skill(places).write_text("mine\n")
    (skill(places).parent.parent / "other").mkdir()
    assert any("not ours" in change for change in install("user").changes)
    uninstall()
    assert skill(places).read_text() == "mine\n"


def test_a_dry_run_and_a_project_write_none(settings: Path, places: Places) -> None:
    assert f"would write the skill {skill(places)}" in install("user", dry_run=True).changes
    install("project")
    assert not skill(places).exists()
