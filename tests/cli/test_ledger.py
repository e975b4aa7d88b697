"""``coord log``, ``coord artifact`` and ``coord quota``."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from cli import support
from cli.support import Agent, Machine
from cli.test_task import CHECKOUT, add, ledger
from coordhooks.fastjson import loads


def report(machine: Machine, consumed: int, **more: Any) -> None:
    payload = {"harness_id": "claude-code", "consumed": consumed, "known": True} | more.pop("payload", {})
    with ledger(machine) as opened:
        opened.append({"type": "QuotaReported", "surface": "cli", "payload": payload, **more})


# -- artifacts --------------------------------------------------------------------------------------------


def test_artifacts_are_bytes(machine: Machine, tmp_path: Path) -> None:
    content = bytes(range(256)) * 3
    said = machine.coord("artifact", "put", "-", stdin=content)
    ref = said.out.strip()
    assert (said.code, len(ref)) == (0, 64)
    assert machine.coord("artifact", "get", ref).bytes == content
    (tmp_path / "in").write_bytes(content)
    assert machine.coord("artifact", "put", str(tmp_path / "in")).out.strip() == ref
    assert machine.coord("artifact", "get", ref, "-o", str(tmp_path / "out")).out == ""
    assert (tmp_path / "out").read_bytes() == content


def test_an_artifact_that_is_not_there(machine: Machine, tmp_path: Path) -> None:
    for ref in ("0" * 64, "../../etc/passwd"):
        said = machine.coord("artifact", "get", ref, "-o", str(tmp_path / "out"))
        assert said.code == 1
        assert said.err.startswith("coord: ")
    assert not (tmp_path / "out").exists()
    assert machine.coord("artifact", "put", "no such file").code == 2


# -- quota ------------------------------------------------------------------------------------------------


def test_quota_by_harness_and_window(machine: Machine) -> None:
    report(machine, 1000, at="2020-01-01T00:00:00Z")
    report(machine, 300)
    report(machine, 30)
    claude, codex = machine.coord("quota", "--json").json
    assert (claude["harness"], claude["consumed"], claude["known"]) == ("claude-code", 330, True)
    assert (codex["consumed"], codex["known"]) == (0, False)
    assert machine.coord("quota", "--since", "9999d", "--json").json[0]["consumed"] == 1330
    assert machine.coord("quota").lines[1].split()[:3] == ["claude-code", "330", "all"]
    report(machine, 0, payload={"known": False})
    assert machine.coord("quota", "--json").json[0]["known"] is False
    assert machine.coord("quota", "--since", "soon").code == 2


def test_quota_knows_the_limit_of_the_settings(machine: Machine) -> None:
    path = machine.home / ".config" / "coordhooks" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("quota_limit = 100")
    machine.coord("status")  # compiles the settings
    report(machine, 100)
    assert [harness["exhausted"] for harness in machine.coord("quota", "--json").json] == [True, False]


# -- log --------------------------------------------------------------------------------------------------


def log_file(machine: Machine) -> Path:
    return machine.home / support.STATE / "ledger" / "events.jsonl"


def test_no_log_no_events(machine: Machine) -> None:
    assert machine.coord("log").out == ""
    assert machine.coord("log", "--json").json == []


def test_log_shows_events(machine: Machine) -> None:
    first, second = add(machine, "one\x1b[2J"), add(machine, "two")
    machine.coord("task", "done", first)
    lines = machine.coord("log").lines
    assert [line.split()[0] for line in lines] == ["1", "2", "3"]
    assert [line.split()[3:5] for line in lines][2] == [first[:8], "TaskCompleted"]
    assert "\x1b" not in "".join(lines)
    events = machine.coord("log", "--task", second[:8], "--json").json
    assert [e["type"] for e in events] == ["TaskCreated"]


def test_log_since(machine: Machine) -> None:
    report(machine, 1, at="2020-01-01T00:00:00Z")
    report(machine, 2)

    def consumed(since: str) -> list[int]:
        return [e["payload"]["consumed"] for e in machine.coord("log", "--since", since, "--json").json]

    assert consumed("1h") == [2]
    assert consumed("2020-01-01T00:00:00Z") == consumed("2019-12-31") == [1, 2]
    assert consumed("2020-01-01T01:00:00+00:30") == [2]
    assert machine.coord("log", "--since", "soon").code == 2


def test_log_shows_the_latest_where_nobody_says_which(machine: Machine) -> None:
    for number in range(60):
        report(machine, number)
    assert len(machine.coord("log").lines) == 50
    assert len(machine.coord("log", "--since", "1h").lines) == 60


def test_log_reads_past_damage_and_says_so(machine: Machine) -> None:
    add(machine)
    add(machine)
    path = log_file(machine)
    one, two = path.read_bytes().splitlines()
    path.write_bytes(one + b"\nno event\n" + two + b"\n" + two[:20])
    said = machine.coord("log")
    assert (said.code, len(said.lines)) == (0, 2)
    assert "line 2 of events.jsonl is damaged" in said.err
    assert "line 4 of events.jsonl is damaged" in said.err


def test_the_old_numbering_is_repaired_by_a_person(machine: Machine, alice: Agent) -> None:
    made = add(machine)
    assert machine.coord("log", "--repair").out == "there is nothing to repair\n"
    alice("task", "lease", made)
    path = log_file(machine)
    created, leased = path.read_text().splitlines()
    again = created.replace('"version":1', '"version":2').replace("TaskCreated", "TaskAmended")
    again = again.replace(loads(created)["id"], "another")
    path.write_text("\n".join([created, again, leased, ""]))
    assert alice("log", "--repair").code == 1
    assert machine.coord("task", "list").code == 1
    said = machine.coord("log", "--repair")
    assert "was repaired" in said.out, said
    assert machine.coord("task", "list").code == 0
    path.write_text("damage\n")
    assert machine.coord("log", "--repair").code == 1


def test_doctor_replays_the_log(machine: Machine) -> None:
    add(machine)
    assert "task ledger" in machine.coord("doctor").out
    path = log_file(machine)
    path.write_text("damage\n" + path.read_text())
    findings = machine.coord("doctor", "--json").json["findings"]
    assert [f["ok"] for f in findings if f["check"] == "task ledger"] == [False]


def test_log_follows(machine: Machine) -> None:
    add(machine, "before")
    environ = {"PATH": os.environ["PATH"], "HOME": str(machine.home), "PYTHONPATH": str(CHECKOUT)}
    code = "import sys; from coordhooks.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "log", "--follow", "--json"], cwd=machine.repo, env=environ, stdout=subprocess.PIPE
    )  # fmt: skip
    assert process.stdout is not None
    try:
        titles = [loads(process.stdout.readline().decode())["payload"]["title"]]
        for title in ("after", "and on"):
            add(machine, title)
            titles.append(loads(process.stdout.readline().decode())["payload"]["title"])
            time.sleep(0.1)
    finally:
        process.kill()
        process.stdout.close()
        process.wait()
    assert titles == ["before", "after", "and on"]
