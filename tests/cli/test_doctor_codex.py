"""What the doctor tells of Codex: installed, trusted, modified and seen firing are different things."""

from pathlib import Path

import pytest

from cli.broken.patient import Patient
from cli.support import Agent, Machine
from coordhooks.install import codex_shape, codex_trust
from coordhooks.install.places import Places


@pytest.fixture
def patient(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Patient:
    return Patient(machine, monkeypatch)


def said(patient: Patient) -> dict[str, bool | None]:
    """Each finding on Codex, and whether it is in order."""
    return {f["says"]: f["ok"] for f in patient.doctor()["findings"] if "odex" in f["check"] + f["says"]}


def test_installed_trusted_and_never_seen(patient: Patient) -> None:
    found = said(patient)
    assert found["version codex 1.0"] is True
    assert found["our hooks are there for all 11 events"] is True
    assert found["15 hooks installed, 15 trusted"] is True
    assert found["Codex: its hooks were never seen firing"] is None
    assert any("write_stdin" in text for text in found)


def test_installed_is_not_trusted(patient: Patient) -> None:
    patient.config.unlink()
    found = said(patient)
    assert found["our hooks are there for all 11 events"] is True
    assert any("NOTHING guards" in text and ok is False for text, ok in found.items())


def test_seen(patient: Patient, machine: Machine) -> None:
    agent: Agent = machine.agent("sess-X", harness="codex")
    assert agent.id
    assert any(text.startswith("Codex: some hook 0 s ago") and ok for text, ok in said(patient).items())


def test_a_projects_own_file(patient: Patient, repo: Path) -> None:
    patient.write(repo / ".codex/hooks.json", {}).write_text(patient.hooks.read_text())
    assert any("told to trust this project" in text and ok is None for text, ok in said(patient).items())


def test_the_plugin_alone_is_enough(patient: Patient) -> None:
    patient.plug_into_codex()
    assert patient.faults() == []
    assert said(patient)["15 hooks of the plugin installed, 15 trusted"] is True


def test_plugin_and_hooks_file_at_once(patient: Patient) -> None:
    text = patient.hooks.read_text()
    patient.plug_into_codex()
    patient.hooks.write_text(text)
    patient.trust()
    assert patient.faults() == []
    assert any("are both on: each call is checked twice" in text for text in said(patient))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"hooks": {"Stop": ["x"]}}', "is not an object"),
        ('{"hooks": {"Stop": [{"hooks": [{"type": "command"}]}]}}', "no command"),
        ('{"hooks": {"Stop": [{"hooks": ["x"]}]}}', "not an object"),
        ('{"hooks": {"Stop": 5}}', "not a list"),
        ('{"hooks": {}, "hooks": {}}', "twice"),
        ('{"hooks": {"Stop": [], "Stop": []}}', "twice"),
        ('{"hooks": {"Stop": [{"hooks": [{"type": "http", "url": "x"}]}]}}', "of the type 'http'"),
        ('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 1.5}]}]}}', "1.5"),
        ('{"hooks": {"Stop": [{"more": 1, "hooks": [{"type": "command", "command": "x", "more": 1}]}]}}', ""),
    ],
)
def test_what_drops_a_hooks_file_of_codex(text: str, why: str) -> None:
    found = codex_shape.odd(text.encode())
    assert why in found
    assert bool(found) is bool(why)


def test_a_byte_order_mark_in_the_configuration_is_no_fault_and_stays(patient: Patient) -> None:
    places = Places.here({"HOME": str(patient.home)}, str(patient.home))
    patient.config.write_text("\ufeffmodel = 'x'\n")
    before = patient.config.read_bytes()
    found = codex_trust.hooks(places)
    codex_trust.trust(str(patient.config), found)
    assert patient.faults() == []
    codex_trust.distrust(str(patient.config), [hook.key for hook in found], made=False)
    assert patient.config.read_bytes() == before


def test_hooks_of_a_trusted_project_count_in_its_subfolders(patient: Patient, repo: Path) -> None:
    path = repo / ".codex/hooks.json"
    path.parent.mkdir()
    patient.hooks.rename(path)
    patient.cwd = repo / "src"
    assert any("nothing guards its writes" in text for text in said(patient))
    patient.config.write_text(f'[projects."{repo}"]\ntrust_level = "trusted"\n')
    places = Places.here({"HOME": str(patient.home)}, str(repo))
    codex_trust.trust(str(patient.config), codex_trust.hooks(places, path=str(path)))
    assert patient.faults() == []
    assert said(patient)["15 hooks installed, 15 trusted"] is True
