"""The doctor is right on every broken set-up: it names the fault, the file and the remedy, and where it can be tried
the remedy cures."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli import broken
from cli.broken.patient import Patient
from cli.support import Machine
from coordhooks.install import claude_shape, wrapper
from coordhooks.install.places import Places

SET_UPS = dict(broken.all_of())


@pytest.fixture
def patient(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Patient:
    return Patient(machine, monkeypatch)


def test_enough_of_them() -> None:
    assert len(SET_UPS) >= 50


def test_a_healthy_set_up_is_healthy(patient: Patient) -> None:
    assert patient.faults() == []
    assert patient.faults("--fix") == []


@pytest.mark.parametrize("name", SET_UPS)
def test_broken(name: str, patient: Patient) -> None:
    expected = SET_UPS[name](patient)
    found = patient.faults()
    file = "" if expected.file is None else str(expected.file)
    right = [
        f
        for f in found
        if f["file"] == file and expected.says in f["says"] and expected.remedy in f["remedy"]
    ]
    assert len(right) == 1, found
    assert all(f["remedy"] for f in found), "each fault comes with something to do"
    if expected.cured:
        patient.follow(right[0]["remedy"])
        assert patient.faults() == []


def test_what_drops_a_file_of_claude_code() -> None:
    """Each as the real program did; what it puts up with is no fault."""
    entry = {"type": "command", "command": "true"}
    groups: tuple[Any, ...] = (
        None, "x", {"matcher": "Write"}, {"hooks": None}, {"hooks": entry}, entry, {"matcher": 5, "hooks": [entry]},
        {"matcher": ["Write"], "hooks": [entry]}, {"hooks": [None]}, {"hooks": [entry | {"type": "zzz"}]},
        {"hooks": [{"type": "command"}]}, {"hooks": [entry | {"timeout": "x"}]}, {"hooks": [entry | {"timeout": -1}]},
        {"hooks": [entry | {"onFailure": "zz"}]}, {"hooks": [{"command": "true"}]}, {"hooks": [entry | {"args": "x"}]},
        {"hooks": [{"type": "prompt"}]},
    )  # fmt: skip
    for group in groups:
        for event in ("PreToolUse", "PermissionRequest"):
            assert claude_shape.odd({"hooks": {event: [group]}}), group
        for event in ("Stop", "SessionStart", "PostToolUse", "ConfigChange"):
            assert not claude_shape.odd({"hooks": {event: [group]}}), group
    dropped = (
        '"cleanupPeriodDays": -1', '"cleanupPeriodDays": 0', '"cleanupPeriodDays": 1E400', '"statusLine": "x"',
        '"permissions": {"allow": "x"}', '"permissions": "x"', '"model": null', '"env": null', '"hooks": null',
        '"sandbox": "x"', '"$schema": 5', '"disableAllHooks": "x"', '"hooks": {"PreToolUse": "x"}',
    )  # fmt: skip
    for text in dropped:
        assert claude_shape.odd(json.loads(f"{{{text}}}")), text
    harmless = (
        '"x": 1E400', '"permissions": {"allow": [5]}', '"env": {"A": 5}', '"hooks": {"Stop": "x"}',
        '"hooks": {"Foo": [5]}', '"cleanupPeriodDays": 30.0',
        '"hooks": {"PreToolUse": [{"foo": 1, "hooks": [{"type": "http", "url": "http://x"}]}]}',
    )  # fmt: skip
    for text in harmless:
        assert not claude_shape.odd(json.loads(f"{{{text}}}")), text


def test_what_is_only_to_know_does_not_make_it_ill(patient: Patient) -> None:
    project = patient.repo / ".claude/settings.json"
    patient.write(project, {"hooks": {}}).write_text("{} // not about us")
    patient.edit(patient.settings, enabledPlugins={"coordhooks@coordhooks": True, "other@x": False})
    assert patient.faults() == []
    said = [f["says"] for f in patient.notes()]
    assert any("ignores the file whole" in text for text in said)
    assert any("plugin and the hooks in" in text and "checked twice" in text for text in said)


def test_hooks_of_the_user_and_the_project(patient: Patient) -> None:
    project = patient.repo / ".claude/settings.json"
    patient.write(project, {}).write_text(patient.settings.read_text())
    assert patient.faults() == []
    (twice,) = [f for f in patient.notes() if "checked twice" in f["says"]]
    assert (twice["file"], "coord uninstall --project" in twice["remedy"]) == (str(project), True)


def test_hooks_of_the_project_only(patient: Patient) -> None:
    path = patient.move_hooks(patient.repo / ".claude/settings.json")
    assert patient.faults() == []
    (found,) = [f for f in patient.notes() if f["file"] == str(path)]
    assert "`-w`" in found["says"]


def test_the_plugin_alone_is_enough(patient: Patient) -> None:
    patient.write(patient.settings, {"enabledPlugins": {"coordhooks@coordhooks": True}})
    assert patient.faults() == []


def test_another_version_in_the_hooks(patient: Patient) -> None:
    (patient.program / "coordhooks/__init__.py").write_text('__version__ = "0.0.9"\n')
    assert patient.faults() == []
    assert sum("0.0.9" in f["says"] for f in patient.notes()) == 2


def test_no_harness_at_all(patient: Patient) -> None:
    for path in (patient.settings, patient.hooks, patient.config):
        path.unlink()
        if path != patient.hooks:
            path.parent.rmdir()
    for name in ("claude", "codex"):
        (patient.home / "bin" / name).unlink()
    assert patient.faults() == []
    assert sum("not in use here" in f["says"] for f in patient.notes()) == 2


def test_fix_keeps_what_it_sets_aside(patient: Patient) -> None:
    broken.state.ledger_with_a_torn_line(patient)
    before = (patient.state / "ledger/events.jsonl").read_bytes()
    (repaired,) = [f for f in patient.doctor("--fix")["findings"] if f["check"] == "repair"]
    assert (Path(repaired["file"]) / "events.jsonl").read_bytes() == before


def test_a_command_of_another_data_folder_is_no_fault(patient: Patient) -> None:
    places = Places.here(
        {"HOME": str(patient.home), "XDG_DATA_HOME": str(patient.home / "elsewhere")}, str(patient.home)
    )
    wrapper.write(places)
    Path(places.python).parent.mkdir(parents=True)
    Path(places.python).touch()
    assert patient.faults() == []
