"""The doctor finds what is wrong, and with ``--fix`` sets a damaged store aside without losing it."""

import json
import os
from pathlib import Path
from typing import Any

import click
import pytest

from cli.support import STATE, Agent, Machine
from coordhooks.cli.checks import finding, firing, report
from coordhooks.install import claude_code
from coordhooks.ledger import Ledger
from coordhooks.store import health, leases, overlap, untold

STORE = STATE / "coord.sqlite3"


@pytest.fixture
def hooks(machine: Machine) -> Path:
    """The user's settings with our hooks, which start this checkout."""
    program = machine.home / "program"
    (program / "coordhooks").mkdir(parents=True)
    (program / "coordhooks/hook.py").touch()
    (program / "coordhooks/__init__.py").touch()
    file = machine.home / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"hooks": claude_code.groups("/bin/sh", str(program))}))
    return file


def findings(machine: Machine, *options: str) -> dict[str, Any]:
    said = machine.coord("doctor", "--json", *options)
    assert said.code == (0 if said.json["healthy"] else 1)
    return said.json


def bad(machine: Machine, *options: str) -> list[str]:
    return [
        f"{f['check']}: {f['says']} ({f['file']}) {f['remedy']}"
        for f in findings(machine, *options)["findings"]
        if f["ok"] is False
    ]


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
    for part in ("Python 3.", "mode 0700", "wal", "sound", "free space", "Claude Code: some hook", "events"):
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
        assert "sound" in machine.coord("doctor", "--fix").out


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


def test_what_may_not_be_used_is_named_and_mended(machine: Machine, alice: Agent, hooks: Path) -> None:
    store, state = machine.home / STORE, machine.home / STATE
    store.chmod(0o400)
    state.chmod(0o500)
    problems = bad(machine)
    assert any("mode 0400" in problem and f"chmod 600 {store}" in problem for problem in problems)
    assert any("mode 0500" in problem and f"chmod 700 {state}" in problem for problem in problems)
    assert bad(machine, "--fix") == []
    assert (store.stat().st_mode & 0o777, state.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_table_of_settings_for_no_project_is_noted(machine: Machine, hooks: Path) -> None:
    config = machine.home / ".config/coordhooks/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'[project."~/mistyped"]\nstrict = true\n[project."{machine.repo}"]\nstrict = true\n')
    assert [says for says in said(machine, "settings") if "no git repository" in says] == [
        '[project."~/mistyped"] names no git repository: it is for all files outside of any'
    ]


# -- last seen, and not covered ---------------------------------------------------------------------------


def said(machine: Machine, check: str) -> list[str]:
    return [f["says"] for f in findings(machine)["findings"] if f["check"] == check]


def test_each_hook_that_left_a_trace_was_seen(machine: Machine, hooks: Path, alice: Agent) -> None:
    with machine.store.transaction() as tx:
        leases.claim(tx, alice.id, overlap.of_names(["x"]), kind=leases.AUTOMATIC)
        leases.release_kinds(tx, alice.id, (leases.AUTOMATIC,), reason="turn_over")
        tx.audit("config_changed", alice.id)
        tx.audit("could_not_tell", None, failure={"harness": "claude-code", "event": "SessionStart"})
    alice.wrote("src/a.py")
    [claude] = [text for text in said(machine, "last seen") if text.startswith("Claude Code")]
    traces, _, rest = claude.partition("; no trace of: ")
    for event in ("PreToolUse", "PostToolUse", "Stop", "ConfigChange", "SessionStart"):
        assert f"{event} 0 s" in traces
    assert {"UserPromptSubmit", "SessionEnd", "PermissionRequest"} <= set(rest.split(", "))


def test_a_prompt_is_seen_by_its_task(machine: Machine, hooks: Path, alice: Agent) -> None:
    task = {"source": "claude-code", "external_id": "1", "title": "x", "project": "p"}
    with Ledger(machine.home / STATE / "ledger") as ledger:
        ledger.append(
            {"type": "TaskCreated", "task_id": "t", "version": 1, "surface": "hook", "payload": task}
        )
    [claude] = [text for text in said(machine, "last seen") if text.startswith("Claude Code")]
    assert "UserPromptSubmit 0 s" in claude.partition("; no trace of: ")[0]


def test_unjudged_calls_are_counted(machine: Machine, hooks: Path, alice: Agent, bob: Agent) -> None:
    with machine.store.transaction() as tx:
        for runtime_id, what in ((alice.id, "shell"), (bob.id, "shell"), (bob.id, "uncovered tool")):
            untold.count(tx, runtime_id, what)
    told = " / ".join(said(machine, "not covered"))
    assert "Claude Code: 2 calls of the shell" in told
    assert "Claude Code: 1 call of MCP tools" in told
    assert "background" in told


# -- the screen -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [80, 120])
def test_it_fits_the_terminal_and_commands_stay_whole(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(columns))
    command = "`mv '/a folder/with a name' '/a folder/with another'`"
    found = [
        finding.good("b", "word " * 60),
        finding.fault("a", "word " * 60, file="/x", remedy=f"so {command}, " * 2),
    ]
    lines = click.unstyle(report.text(found)).splitlines()
    assert max(map(len, lines)) < columns
    assert lines[0] == "coordhooks: 1 thing to do."
    assert lines.index("TO DO") < lines.index("IN ORDER")
    assert sum(command in line for line in lines) == 2


def test_without_a_terminal_a_finding_is_a_line(machine: Machine) -> None:
    found = [finding.fault("a", "word " * 60, file="/x\x1b[2J", remedy="do it")]
    assert report.text(found).count("\n") == 5
    assert "\x1b" not in click.unstyle(report.text(found))


def test_a_project_that_is_switched_off_is_not_simply_healthy(machine: Machine, hooks: Path) -> None:
    config = machine.home / ".config/coordhooks/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("enabled = false\n")
    found = machine.coord("doctor")
    assert found.code == 0
    assert "guards NOTHING in this project" in found.out.splitlines()[0]


def test_after_a_trial_nobody_is_sent_to_one() -> None:
    never = finding.note("last seen", "never", remedy=firing.TRY)
    other = finding.fault("x", "y", remedy="do it")
    assert [f.remedy for f in firing.tried([never, other])] == ["", "do it"]
