"""Would a write be refused? 0 no, 1 yes, 2 could not tell; git's pre-commit warns a person and stops an agent."""

import os
from pathlib import Path

import pytest
from harness.git import git

from cli.support import Agent, Machine

ODD = ["tab\there.py", "line\nbreak.py", 'quote".py', " space ", "caf\u00e9.py", "a*.py", ":(top)x"]


def test_answers(machine: Machine, alice: Agent, bob: Agent) -> None:
    alice("claim", "src")
    assert alice("check", "src/a.py").code == 0
    said = bob("check", "src/a.py", "notes.txt", "src/new.py")
    assert said.code == 1
    assert [line.split()[0] for line in said.lines] == ["src", "src"]
    assert alice.handle in said.out
    assert "coord wait" in said.err
    assert [c["asked"] for c in bob("check", "src/a.py", "--json").json] == ["src/a.py"]
    assert machine.coord("check", "notes.txt").code == 0
    assert machine.coord("check", "src/a.py").code == 1


def test_asking_takes_nothing(machine: Machine, alice: Agent) -> None:
    alice("check", "src/a.py")
    assert machine.held() == {}


def test_could_not_tell(machine: Machine, alice: Agent) -> None:
    assert alice("check", "").code == 2
    assert alice("check", "a\0b").code == 2
    machine.store.close()
    (machine.home / ".local/state/coordhooks/coord.sqlite3").write_bytes(b"no database " * 100)
    said = alice("check", "src/a.py")
    assert said.code == 2
    assert "could not tell" in said.err


def test_wrong_use(alice: Agent) -> None:
    assert alice("check").code == 2
    assert alice("check", "x", "--stdin").code == 2


def test_paths_from_stdin(alice: Agent, bob: Agent) -> None:
    alice("claim", "src/a.py", ODD[1])
    assert bob("check", "--stdin", stdin=b"notes.txt\nsrc/a.py\r\n").code == 1
    assert bob("check", "--stdin", stdin=b"notes.txt\n").code == 0
    assert bob("check", "--stdin", "-z", stdin=ODD[1].encode() + b"\0").code == 1
    assert bob("check", "--stdin", stdin=b"\xff\xfe.py\n").code == 0


def test_off_lets_everything_through(machine: Machine, alice: Agent, bob: Agent) -> None:
    alice("claim", "src/a.py")
    machine.coord("off")
    said = bob("check", "src/a.py")
    assert said.code == 0
    assert "off" in said.err


@pytest.mark.parametrize("name", [*ODD, b"\xff\xfe.py".decode("utf-8", "surrogateescape")])
def test_staged_files(machine: Machine, alice: Agent, bob: Agent, name: str) -> None:
    (machine.repo / name).write_text("x")
    git(machine.repo, "--literal-pathspecs", "add", name)
    assert bob("check", "--staged").code == 0
    alice("claim", f"./{name}")
    assert bob("check", "--staged", cwd=machine.repo / "src").code == 1
    said = machine.coord("check", "--staged")
    assert said.code == 0
    assert alice.handle in said.out


def test_staged_in_another_index(machine: Machine, alice: Agent, bob: Agent, tmp_path: Path) -> None:
    (machine.repo / "src/a.py").write_text("2\n")
    index = str(tmp_path / "index")
    machine.patch.setenv("GIT_INDEX_FILE", index)
    git(machine.repo, "read-tree", "HEAD")
    git(machine.repo, "add", "src/a.py")
    machine.patch.delenv("GIT_INDEX_FILE")
    alice("claim", "src/a.py")
    assert bob("check", "--staged").code == 0
    assert bob("check", "--staged", env={"GIT_INDEX_FILE": index, "GIT_DIR": os.devnull}).code == 1


def test_staged_before_the_first_commit(machine: Machine, alice: Agent, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    git(fresh, "init", "--quiet")
    assert alice("check", "--staged", cwd=fresh).code == 0
    assert alice("check", "--staged", cwd=tmp_path).code == 2
    assert machine.coord("check", "--staged", cwd=tmp_path).code == 0


def test_real_commit_runs_nothing_of_the_repository(machine: Machine, alice: Agent) -> None:
    marker = machine.repo / "ran"
    git(machine.repo, "config", "core.fsmonitor", f"touch {marker}; false")
    assert alice("check", "--staged").code == 0
    assert not marker.exists()
