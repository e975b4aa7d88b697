"""A person takes leases away; the holder hears of it, and it is on record."""

from cli.support import Agent, Machine


def test_holder_is_told(machine: Machine, alice: Agent) -> None:
    alice("claim", "src/a.py")
    said = machine.coord("revoke", "src/a.py")
    assert said.out == f"revoked src/a.py, held by {alice.handle}\n"
    assert machine.held() == {}
    (message,) = machine.inbox(alice.id)
    assert (message["sender_runtime_id"], message["kind"]) == ("coordhooks", "urgent")
    assert "src/a.py" in message["body"]
    (record,) = machine.audit("lease_revoked")
    assert record["holder"] == alice.id


def test_whatever_overlaps_goes(machine: Machine, alice: Agent, bob: Agent) -> None:
    alice("claim", "src/a.py", "--everywhere")
    bob("claim", "src/b.py", "lib", "@deploy")
    assert machine.coord("revoke", "src", "lib/a.py", "@deploy").code == 0
    assert machine.held() == {}
    assert [len(machine.inbox(agent.id)) for agent in (alice, bob)] == [1, 3]


def test_hold_gives_it_to_the_person(machine: Machine, alice: Agent) -> None:
    alice("claim", "src/a.py")
    assert machine.coord("revoke", "src/a.py", "--hold", "10m").code == 0
    assert machine.held() == {"src/a.py": "human"}
    assert "human" in alice("claim", "src/a.py").err
    assert machine.coord("release", "src/a.py").code == 0
    assert machine.held() == {}


def test_nothing_held_is_said(machine: Machine) -> None:
    assert machine.coord("revoke", "src/a.py").code == 1
    assert machine.coord("revoke", "src/a.py", "--hold", "10m").code == 0


def test_ones_own_stays(machine: Machine) -> None:
    machine.coord("claim", "src/a.py")
    assert machine.coord("revoke", "src/a.py").code == 1
    assert machine.held() == {"src/a.py": "human"}
