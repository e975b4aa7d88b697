"""Case g04: the file may be somebody's dotfiles repository behind links."""

import os
from pathlib import Path

import pytest

from coordhooks.errors import ConfigRefused
from coordhooks.install import install, uninstall
from coordhooks.install.places import Places

CONTENT = '{\n  "model": "opus"\n}\n'


def round_trip(link: Path, real: Path) -> None:
    install("user")
    assert link.is_symlink()
    assert not real.is_symlink()
    assert "SessionStart" in real.read_text()
    assert [n for n in os.listdir(real.parent) if n.endswith(".tmp")] == []
    uninstall()
    assert link.is_symlink()


def test_g04_link(settings: Path, home: Path, places: Places) -> None:
    real = home / "dotfiles" / "claude" / "settings.json"
    real.parent.mkdir(parents=True)
    real.write_text(CONTENT)
    real.chmod(0o640)
    settings.symlink_to(real)
    round_trip(settings, real)
    assert real.read_text() == CONTENT
    assert oct(real.stat().st_mode)[-3:] == "640"
    assert os.listdir(settings.parent) == ["settings.json"]


def test_g04_chain_of_relative_links(settings: Path, home: Path, places: Places) -> None:
    real = home / "real.json"
    real.write_text(CONTENT)
    (home / "middle.json").symlink_to("real.json")
    settings.symlink_to("../middle.json")
    round_trip(settings, real)
    assert (home / "middle.json").is_symlink()
    assert real.read_text() == CONTENT


def test_g04_linked_folder(home: Path, places: Places) -> None:
    (home / "dotfiles").mkdir()
    (home / "dotfiles" / "settings.json").write_text(CONTENT)
    (home / ".claude").symlink_to("dotfiles")
    round_trip(home / ".claude", home / "dotfiles" / "settings.json")
    assert (home / "dotfiles" / "settings.json").read_text() == CONTENT


def test_g04_dangling_link_into_a_folder_that_exists(settings: Path, home: Path, places: Places) -> None:
    settings.symlink_to(home / "later.json")
    round_trip(settings, home / "later.json")
    assert not (home / "later.json").exists()


def test_g04_dangling_link_into_nowhere(settings: Path, home: Path, places: Places) -> None:
    settings.symlink_to(home / "nowhere" / "settings.json")
    with pytest.raises(ConfigRefused, match="folder does not exist"):
        install("user")
    assert not (home / "nowhere").exists()


@pytest.mark.parametrize("name", [".claude", ".codex"])
@pytest.mark.parametrize("where", ["nowhere", "nowhere/deeper"])
def test_g04_a_linked_folder_that_is_not_there(
    home: Path, places: Places, monkeypatch: pytest.MonkeyPatch, name: str, where: str
) -> None:
    """Perhaps a disk that is not mounted now: nothing is put in its place, and nothing is left."""
    (home / name).symlink_to(where)
    (home / "codex").touch(0o755)
    monkeypatch.setenv("PATH", str(home))
    before = sorted(home.rglob("*"))
    with pytest.raises(ConfigRefused, match=f"{name} is a link to .*{where}, which does not exist"):
        install("user", dry_run=True)
    with pytest.raises(ConfigRefused):
        install("user")
    assert sorted({*home.rglob("*")} - {Path(places.lock)}) == before


@pytest.mark.parametrize("where", ["nowhere/settings.json", ".claude/settings.json", "a file"])
def test_uninstalling_passes_by_a_link_that_leads_to_no_file(
    settings: Path, home: Path, places: Places, where: str
) -> None:
    (home / "a file").mkdir()
    settings.symlink_to(home / where)
    assert [change for change in uninstall().changes if "the hooks" in change] == []
    assert settings.is_symlink()
    assert not os.path.lexists(places.current)


def test_circle(settings: Path, places: Places) -> None:
    settings.symlink_to("settings.json")
    with pytest.raises(ConfigRefused):
        install("user")


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o640])
def test_mode_and_backup(settings: Path, places: Places, mode: int) -> None:
    settings.write_text(CONTENT)
    settings.chmod(mode)
    install("user")
    assert settings.stat().st_mode & 0o777 == mode
    (backup,) = settings.parent.glob("*.bak")
    assert backup.read_text() == CONTENT
    assert backup.stat().st_mode & 0o777 == 0o600
    uninstall()
    assert settings.stat().st_mode & 0o777 == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_owner(settings: Path, places: Places) -> None:
    settings.write_text(CONTENT)
    os.chown(settings, 12345, 23456)
    install("user")
    assert (settings.stat().st_uid, settings.stat().st_gid) == (12345, 23456)


def test_other_names_are_told(settings: Path, home: Path, places: Places) -> None:
    settings.write_text(CONTENT)
    os.link(settings, home / "other-name.json")
    assert any("hard links" in warning for warning in install("user").warnings)


def test_three_backups_are_kept(settings: Path, places: Places) -> None:
    for number in range(6):
        settings.write_text(f'{{"number": {number}}}')
        install("user")
    kept = sorted(settings.parent.glob("*.bak"))
    assert [b.read_text() for b in kept] == [f'{{"number": {n}}}' for n in (3, 4, 5)]
    report = uninstall()
    assert str(kept[0]) in str(report)
    assert not kept[2].exists()  # equal to the restored file
    uninstall(purge=True)
    assert os.listdir(settings.parent) == ["settings.json"]
