"""``coord install`` and ``uninstall`` hand over to the installer."""

import json

import pytest

from cli.support import Machine
from coordhooks import install as installer
from coordhooks.install import Report


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    made: list[tuple[object, ...]] = []

    def record(*arguments: object, **options: object) -> Report:
        made.append((*arguments, options))
        return Report(changes=["did something"])

    monkeypatch.setattr(installer, "install", record)
    monkeypatch.setattr(installer, "uninstall", record)
    return made


def test_handed_over(machine: Machine, calls: list[tuple[object, ...]]) -> None:
    assert machine.coord("install", "--dry-run").out == "did something\n"
    assert machine.coord("install", "--project", "--allow-coord", "--trust-codex").code == 0
    assert machine.coord("uninstall").code == 0
    assert calls == [
        ("user", {"dry_run": True, "allow_coord": False, "trust_codex": False, "ask": None}),
        ("project", {"dry_run": False, "allow_coord": True, "trust_codex": True, "ask": None}),
        ("user", {"purge": False, "dry_run": False}),
    ]


def test_purge_asks_first(machine: Machine, calls: list[tuple[object, ...]]) -> None:
    assert machine.coord("uninstall", "--purge", stdin=b"n\n").code == 1
    assert calls == []
    assert machine.coord("uninstall", "--purge", stdin=b"y\n").code == 0
    assert machine.coord("uninstall", "--purge", "--yes").code == 0
    assert [call[-1] for call in calls] == [{"purge": True, "dry_run": False}] * 2


def test_the_hooks_to_put_there_by_hand(machine: Machine) -> None:
    for name in installer.installer.HARNESSES:
        said = machine.coord("install", "--snippet", name)
        assert f"--harness {name}" in said.out or f'"{name}"' in said.out
        json.loads(said.out)
    assert not (machine.home / ".claude").exists()


def test_dry_run_really(machine: Machine) -> None:
    said = machine.coord("install", "--dry-run")
    assert said.code == 0
    assert "would add the hooks" in said.out
    assert not (machine.home / ".claude").exists()
