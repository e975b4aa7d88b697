"""Unlanded work: listing it exactly, staging exactly it, and who wrote what."""

import subprocess
from pathlib import Path

import pytest
from harness.git import git

from cli.support import Agent, Machine

ODD = ["tab\there.py", "line\nbreak.py", 'quote".py', " space ", "caf\u00e9.py", "a*.py", ":(top)x", "-n"]


def staged(repo: Path) -> set[bytes]:
    out = subprocess.run(
        ["git", "diff", "--cached", "--name-only", "-z"], cwd=repo, capture_output=True, check=True
    ).stdout
    return set(filter(None, out.split(b"\0")))


def test_ones_own_unlanded_files(machine: Machine, alice: Agent, bob: Agent) -> None:
    alice.wrote("src/a.py")
    alice.wrote("new/file.py")
    bob.wrote("src/b.py")
    assert alice("files").lines == ["new/file.py", "src/a.py"]
    assert bob("files").lines == ["src/b.py"]
    (file,) = bob("files", "--json").json
    assert (file["path"], file["conversation_id"], file["landed"]) == (
        str(machine.repo / "src/b.py"),
        "sess-B",
        False,
    )


def test_what_equals_head_has_landed(machine: Machine, alice: Agent) -> None:
    alice.wrote("src/a.py")
    alice.wrote("src/b.py", "1\n")
    git(machine.repo, "add", "src/a.py")
    assert alice("files").lines == ["src/a.py"]
    git(machine.repo, "commit", "--quiet", "-m", "x")
    said = alice("files")
    assert said.out == ""
    assert "no unlanded files" in said.err
    with machine.store.transaction() as tx:
        assert {row["landed"] for row in tx.all("SELECT * FROM writes")} == {1}


def test_deleted_file_is_unlanded(machine: Machine, alice: Agent) -> None:
    alice.wrote("src/a.py")
    alice.wrote("fleeting.py")
    (machine.repo / "src/a.py").unlink()
    (machine.repo / "fleeting.py").unlink()
    assert alice("files", "--stage").lines == ["staged src/a.py"]
    assert staged(machine.repo) == {b"src/a.py"}


@pytest.mark.parametrize("name", [*ODD, b"\xff\xfe.py".decode("utf-8", "surrogateescape")])
def test_odd_names_are_exact(machine: Machine, alice: Agent, name: str) -> None:
    (machine.repo / "abc.py").write_text("not ours")
    alice.wrote(name)
    raw = name.encode("utf-8", "surrogateescape")
    said = alice("files", "-z")
    assert said.bytes == raw + b"\0"
    assert alice("files", "-z", cwd=machine.repo / "src").bytes == b"../" + raw + b"\0"
    assert alice("files", "--stage").code == 0
    assert staged(machine.repo) == {raw}


def test_nul_listing_is_what_git_takes(machine: Machine, alice: Agent) -> None:
    for name in ODD:
        alice.wrote(f"odd/{name}")
    listing = alice("files", "-z").bytes
    command = ["git", "--literal-pathspecs", "add", "--pathspec-from-file=-", "--pathspec-file-nul"]
    subprocess.run(command, input=listing, cwd=machine.repo, check=True)
    assert staged(machine.repo) == {f"odd/{name}".encode() for name in ODD}


def test_ignored_file_is_nobodys_unlanded_work(machine: Machine, alice: Agent) -> None:
    (machine.repo / ".git/info/exclude").write_text("*.log\n")
    alice.wrote("x.log")
    assert alice("files").out == ""
    assert alice("files", "--stage").code == 1


def test_other_working_trees_are_mentioned(machine: Machine, alice: Agent, worktree: Path) -> None:
    alice.wrote("src/a.py")
    said = alice("files", cwd=worktree)
    assert said.out == ""
    assert str(machine.repo) in said.err


def test_person_sees_everybodys_and_stages_only_somebodys(machine: Machine, alice: Agent, bob: Agent) -> None:
    alice.wrote("src/a.py", task="Tidy up")
    bob.wrote("src/b.py")
    said = machine.coord("files")
    assert [line.split()[:2] for line in said.lines[1:]] == [
        ["src/a.py", alice.handle],
        ["src/b.py", bob.handle],
    ]
    assert machine.coord("files", "--stage").code == 1
    bob.die()
    assert machine.coord("files", "--as", bob.handle).lines == ["src/b.py"]
    assert machine.coord("files", "--as", "nobody").code == 1
    assert alice("files", "--as", bob.handle).code == 1


def test_file_written_while_git_is_asked_stays_unlanded(
    machine: Machine, alice: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    from coordhooks import git as asked

    alice.wrote("src/a.py", "1\n")
    real = asked.changed

    def slow(*arguments: object) -> dict[str, str]:
        found = real(*arguments)  # type: ignore[arg-type]
        alice.wrote("src/a.py", "3\n")
        return found

    monkeypatch.setattr(asked, "changed", slow)
    alice("files")
    monkeypatch.undo()
    with machine.store.transaction() as tx:
        assert [row["landed"] for row in tx.all("SELECT * FROM writes")] == [0]


def test_git_that_fails_is_said(machine: Machine, alice: Agent) -> None:
    alice.wrote("src/a.py")
    (machine.repo / ".git/index").write_bytes(b"broken")
    said = alice("files")
    assert said.code == 1
    assert "git failed" in said.err


def test_blame(machine: Machine, alice: Agent, bob: Agent) -> None:
    alice.wrote("src/a.py", task="Tidy up")
    bob.wrote("src/a.py", task="Rename \x1b[2Jit")
    said = bob("blame", "a.py", cwd=machine.repo / "src")
    assert said.lines[0].startswith(bob.handle)
    assert "  task: Tidy up" in said.lines
    assert f"  resume: cd {machine.repo} && claude --resume sess-A" in said.lines
    assert "\x1b" not in said.out
    assert [w["conversation_id"] for w in bob("blame", "src/a.py", "--json").json] == ["sess-B", "sess-A"]
    assert bob("blame", "notes.txt").code == 1
