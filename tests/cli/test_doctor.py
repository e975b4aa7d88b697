"""The doctor finds what is wrong, and with ``--fix`` sets a damaged store aside without losing it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cli.support import STATE, Agent, Machine
from coordhooks.install import claude_code
from coordhooks.store import health

STORE = STATE / "coord.sqlite3"


@pytest.fixture
def hooks(machine: Machine) -> Path:
    """The user's settings with our hooks, which start this checkout."""
    program = machine.home / "program"
    (program / "coordhooks").mkdir(parents=True)
    (program / "coordhooks/hook.py").touch()
    file = machine.home / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"hooks": claude_code.groups("/bin/sh", str(program))}))
    return file


def findings(machine: Machine, *options: str) -> dict[str, Any]:
    said = machine.coord("doctor", "--json", *options)
    assert said.code == (0 if said.json["healthy"] else 1)
    return said.json


def bad(machine: Machine, *options: str) -> list[str]:
    return [f"{f['check']}: {f['says']}" for f in findings(machine, *options)["findings"] if f["ok"] is False]


def damage(machine: Machine) -> bytes:
    machine.store.close()
    path = machine.home / STORE
    content = b"no database at all " * 1000
    path.write_bytes(content)
    return content


def test_healthy(machine: Machine, alice: Agent, hooks: Path) -> None:
    assert bad(machine) == []
    said = machine.coord("doctor")
    assert said.code == 0
    for part in ("Python 3.", "mode 0700", "wal", "is sound", "free space", "claude-code: ", "events"):
        assert part in said.out


def test_healthy_before_the_first_hook(home: Path, machine: Machine, hooks: Path) -> None:
    assert bad(machine, "--fix") == []
    machine.store.close()
    for file in (home / STATE).iterdir():
        file.unlink()
    (home / STATE).rmdir()
    assert bad(machine, "--fix") == []


def test_damage_is_found_and_nothing_is_touched(machine: Machine, hooks: Path) -> None:
    content = damage(machine)
    (problem,) = bad(machine)
    assert "coord doctor --fix" in problem
    assert (machine.home / STORE).read_bytes() == content


def test_fix_sets_the_damaged_store_aside_and_makes_a_new_one(machine: Machine, hooks: Path) -> None:
    for times in (1, 2):
        content = damage(machine)
        assert bad(machine, "--fix") == []
        kept = sorted((machine.home / STATE).glob("coord.sqlite3.damaged-*"))
        assert len(kept) == times
        assert all((folder / "coord.sqlite3").read_bytes() == content for folder in kept)
        assert machine.coord("leases").code == 0
        assert [e["event"] for e in machine.store.audit_events()] == ["store_set_aside"]


def test_all_parts_of_a_store_go_together(tmp_path: Path) -> None:
    path = tmp_path / "coord.sqlite3"
    for part in ("", "-wal", "-shm"):
        Path(f"{path}{part}").write_text(part)
    folder = health.set_aside(str(path), "now")
    assert {file.name for file in Path(folder).iterdir()} == {
        path.name,
        f"{path.name}-wal",
        f"{path.name}-shm",
    }
    assert os.listdir(tmp_path) == [os.path.basename(folder)]


def test_fix_leaves_a_sound_store_alone(machine: Machine, alice: Agent, hooks: Path) -> None:
    alice("claim", "src/a.py")
    assert bad(machine, "--fix") == []
    assert machine.held() == {"src/a.py": alice.id}


def test_link_in_the_stores_place_is_not_followed(machine: Machine, hooks: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(damage(machine))
    (machine.home / STORE).unlink()
    (machine.home / STORE).symlink_to(other)
    assert any("is a link" in problem for problem in bad(machine))
    assert machine.coord("doctor", "--fix").code == 1
    assert (machine.home / STORE).is_symlink()
    assert other.exists()


def test_fix_leaves_a_busy_store_alone(
    machine: Machine, hooks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coordhooks.cli.session.STORE_TIMEOUT", 0.1)
    with machine.store.transaction() as tx:
        tx.audit("busy")
        assert "is sound" in machine.coord("doctor", "--fix").out


def test_newer_store_is_no_damage(machine: Machine, hooks: Path) -> None:
    with machine.store.transaction() as tx:
        tx.run("UPDATE meta SET value = 1000 WHERE name = 'min_reader'")
    machine.store.db.connection().execute("PRAGMA user_version=1000")
    machine.store.close()
    assert any("upgrade coordhooks" in problem for problem in bad(machine, "--fix"))
    assert list((machine.home / STATE).glob("*damaged*")) == []


def test_missing_table_is_damage(machine: Machine, hooks: Path) -> None:
    with machine.store.transaction() as tx:
        tx.run("DROP TABLE waits")
    assert any("waits is missing" in problem for problem in bad(machine))
    assert bad(machine, "--fix") == []


def test_loose_folder(machine: Machine, hooks: Path) -> None:
    os.chmod(machine.home / STATE, 0o755)
    assert any("mode 0755" in problem for problem in bad(machine))


def test_hooks(machine: Machine, hooks: Path) -> None:
    settings = json.loads(hooks.read_text())
    del settings["hooks"]["Stop"]
    hooks.write_text(json.dumps(settings | {"disableAllHooks": True}))
    problems = bad(machine)
    assert any("lacks our hooks for Stop" in problem for problem in problems)
    assert any("disableAllHooks" in problem for problem in problems)
    hooks.write_text("{} // a comment")
    assert any("no JSON" in problem for problem in bad(machine))
    hooks.write_text('{"hooks": {"Stop": [null, {"hooks": 3}]}}')
    assert any("no hooks of ours" in problem for problem in bad(machine))
    hooks.unlink()
    assert any("not there" in problem for problem in bad(machine))


def test_program_of_the_hooks_is_gone(machine: Machine, hooks: Path) -> None:
    (machine.home / "program/coordhooks/hook.py").unlink()
    assert any("program of the hooks is gone" in problem for problem in bad(machine))


def test_failures_and_bad_settings(machine: Machine, hooks: Path) -> None:
    (machine.home / STATE / "problems.jsonl").write_text('{"reason": "x\\u001b[2J"}\n')
    config = machine.home / ".config/coordhooks/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("yield_after = 'never'\n")
    problems = bad(machine)
    assert not any(problem.startswith("failures") for problem in problems)  # told here, and no fault of now
    assert "1 not told yet, the last one: x" in machine.coord("doctor").out
    assert any("yield_after" in problem for problem in problems)
    assert "\x1b" not in machine.coord("doctor").out
