"""Whose entry is it: ours are renewed in place, old layouts are recognised, others stay (cases g03, g07, g14)."""

import json
from pathlib import Path
from typing import Any

import pytest

from coordhooks.install import install, uninstall
from coordhooks.install.command import is_ours
from coordhooks.install.places import Places

FOREIGN = {"hooks": [{"type": "command", "command": "true"}]}
MENTIONS = [
    {"type": "command", "command": "notify --about coordhooks"},
    {"type": "command", "command": "echo coordhooks/hook.py"},
    {"type": "command", "command": "python3 ~/src/coordhooks/scripts/lint.py"},
    {"type": "command", "command": "sh", "args": ["-c", "true", "coordhooks"]},
    {"type": "command", "command": "log it's"},
    {"type": "command", "command": "/usr/bin/coordhooks-lint --all"},
    {"type": "command", "command": "grep -r coordhooks ."},
    {"type": "command", "command": ""},
    {"type": "http", "url": "http://localhost/coordhooks"},
    {"type": "command", "command": 5, "args": "coordhooks"},
    {"type": "command", "command": "/bin/sh", "args": ["-c", "x", "other", "--harness"]},
    "coordhooks",
    None,
]
OLD = [
    {"type": "command", "command": "~/.claude/hooks/coordhooks.py"},
    {"type": "command", "command": "python3 ~/.claude/hooks/coordhooks_pre_tool_use.py"},
    {
        "type": "command",
        "command": "X=1 /usr/bin/python3.11 -I '/opt/my tools/coordhooks/hook.py' --event Stop",
    },
    {"type": "command", "command": "python3 -m coordhooks.hook"},
    {"type": "command", "command": "/home/u/coordhooks/hooks/pre_tool_use.sh"},
    {"type": "command", "command": "python3", "args": ["/x/coordhooks/hook.py"]},
]


@pytest.mark.parametrize("entry", MENTIONS, ids=repr)
def test_g14_foreign(entry: Any) -> None:
    assert not is_ours(entry)


@pytest.mark.parametrize("entry", OLD, ids=repr)
def test_old(entry: Any) -> None:
    assert is_ours(entry)


def write(settings: Path, value: Any) -> None:
    settings.write_text(json.dumps(value, indent=2))


def read(settings: Path) -> Any:
    return json.loads(settings.read_text())


def test_g14_old_layout_is_replaced_in_place_and_uninstalled(settings: Path, places: Places) -> None:
    keep = [{"hooks": [entry]} for entry in MENTIONS if isinstance(entry, dict)]
    hooks = {
        "PreToolUse": [keep[0], {"matcher": "*", "hooks": [OLD[1]]}, keep[1]],
        "Stop": [{"hooks": [OLD[0]]}],
        "OldEvent": [{"hooks": [OLD[2]]}],
        "SessionEnd": [{"hooks": [keep[2]["hooks"][0], OLD[3]]}],
        "Notification": [OLD[4]],  # the flat form
    }
    write(settings, {"hooks": hooks, "model": "opus"})
    install("user")
    after = read(settings)["hooks"]
    assert [group in keep for group in after["PreToolUse"]] == [True, False, True, False, False]
    assert after["PreToolUse"][1]["matcher"] == "Write|Edit|MultiEdit|NotebookEdit"
    assert (len(after["Stop"]), len(after["Notification"])) == (1, 1)
    assert "OldEvent" not in after
    assert after["SessionEnd"][0] == {"hooks": keep[2]["hooks"]}
    uninstall()
    assert read(settings) == {
        "hooks": {"PreToolUse": keep[:2], "SessionEnd": [{"hooks": keep[2]["hooks"]}]},
        "model": "opus",
    }
    before = settings.read_bytes()
    assert uninstall().changes == []
    assert settings.read_bytes() == before


def test_g07_changed_entries_are_renewed_where_they_stand(settings: Path, places: Places) -> None:
    write(settings, {"hooks": {"Stop": [FOREIGN], "PreToolUse": [FOREIGN]}})
    install("user")
    value = read(settings)
    wanted = json.loads(json.dumps(value))
    value["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "later"}]})
    wanted["hooks"]["Stop"].append(value["hooks"]["Stop"][-1])
    for groups in value["hooks"].values():
        for group in groups:
            if "args" in group["hooks"][0]:
                group["hooks"][0]["args"][1] = "an older script"
                group["hooks"][0]["timeout"] = 60
    value["hooks"]["PreToolUse"].append(value["hooks"]["PreToolUse"][1])  # twice
    write(settings, value)
    install("user")
    assert read(settings) == wanted
    assert list(read(settings)["hooks"]) == list(wanted["hooks"])


def test_g07_moved_installation_changes_only_ours(
    settings: Path, places: Places, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write(settings, {"hooks": {"Stop": [FOREIGN]}})
    install("user")
    before = settings.read_text()
    Path(places.data).rename(tmp_path / "coordhooks")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    install("user")
    assert settings.read_text() == before.replace(places.data, str(tmp_path / "coordhooks"))


def test_container_of_the_user_stays_though_it_became_empty(settings: Path, places: Places) -> None:
    write(settings, {"hooks": {"Stop": [FOREIGN]}})
    install("user")
    value = read(settings)
    value["hooks"]["Stop"].remove(FOREIGN)
    write(settings, value)
    uninstall()
    assert read(settings) == {"hooks": {"Stop": []}}


def test_dry_run_writes_nothing(settings: Path, home: Path, places: Places) -> None:
    settings.write_text('{\n  "model": "opus"\n}')
    tree = sorted(home.rglob("*"))
    report = install("user", dry_run=True)
    assert "--- " + str(settings) in report.diff
    assert '+  "hooks": {' in report.diff
    assert "\\ No newline at end of file" in report.diff
    assert sorted(home.rglob("*")) == tree
    install("user")
    tree = sorted(home.rglob("*"))
    assert "would take the hooks out" in str(uninstall(dry_run=True))
    assert sorted(home.rglob("*")) == tree


def test_g15_project_scope(home: Path, settings: Path, places: Places) -> None:
    report = install("project")
    assert (home / "project" / ".claude" / "settings.json").exists()
    assert not settings.exists()
    assert "don't commit" in str(report)
    assert "twice" in str(install("user"))  # case g15
    uninstall("project")
    assert not (home / "project" / ".claude").exists()
    assert settings.exists()
    install("project")
    uninstall()  # the program goes, so every entry on record goes
    assert not (home / "project" / ".claude").exists()


def test_allow_rules_only_with_consent_and_only_ours_removed(settings: Path, places: Places) -> None:
    write(settings, {"permissions": {"allow": ["Bash(coord status:*)", "Bash(ls:*)"]}})
    before = settings.read_bytes()
    install("user")
    assert read(settings)["permissions"]["allow"] == ["Bash(coord status:*)", "Bash(ls:*)"]
    install("user", allow_coord=True)
    assert "Bash(coord claim:*)" in read(settings)["permissions"]["allow"]
    assert not any("revoke" in rule or "off" in rule for rule in read(settings)["permissions"]["allow"])
    with_rules = settings.read_bytes()
    assert install("user").changes == []  # consent once given stays
    assert settings.read_bytes() == with_rules
    value = read(settings)
    value["model"] = "opus"
    write(settings, value)
    install("user")
    uninstall()
    assert read(settings) == json.loads(before) | {"model": "opus"}


def test_allow_rules_restore_the_bytes(settings: Path, places: Places) -> None:
    settings.write_text('{"permissions": {}}')
    install("user", allow_coord=True)
    uninstall()
    assert settings.read_text() == '{"permissions": {}}'


def test_what_stands_in_the_way_is_told(settings: Path, places: Places) -> None:
    write(settings, {"disableAllHooks": True, "enabledPlugins": {"coordhooks@market": True}})
    text = str(install("user"))
    assert "switches all hooks off" in text
    assert "plugin is enabled" in text


def test_g14_purge_takes_the_store_too(settings: Path, places: Places) -> None:
    install("user")
    for folder in (places.state, places.config):
        Path(folder).mkdir(parents=True)
        Path(folder, "file").touch()
    assert places.state in str(uninstall())
    assert Path(places.state, "file").exists()
    uninstall(purge=True)
    assert not any(Path(p).exists() for p in (places.state, places.config, places.data))
