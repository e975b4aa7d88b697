"""What would a command write, why, and would it be refused? 0 no, 1 yes, 2 could not tell. Asking changes nothing."""

import pytest

from cli.support import Agent, Machine
from coordhooks.store import runtimes, settings

TABLES = ("leases", "notes", "waits", "calls", "watches", "untold", "messages", "deliveries", "writes")


def look(machine: Machine) -> dict[str, list[tuple[object, ...]]]:
    """All that a call could leave behind."""
    with machine.store.transaction() as tx:
        return {name: [tuple(row) for row in tx.all(f"SELECT * FROM {name}")] for name in TABLES}


def test_what_is_written_and_by_what(alice: Agent) -> None:
    said = alice("check", "--command", "cd src && sed -i s/1/2/ a.py; black ../lib; git reset --hard")
    assert said.code == 0
    words = [line.split("  ") for line in said.lines]
    rows = [[cell.strip() for cell in line if cell] for line in words if len(line) > 1]
    assert ["src/a.py", "file", "sed -i a.py"] in rows
    assert ["lib", "folder", "black ../lib"] in rows
    assert ["/", "whole tree"] in [row[:2] for row in rows]
    assert "git reset-hard: not while it would destroy uncommitted work of others" in said.lines
    assert said.lines[-1] == "would be let through now"


def test_as_json(alice: Agent, bob: Agent) -> None:
    alice("claim", "src/a.py")
    said = bob("check", "--command", "tee src/a.py", "--json")
    assert said.code == 1
    assert said.json["targets"] == [{"path": "src/a.py", "kind": "file", "why": "tee src/a.py"}]
    assert (said.json["git"], said.json["untold"]) == ([], [])
    assert said.json["refused"].startswith(f"Not an error: src/a.py is being edited by {alice.handle}")
    said = bob("check", "--command", "git stash pop", "--json")
    assert [each["operation"] for each in said.json["git"]] == ["stash-pop"]


def test_what_is_refused_by_a_lease(machine: Machine, alice: Agent, bob: Agent) -> None:
    alice("claim", "src/a.py")
    before = look(machine)
    assert alice("check", "--command", "rm src/a.py").code == 0
    said = bob("check", "--command", "rm src/a.py")
    assert said.code == 1
    assert "would be refused now: Not an error: src/a.py is being edited by" in said.out
    assert machine.coord("check", "--command", "rm src/a.py").code == 1
    assert look(machine) == before


def test_a_person_holds_nothing_against_themselves(machine: Machine, bob: Agent) -> None:
    machine.coord("claim", "src/a.py")
    assert machine.coord("check", "--command", "rm src/a.py").code == 0
    assert bob("check", "--command", "rm src/a.py").code == 1


def test_what_is_refused_by_a_rule_of_the_shared_checkout(machine: Machine, alice: Agent, bob: Agent) -> None:
    alice.wrote("src/a.py")
    before = look(machine)
    said = bob("check", "--command", "git add -A")
    assert said.code == 1
    assert "git add-all: not while it would stage uncommitted work of others" in said.lines
    assert "`git add` would take uncommitted work of" in said.lines[-1]
    assert look(machine) == before


def test_what_is_refused_once_is_still_refused_once_after_asking(
    machine: Machine, alice: Agent, bob: Agent
) -> None:
    alice.wrote("src/a.py", "of alice\n")
    before = look(machine)
    for _ in range(2):
        said = bob("check", "--command", "echo 3 > src/a.py")
        assert said.code == 1
        assert "src/a.py" in said.lines[-1]
    assert look(machine) == before


def test_could_not_tell(machine: Machine, alice: Agent, bob: Agent) -> None:
    said = alice("check", "--command", "python3 build.py")
    assert said.code == 2
    assert said.lines[0].startswith("cannot tell: ")
    assert said.lines[-1] == "would be let through now"
    alice("claim", "src/a.py")
    with machine.store.transaction() as tx:
        settings.put(tx, str(runtimes.require_live(tx, bob.id)["project"]), "strict", 1)
    said = bob("check", "--command", "python3 build.py")
    assert said.code == 1
    assert "this project is strict" in said.lines[-1]


def test_what_writes_nothing(alice: Agent) -> None:
    for command in ("git status", "", "echo 'rm src/a.py'"):
        said = alice("check", "--command", command)
        assert (said.code, said.lines) == (0, ["writes nothing", "would be let through now"])


@pytest.mark.parametrize(("dialect", "code"), [("powershell", 1), ("posix", 2)])
def test_the_dialect(alice: Agent, bob: Agent, dialect: str, code: int) -> None:
    alice("claim", "src/a.py")
    said = bob("check", "--dialect", dialect, "--command", "Set-Content -Path src/a.py -Value x")
    assert said.code == code


def test_off_lets_everything_through(machine: Machine, alice: Agent, bob: Agent) -> None:
    alice("claim", "src/a.py")
    machine.coord("off")
    said = bob("check", "--command", "rm src/a.py")
    assert said.code == 0
    assert "off" in said.err


def test_off_in_the_environment_lets_everything_through(alice: Agent, bob: Agent) -> None:
    alice("claim", "src/a.py")
    alice.wrote("notes.txt")
    for command in ("rm src/a.py", "git add -A", "git stash"):
        assert bob("check", "--command", command).code == 1
        said = bob("check", "--command", command, env={"COORD_OFF": "1"})
        assert (said.code, "COORD_OFF=1" in said.err) == (0, True)


@pytest.mark.parametrize("command", ["rm src/a.py", "git add -A", "git stash"])
def test_off_lets_a_persons_commands_through(machine: Machine, alice: Agent, command: str) -> None:
    alice("claim", "src/a.py")
    alice.wrote("notes.txt")
    machine.coord("off")
    assert machine.coord("check", "--command", command).code == 0


def test_wrong_use(alice: Agent) -> None:
    assert alice("check", "src/a.py", "--command", "ls").code == 2


def test_a_store_that_cannot_be_read(machine: Machine, alice: Agent) -> None:
    machine.store.close()
    (machine.home / ".local/state/coordhooks/coord.sqlite3").write_bytes(b"no database " * 100)
    said = alice("check", "--command", "rm src/a.py")
    assert said.code == 2
    assert "could not tell" in said.err
