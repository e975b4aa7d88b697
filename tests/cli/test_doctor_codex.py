"""What the doctor tells of Codex: installed, trusted, modified, switched off and seen firing are different things."""

import json
from pathlib import Path

import pytest

from cli.support import Machine
from coordhooks.install import codex, codex_trust
from coordhooks.install.places import Places


@pytest.fixture(autouse=True)
def usual_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CODEX_HOME", raising=False)


@pytest.fixture
def folder(machine: Machine) -> Path:
    """Codex in use, with our hooks, which it does not trust."""
    program = machine.home / "program"
    (program / "coordhooks").mkdir(parents=True)
    (program / "coordhooks/hook.py").touch()
    folder = machine.home / ".codex"
    folder.mkdir()
    text = json.dumps({"hooks": codex.groups("/bin/sh", str(program))})
    (folder / "hooks.json").write_text(text)
    return folder


def said(machine: Machine) -> dict[str, bool | None]:
    """Each finding on Codex, and whether it is in order."""
    found = machine.coord("doctor", "--json").json["findings"]
    return {f["says"]: f["ok"] for f in found if "odex" in f["says"]}


def trust(machine: Machine) -> None:
    places = Places.here({"HOME": str(machine.home)}, str(machine.home))
    codex_trust.trust(codex_trust.config_path(places), codex_trust.hooks(places))


def test_it_is_not_in_use(machine: Machine) -> None:
    [(text, ok)] = said(machine).items()
    assert text.startswith("Codex is not in use here")
    assert ok is None


def test_installed_is_not_trusted(machine: Machine, folder: Path) -> None:
    found = said(machine)
    assert found[f"{folder}/hooks.json has our hooks for all 11 events"] is True
    assert found["Codex: 15 hooks installed, 15 untrusted"] is False
    assert found["Codex: its hooks were never seen firing"] is None
    assert any("NOTHING guards" in text and ok is False for text, ok in found.items())
    assert any("write_stdin" in text for text in found)


def test_trusted_and_modified(machine: Machine, folder: Path) -> None:
    trust(machine)
    assert said(machine)["Codex: 15 hooks installed, 15 trusted"] is True
    value = json.loads((folder / "hooks.json").read_text())
    value["hooks"]["Stop"][0]["hooks"][0]["timeout"] = 11
    (folder / "hooks.json").write_text(json.dumps(value))
    assert said(machine)["Codex: 15 hooks installed, 14 trusted, 1 modified"] is False


@pytest.mark.parametrize("flag", ["hooks", "codex_hooks"])
def test_switched_off(machine: Machine, folder: Path, flag: str) -> None:
    trust(machine)
    with (folder / "config.toml").open("a") as file:
        file.write(f"[features]\n{flag} = false\n")
    assert any("switches all hooks off" in text and ok is False for text, ok in said(machine).items())


def test_a_configuration_that_can_not_be_read(machine: Machine, folder: Path) -> None:
    (folder / "config.toml").write_text("= broken")
    assert any("it is no TOML" in text and ok is False for text, ok in said(machine).items())
