"""The audit and the records of managed workspaces; no ownership token gets out."""

import stat

from cli.support import Agent, Machine
from coordhooks.cli.commands import audit
from coordhooks.fastjson import loads

RECORD = {
    "instance_id": "work-1", "path": "/nowhere", "ownership_token": "s3cret", "status": "active",
    "nested": {"ownership_token": "s3cret"},
}  # fmt: skip


def test_listing(machine: Machine, alice: Agent) -> None:
    alice("claim", "src/a.py")
    assert "leases_claimed" in alice("audit").lines[-1]
    events = alice("audit", "--json").json
    assert [e["event"] for e in events] == ["runtime_registered", "leases_claimed"]
    assert [e["event"] for e in alice("audit", "--json", "--after", str(events[0]["event_id"])).json] == [
        "leases_claimed"
    ]


def test_export(machine: Machine, alice: Agent) -> None:
    machine.store.save_workspace_record("workspace_created", RECORD)
    file = machine.home / "audit.jsonl"
    assert alice("audit", "--export", str(file)).out == f"wrote 2 events to {file}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    exported = alice("audit", "--export", "-").out
    assert exported == file.read_text()
    assert [loads(line)["event"] for line in exported.splitlines()] == [
        "runtime_registered",
        "workspace_created",
    ]  # type: ignore[index]
    for said in (exported, alice("audit").out, alice("audit", "--json").out):
        assert "s3cret" not in said


def test_follow_shows_each_event_once(machine: Machine, alice: Agent, monkeypatch: object) -> None:
    steps = iter([("claim", "src/a.py"), ("release", "--all"), None])

    def step(seconds: float) -> None:
        command = next(steps)
        if command is None:
            raise KeyboardInterrupt
        with machine.store.transaction() as tx:
            tx.audit(f"step_{command[0]}", None)

    monkeypatch.setattr(audit.time, "sleep", step)  # type: ignore[attr-defined]
    said = alice("audit", "--follow", "--json")
    assert said.code == 130
    assert [loads(line)["event"] for line in said.lines] == [
        "runtime_registered",
        "step_claim",
        "step_release",
    ]  # type: ignore[index]


def test_workspaces(machine: Machine) -> None:
    assert machine.coord("workspace", "list").out == "no managed workspaces\n"
    machine.store.save_workspace_record("workspace_created", RECORD)
    (record,) = machine.coord("workspace", "list", "--json").json
    assert record["instance_id"] == "work-1"
    handle = record["handle"]
    assert handle in machine.coord("workspace", "list").out
    for identity in ("work-1", handle):
        shown = machine.coord("workspace", "show", identity, "--json").json
        assert (shown["path"], shown["managed"], shown["nested"]) == ("/nowhere", False, {})
    assert "s3cret" not in machine.coord("workspace", "show", "work-1").out
    assert machine.coord("workspace", "show", "work").code == 1
