"""Uninstalling finds everything by what installing has put on record, or refuses and forgets nothing."""

import os
from pathlib import Path
from typing import Any

import pytest

from coordhooks.errors import ConfigRefused, InstallError
from coordhooks.install import folders, install, merge, origins, program, uninstall, wrapper
from coordhooks.install.jsonfile import taken
from coordhooks.install.places import Places
from install import program as stand_in

VARIABLES = ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME")


@pytest.fixture
def moved(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Installed with every variable set, which are all gone then. The folders that they named."""
    found = {name: tmp_path / "elsewhere" / name.lower() for name in VARIABLES}
    for name, folder in found.items():
        folder.mkdir(parents=True)
        monkeypatch.setenv(name, str(folder))
    (found["CODEX_HOME"] / "config.toml").write_text('model = "x"\n')
    places = Places.here()
    stand_in.program(places)
    folders.note(places, folders.missing(places.coord))
    wrapper.write(places)
    install("user", trust_codex=True, allow_coord=True)
    session = found["CLAUDE_CONFIG_DIR"] / "session-env" / "a" / "hook.sh"
    session.parent.mkdir(parents=True)
    session.write_text("export COORD_RUNTIME=a\n")
    for own in (places.state, places.config):
        Path(own).mkdir()
        Path(own, "file").touch()
    for name in VARIABLES:
        monkeypatch.delenv(name)
    return found


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_the_variables_of_the_installation_are_not_needed(moved: dict[str, Path], home: Path) -> None:
    folder = moved["CODEX_HOME"].parent
    before = files(folder)
    would = uninstall(purge=True, dry_run=True)
    assert files(folder) == before
    done = uninstall(purge=True)
    assert files(folder) == ["codex_home/config.toml"]
    assert (moved["CODEX_HOME"] / "config.toml").read_text() == 'model = "x"\n'
    assert [p.name for p in home.rglob("*")] == ["project"]
    for name in (
        "claude_config_dir/skills",
        "xdg_state_home",
        "xdg_config_home",
        "claude_config_dir/session-env",
    ):
        assert f"{folder}/{name}" in str(would)
        assert f"{folder}/{name}" in str(done)


def test_what_stays_is_named_where_it_is(moved: dict[str, Path]) -> None:
    warnings = " ".join(uninstall().warnings)
    assert str(moved["XDG_STATE_HOME"]) in warnings
    assert str(moved["CLAUDE_CONFIG_DIR"] / "session-env") in warnings


def test_a_second_place_does_not_make_the_first_one_forgotten(moved: dict[str, Path]) -> None:
    with pytest.raises(InstallError, match=str(moved["XDG_DATA_HOME"])):
        program.check(Places.here())
    uninstall()
    program.check(Places.here())


@pytest.mark.parametrize("text", ["", "#!/bin/sh\n", "p='", "p=/x\n[ -x"])
def test_a_command_that_was_edited_leads_nowhere(places: Places, text: str) -> None:
    wrapper.write(places)
    coord = Path(places.coord)
    mark = coord.read_text().splitlines()[1]
    coord.write_text(f"#!/bin/sh\n{mark}\n{text}")
    assert wrapper.data(places) == ""
    assert origins.installed(places)[0] == places


@pytest.mark.parametrize("content", [[1, {"home": "/x"}], {"no": "list"}])
def test_a_damaged_record_costs_no_more_than_what_it_says(places: Places, content: Any) -> None:
    Path(origins.record(places)).write_text(str(content).replace("'", '"'))
    assert origins.installed(places) == [places]


# -- Codex's configuration can't be read ------------------------------------------------------------------


@pytest.fixture
def config(home: Path, places: Places) -> Path:
    """That of a user whose hooks are trusted, broken since."""
    path = home / ".codex" / "config.toml"
    path.parent.mkdir()
    install("user", trust_codex=True)
    path.write_text(path.read_text() + "= broken\n")
    return path


@pytest.mark.parametrize("purge", [False, True])
@pytest.mark.parametrize("fault", ["broken", "read-only"])
def test_what_can_not_be_taken_out_now_is_not_forgotten(
    config: Path, home: Path, places: Places, purge: bool, fault: str
) -> None:
    if fault == "read-only":
        config.write_text(config.read_text().removesuffix("= broken\n"))
        config.chmod(0o400)
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    for dry_run in (True, False):
        with pytest.raises(ConfigRefused, match="Nothing was taken out") as refused:
            uninstall(purge=purge, dry_run=dry_run)
        assert refused.value.path == str(config)
    now = {
        path: path.read_bytes() for path in home.rglob("*") if path.is_file() and path.name != "install.lock"
    }
    assert now == {path: content for path, content in before.items() if path.name != "install.lock"}
    config.chmod(0o600)
    config.write_text(config.read_text().removesuffix("= broken\n"))
    uninstall(purge=purge)
    assert not config.exists()
    assert not os.path.exists(places.data)


def test_trust_by_the_user_alone_hinders_only_a_purge(home: Path, places: Places) -> None:
    config = home / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text("= broken")
    install("user")
    with pytest.raises(ConfigRefused, match="Nothing was taken out"):
        uninstall(purge=True)
    assert any("can't be told" in warning for warning in uninstall().warnings)
    assert merge.installed(taken(str(home / ".codex" / "hooks.json"))) == 0
    assert config.read_text() == "= broken"


def test_entries_that_were_written_anew_stay_and_are_named(home: Path, places: Places) -> None:
    config = home / ".codex" / "config.toml"
    config.parent.mkdir()
    install("user", trust_codex=True)
    lines = config.read_text().split("\n")
    key = next(line for line in lines if line.startswith("[")).removeprefix("[hooks.state.").removesuffix("]")
    text = f'[hooks]\nstate.{key}.trusted_hash = "x"\n'
    config.write_text(text)
    [told] = [warning for warning in uninstall(purge=True).warnings if str(config) in warning]
    assert "delete those" in told
    assert config.read_text() == text


def test_a_disk_that_is_not_there_is_named(home: Path, places: Places, tmp_path: Path) -> None:
    """The hooks come back with it, when nobody has a record of them any more."""
    disk = tmp_path / "disk"
    disk.mkdir()
    (disk / "settings.json").write_text("{}")
    (home / ".claude").symlink_to(disk)
    install("user")
    disk.rename(tmp_path / "elsewhere")
    [told] = [warning for warning in uninstall().warnings if str(disk) in warning]
    assert "install.sh --uninstall again" in told


def test_a_preview_speaks_of_what_would_be(settings: Path, places: Places) -> None:
    Path(places.state).mkdir(parents=True)
    Path(places.state, "store").touch()
    wrapper.write(places)
    install("user")
    said = [*(report := uninstall(dry_run=True)).changes, *report.warnings]
    assert said
    assert {line.split()[0] for line in said} == {"would"}
    assert f"would remove {settings}" in said
    assert max(map(len, report.diff.splitlines())) < 130
