"""The command as a whole: its table, what it loads, and the one error boundary."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from cli.support import Agent, Machine
from coordhooks.cli import agents, group

CHECKOUT = Path(__file__).parents[2]


def real(
    machine: Machine, *arguments: str, program: str = "", **options: object
) -> subprocess.CompletedProcess[bytes]:
    code = program or "import sys; from coordhooks.cli import main; sys.exit(main())"
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(machine.home),
        "PYTHONPATH": str(CHECKOUT),
        "LC_ALL": "C",
    }
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-c", code, *arguments], cwd=machine.repo, env=environ, capture_output=True, timeout=60, check=False,
        **options,
    )  # fmt: skip


@pytest.mark.parametrize("name", group.COMMANDS)
def test_every_command_of_the_table_loads_and_has_help(machine: Machine, name: str) -> None:
    said = machine.coord(name, "--help")
    assert said.code == 0
    assert said.out.startswith(f"Usage: coord {name}")


def test_help_lists_all(machine: Machine) -> None:
    said = machine.coord("--help")
    assert all(f"\n  {name} " in said.out for name in group.COMMANDS)
    assert machine.coord("--version").code == 0


def test_wrong_use(machine: Machine) -> None:
    for words in (("frobnicate",), ("claim",), ("leases", "--frob"), ("send", "x")):
        said = machine.coord(*words)
        assert (said.code, said.out) == (2, "")
        assert "Usage" in said.err


def test_bug_is_a_sentence(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("payload")

    monkeypatch.setattr(agents, "listing", broken)
    said = machine.coord("who")
    assert said.code == 1
    assert re.fullmatch(
        r"coord: a bug in coordhooks \(RuntimeError at test_group.py:\d+\).*COORD_DEBUG.*\n", said.err
    )
    assert "Traceback" not in said.err


def test_store_that_is_no_store(machine: Machine) -> None:
    machine.store.close()
    (machine.home / ".local/state/coordhooks/coord.sqlite3").write_bytes(b"no database " * 100)
    said = machine.coord("leases")
    assert said.code == 1
    assert "coord.sqlite3" in said.err


def test_folder_that_is_gone(machine: Machine, tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    program = f"import os, sys; os.chdir({str(folder)!r}); os.rmdir({str(folder)!r})\n"
    done = real(machine, "leases", program=program + "from coordhooks.cli import main; sys.exit(main())")
    assert done.returncode == 1
    assert b"current folder is gone" in done.stderr


def test_nobody_reads_it(machine: Machine, alice: Agent) -> None:
    for name in range(200):
        alice("claim", f"@{'x' * 400}{name}") if name < 2 else None
    reader, writer = os.pipe()
    os.close(reader)
    environ = {"PATH": os.environ["PATH"], "HOME": str(machine.home), "PYTHONPATH": str(CHECKOUT)}
    code = "import sys; from coordhooks.cli import main; sys.exit(main())"
    process = subprocess.Popen([sys.executable, "-c", code, "leases"], cwd=machine.repo, env=environ, stdout=writer,
                               stderr=subprocess.PIPE)  # fmt: skip
    os.close(writer)
    _, err = process.communicate(timeout=60)
    assert err == b""
    assert process.returncode == 1


def test_terminal_without_utf8(machine: Machine, alice: Agent) -> None:
    alice("claim", "café…\udcff.py")
    done = real(machine, "leases")
    assert done.returncode == 0, done.stderr
    assert b".py" in done.stdout


def test_plain_command_loads_little(machine: Machine) -> None:
    program = "import sys; from coordhooks.cli import main; code = main(); print(*sorted(sys.modules)); sys.exit(code)"
    done = real(machine, "leases", program=program)
    loaded = set(done.stdout.decode().splitlines()[-1].split())
    heavy = {
        "rich",
        "json",
        "sqlite3",
        "tomllib",
        "platformdirs",
        "filelock",
        "jsonschema",
        "psutil",
        "subprocess",
    }
    assert heavy & loaded == set()
    ours = {name for name in loaded if name.startswith("coordhooks.cli.commands.")}
    assert ours == {"coordhooks.cli.commands.leases"}


def test_commands_share_their_help_with_the_table() -> None:
    for name in group.COMMANDS:
        command = group.coord.get_command(click.Context(group.coord), name)
        assert command is not None
        assert command.help


def test_terminal_gets_a_table_and_no_markup(machine: Machine, alice: Agent) -> None:
    pty = pytest.importorskip("pty")
    alice("claim", "[red]x[/red].py", "--for", "[bold]what\x1b[2J")
    ours, theirs = pty.openpty()
    environ = {"PATH": os.environ["PATH"], "HOME": str(machine.home), "PYTHONPATH": str(CHECKOUT), "COLUMNS": "200",
               "NO_COLOR": "1", "TERM": "dumb"}  # fmt: skip
    code = "import sys; from coordhooks.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "leases"], cwd=machine.repo, env=environ, stdout=theirs
    )
    os.close(theirs)
    out = b""
    try:
        while chunk := os.read(ours, 65536):
            out += chunk
    except OSError:  # the end of a terminal
        pass
    os.close(ours)
    assert process.wait(timeout=60) == 0
    assert b"[red]x[/red].py" in out
    assert b"[bold]what" in out
    assert b"[2J" not in out


def test_skill_is_short() -> None:
    text = (CHECKOUT / "skills/coord/SKILL.md").read_text(encoding="utf-8")
    assert text.startswith("---\nname: coord\ndescription: ")
    assert len(text.split()) < 150
    for verb in re.findall(r"`coord (\w+)", text):
        assert verb in group.COMMANDS
