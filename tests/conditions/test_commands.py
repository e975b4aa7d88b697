"""Commands that are killed, or meet a full disk, at every call: sending, queueing a task, installing."""

import base64
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from harness import torture
from hooks.agent import Agent, Running
from hooks.tasklog import tasks
from hooks.world import CHECKOUT, World

from conditions import survival, syscalls
from conditions.conftest import Tally
from conditions.survival import Snapshot
from coordhooks.install import merge
from coordhooks.install.places import Places

TEXT = "the parser has moved"
SETTINGS = '{\n  "model": "opus"\n}\n'
COORD = "import sys; from coordhooks.cli import main; sys.exit(main())"
INSTALL = "import sys; from coordhooks.install.__main__ import main; sys.exit(main())"


def begin(agent: Agent, program: str, *words: str, prefix: tuple[str, ...] = ()) -> Running:
    """A command in the agent's shell."""
    order = {
        "id": next(agent._ids),
        "argv": [*prefix, sys.executable, "-c", program, *words],
        "env": agent.environ({"PYTHONPATH": str(CHECKOUT)}),
        "cwd": str(agent.world.repo),
        "umask": 0o022,
        "stdout": "",
        "keep_open": False,
        "stdin": "",
    }
    return agent._send("command", order, 0)


class Said(NamedTuple):
    rc: int
    err: str


def ended(running: Running) -> Said:
    """How it ended; in words, if it could not do its work."""
    answer: dict[str, Any] = running.wait()
    err = base64.b64decode(answer["stderr"]).decode()
    assert "Traceback" not in err, err
    assert answer["rc"] in (0, -9) or err, "a failure without a word"
    return Said(answer["rc"], err)


def done(running: Running) -> None:
    said = ended(running)
    assert said.rc == 0, said


# -- what they do, and what is asked afterwards -----------------------------------------------------------


def send(a: Agent, prefix: tuple[str, ...] = ()) -> Running:
    return begin(a, COORD, "send", a.world.runtime("sess-B")["runtime_id"], TEXT, prefix=prefix)


def is_sent(world: World, a: Agent, b: Agent, said: Said) -> None:
    """Sent once, or not at all and told so; a retry never doubles it."""
    count = len(world.rows("SELECT * FROM messages"))
    assert count <= 1
    assert count == 1 or said.rc != 0
    assert count == 0 or said.rc in (0, -9)
    assert (ended(send(a)).rc == 0) is (count == 0), "the same words again are refused"
    assert len(world.rows("SELECT * FROM messages")) == 1
    assert b.hook("PostToolUse", tool_use_id="call-1").context.count(TEXT) == 1
    survival.goes_on(world, b, a)


def add(a: Agent, prefix: tuple[str, ...] = ()) -> Running:
    return begin(a, COORD, "task", "add", "--title", "Tidy", prefix=prefix)


def is_queued(world: World, a: Agent, b: Agent, said: Said) -> None:
    titles = [task["title"] for task in tasks(world)]
    assert titles.count("Tidy") == 1 if said.rc == 0 else titles.count("Tidy") <= 1
    done(add(a))
    assert [task["title"] for task in tasks(world)] == [*titles, "Tidy"]
    survival.goes_on(world, b, a)


def install(a: Agent, prefix: tuple[str, ...] = ()) -> Running:
    return begin(a, INSTALL, "install", prefix=prefix)


def is_installed(world: World, a: Agent, b: Agent, said: Said) -> None:
    """Whole or not at all; then it can be installed, and taken away to the byte."""
    entries = merge.installed(json.loads(settings(world).read_bytes()))
    done(install(a))
    whole = merge.installed(json.loads(settings(world).read_bytes()))
    assert whole > 0
    assert entries in (0, whole)
    done(begin(a, INSTALL, "uninstall"))
    assert settings(world).read_text() == SETTINGS
    assert not [path for path in world.home.rglob("*.tmp") if "snapshot" not in path.parts]


def settings(world: World) -> Path:
    return world.home / ".claude" / "settings.json"


def places(world: World) -> Places:
    return Places.here({"HOME": str(world.home)}, str(world.repo))


def no_program(world: World) -> None:
    return None


def a_program(world: World) -> None:
    """An installed version, and settings of the user's own."""
    shutil.rmtree(places(world).data, ignore_errors=True)
    version = Path(places(world).versions, "1-test")
    (version / "bin").mkdir(parents=True)
    (version / "bin" / "python3").symlink_to(sys.executable)
    (version / "site" / "coordhooks").mkdir(parents=True)
    (version / "site" / "coordhooks" / "hook.py").touch()
    shutil.copytree(CHECKOUT / "hooks", version / "site" / "coordhooks" / "_hooks")
    Path(places(world).current).symlink_to("versions/1-test")
    for folder in (".claude", ".codex"):
        shutil.rmtree(world.home / folder, ignore_errors=True)
    settings(world).parent.mkdir()
    settings(world).write_text(SETTINGS)


class Command(NamedTuple):
    """``folder`` in the home is where it writes."""

    before: Callable[[World], None]
    begin: Callable[..., Running]
    after: Callable[[World, Agent, Agent, Said], None]
    folder: str


COMMANDS = {
    "coord send": Command(no_program, send, is_sent, ".local/state/coordhooks"),
    "coord task add": Command(no_program, add, is_queued, ".local/state/coordhooks"),
    "an install": Command(a_program, install, is_installed, ""),
}


def traced(world: World, a: Agent, command: Command, out: Path) -> list[syscalls.Call]:
    command.before(world)
    done(command.begin(a, prefix=syscalls.prefix(out)))
    return syscalls.read(out)


@syscalls.needs_strace
@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
@pytest.mark.parametrize("name", COMMANDS)
def test_full_at_every_write(world: World, tmp_path: Path, tally: Tally, name: str, error: str) -> None:
    command, out = COMMANDS[name], tmp_path / "trace"
    a, b = world.pair()
    start = Snapshot(world)
    calls = syscalls.filling(traced(world, a, command, out), world.home / command.folder)
    calls = syscalls.sample(calls, torture.count(4, len(calls)))
    failed = 0
    for call in calls:
        start.restore()
        command.before(world)
        said = ended(command.begin(a, prefix=syscalls.fail_at(out, call, error)))
        command.after(world, a, b, said)
        failed += said.rc != 0
    tally(f"{error} at every write of `{name}`", len(calls))
    assert failed, "not one of them was noticed"


@syscalls.needs_strace
@pytest.mark.parametrize("name", COMMANDS)
def test_killed_at_every_system_call(world: World, tmp_path: Path, tally: Tally, name: str) -> None:
    command, out = COMMANDS[name], tmp_path / "trace"
    a, b = world.pair()
    start = Snapshot(world)
    folder = world.home / command.folder
    calls = [c for c in traced(world, a, command, out) if str(folder) in c.text]  # the others change nothing
    calls = syscalls.sample(calls, torture.count(4, 150))
    killed = 0
    for call in calls:
        start.restore()
        command.before(world)
        said = ended(command.begin(a, prefix=syscalls.kill_at(out, call)))
        killed += said.rc == -9
        command.after(world, a, b, said)
    tally(f"`{name}` is killed at its system calls", killed)
    assert killed > len(calls) * 0.8, "the calls differ too much from run to run"
