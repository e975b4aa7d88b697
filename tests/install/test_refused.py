"""What can't be edited safely is left alone, and nothing else is installed either (case g01, g02, g05)."""

import os
from pathlib import Path

import pytest

from coordhooks.errors import ConfigRefused
from coordhooks.install import install, uninstall
from coordhooks.install.places import Places

FILES = sorted((Path(__file__).parent / "refused").glob("*.json"))
STRICT = (
    "trailing_comma",
    "comments",
    "cut_in_the_middle",
    "two_documents",
    "single_quotes",
    "control_character",
)
WITHOUT_PLACE = ("absurd_nesting", "latin1", "nan", "utf16")


@pytest.mark.parametrize("dry_run", [True, False])
@pytest.mark.parametrize("case", FILES, ids=lambda p: p.stem)
def test_g01_g02_left_alone(case: Path, settings: Path, places: Places, dry_run: bool) -> None:
    settings.write_bytes(case.read_bytes())
    stamp = settings.stat().st_mtime_ns
    with pytest.raises(ConfigRefused) as refused:
        install("user", dry_run=dry_run)
    assert settings.read_bytes() == case.read_bytes()
    assert settings.stat().st_mtime_ns == stamp
    assert os.listdir(settings.parent) == ["settings.json"]
    assert not os.path.exists(places.manifest)
    assert refused.value.path == str(settings)
    assert "`install.sh --snippet claude-code` prints them" in str(refused.value)
    assert len(str(refused.value).splitlines()) == 2
    assert "run again" in str(refused.value)
    if case.stem not in WITHOUT_PLACE:
        assert refused.value.line
        assert refused.value.column
    if case.stem in STRICT:
        assert "Claude Code ignores this whole file" in str(refused.value)


def test_g01_line_and_column(settings: Path, places: Places) -> None:
    settings.write_text('{\n  "model": "x",\n  // note\n  "env": {}\n}\n')
    with pytest.raises(ConfigRefused, match=r"settings\.json, line 3, column 3: "):
        install("user")


@pytest.mark.parametrize(
    ("hooks", "column"),
    [("null", 12), ('{\n"Stop": {}}', 9), ('{"Stop": null}', 21)],
    ids=["null", "object", "event"],
)
def test_g01_where_a_value_is_that_no_hook_fits_in(
    settings: Path, places: Places, hooks: str, column: int
) -> None:
    settings.write_text(f'{{"a": 1,\n  "hooks": {hooks}}}')
    with pytest.raises(ConfigRefused, match=rf"line [23], column {column}: .*no hook can be added"):
        install("user")


def test_uninstall_does_not_touch_what_it_can_not_read(settings: Path, places: Places) -> None:
    install("user")
    broken = settings.read_text() + "// a comment\n"
    settings.write_text(broken)
    with pytest.raises(ConfigRefused, match="Nothing was taken out"):
        uninstall()
    assert settings.read_text() == broken
    assert os.path.exists(places.root)  # else every call would warn


def test_uninstall_does_not_care_for_a_file_without_us(settings: Path, places: Places) -> None:
    settings.write_text("// no JSON at all")
    uninstall()
    assert settings.read_text() == "// no JSON at all"
    assert not os.path.exists(places.versions)


def test_g05_read_only_file_in_a_writable_folder(settings: Path, places: Places) -> None:
    settings.write_text("{}")
    settings.chmod(0o444)
    with pytest.raises(ConfigRefused, match="read-only"):
        install("user")
    assert settings.read_text() == "{}"
    assert not os.path.exists(places.manifest)


def test_g05_a_file_that_nobody_may_read_is_not_called_read_only(settings: Path, places: Places) -> None:
    settings.write_text("{}")
    settings.chmod(0)
    with pytest.raises(ConfigRefused) as refused:
        install("user")
    assert "read-only" not in str(refused.value)
    assert "mode 000" in str(refused.value) or "can't be read" in str(refused.value)  # root, and anybody else


def test_g05_read_only_target_of_a_link(settings: Path, places: Places) -> None:
    settings.symlink_to("/proc/version")  # read-only even for root
    with pytest.raises(ConfigRefused):
        install("user")
    assert settings.is_symlink()


def test_not_a_regular_file(settings: Path, places: Places) -> None:
    settings.symlink_to("/dev/null")
    with pytest.raises(ConfigRefused, match="not a regular file"):
        install("user")
    settings.unlink()
    settings.mkdir()
    with pytest.raises(ConfigRefused, match="not a regular file"):
        install("user")


def test_a_refused_file_keeps_its_installed_state(settings: Path, places: Places) -> None:
    """Nothing to change needs no writable file."""
    install("user")
    settings.chmod(0o444)
    assert install("user").changes == []
