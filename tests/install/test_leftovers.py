"""What is of use only with our hooks is listed when they go, and removed on request (the last line of leaving clean)."""

import json
from pathlib import Path

import pytest

from coordhooks.install import codex_trust, install, uninstall
from coordhooks.install.places import Places

OURS = "export COORD_RUNTIME=abc\n"
PATH_TOO = OURS + """export PATH="$PATH":'/home/it '"'"'s/.local/bin'\n"""


def exported(places: Places, session: str, text: str) -> Path:
    path = Path(places.claude_config, "session-env", session, "sessionstart-hook-0.sh")
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def test_session_exports(settings: Path, places: Places) -> None:
    ours, both = exported(places, "a", OURS), exported(places, "b", PATH_TOO * 2)
    mixed = exported(places, "c", f"export A=1\n{PATH_TOO}export PATH=/theirs\n")
    theirs = exported(places, "d", "export MY_COORD_RUNTIME=1\n")
    install("user")
    [told] = [warning for warning in uninstall().warnings if "COORD_RUNTIME" in warning]
    assert told.startswith("3 session exports")
    assert "--purge" in told
    assert ours.exists()
    assert "would remove 3 session exports" in str(uninstall(purge=True, dry_run=True))
    assert ours.exists()
    assert "removed 3 session exports" in str(uninstall(purge=True))
    assert [ours.exists(), both.exists()] == [False, False]
    assert mixed.read_text() == "export A=1\nexport PATH=/theirs\n"
    assert theirs.read_text() == "export MY_COORD_RUNTIME=1\n"


@pytest.mark.parametrize("purge", [False, True])
def test_trust_that_the_user_recorded_in_codex(
    settings: Path, home: Path, places: Places, purge: bool
) -> None:
    config = home / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text('model = "x"\n')
    install("user")
    codex_trust.trust(str(config), codex_trust.hooks(places))
    report = uninstall(purge=purge)
    if purge:
        assert "took 15 entries of trust out of" in str(report)
        assert config.read_text() == 'model = "x"\n'
    else:
        assert any(warning.startswith("15 entries of trust") for warning in report.warnings)
        assert "trusted_hash" in config.read_text()


def test_rules_of_ones_own_are_listed_and_stay(settings: Path, places: Places) -> None:
    before = json.dumps({"permissions": {"allow": ["Bash(coord status:*)", "Bash(coordinate:*)"]}})
    settings.write_text(before)
    install("user", allow_coord=True)
    report = uninstall(purge=True)
    [told] = [warning for warning in report.warnings if "permission rules" in warning]
    assert told.endswith(": Bash(coord status:*)")
    assert settings.read_text() == before


def test_nothing_is_said_where_nothing_is_left(settings: Path, places: Places) -> None:
    settings.write_text('{"permissions": {"allow": ["Bash(ls:*)"]}}')
    install("user", allow_coord=True)
    assert uninstall().warnings == []
