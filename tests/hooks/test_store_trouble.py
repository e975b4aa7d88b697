"""A store that can't be used is never taken for "no lease": file tools are refused, everything else goes on."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hooks.agent import Agent
from hooks.reply import Reply
from hooks.world import World

# Root may do what modes forbid; a root without capabilities may not.
POWERLESS = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.getuid() == 0 else ()
needs_modes = pytest.mark.skipif(
    bool(POWERLESS) and shutil.which("setpriv") is None,
    reason="root can't be held to file modes without setpriv",
)


def garble(world: World) -> None:
    with open(world.database, "r+b") as file:
        file.seek(4096)
        file.write(b"\0" * 4096 * 30)


def truncate(world: World) -> None:
    with open(world.database, "r+b") as file:
        file.truncate(5000)


def empty(world: World) -> None:
    os.truncate(world.database, 0)


def replace_by_text(world: World) -> None:
    world.database.write_text("Shopping list\n" * 400)


def replace_by_folder(world: World) -> None:
    world.database.unlink()
    world.database.mkdir()


def replace_by_link(world: World) -> None:
    world.database.rename(world.home / "elsewhere")
    world.database.symlink_to(world.home / "elsewhere")


def replace_by_pipe(world: World) -> None:
    world.database.unlink()
    os.mkfifo(world.database)


def drop_leases(world: World) -> None:
    world.rows("DROP TABLE leases")


def demand_newer_program(world: World) -> None:
    world.rows("PRAGMA user_version = 99")
    world.rows("UPDATE meta SET value = 99 WHERE name = 'min_reader'")


TROUBLES = [empty, garble, truncate, replace_by_text, replace_by_folder, replace_by_link, replace_by_pipe, drop_leases,
            demand_newer_program]  # fmt: skip


@pytest.fixture
def held(world: World) -> tuple[Agent, Agent]:
    """``sess-A`` holds src/a.py; nobody has the store open."""
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    world.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    return a, b


def refused(reply: Reply) -> str:
    assert reply.denied.startswith("Not written: coordhooks could not check who holds this file ("), reply
    remedies = ("Run `coord doctor --fix`, then try again.", " is full: make room on it, then try again.")
    assert reply.denied.endswith(remedies)
    assert len(reply.denied) <= 400
    return reply.denied


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_store_that_cant_be_used(
    world: World, held: tuple[Agent, Agent], trouble: Callable[[World], None]
) -> None:
    trouble(world)
    before = content(world.database)
    agent = held[1]
    refused(agent.write(world.repo / "src/a.py"))
    refused(agent.write(world.repo / "src/b.py"))
    for passes in (agent.bash("true"), agent.stop(), agent.hook("SessionEnd"), agent.hook("SubagentStop")):
        assert not passes.stdout
    assert "coord doctor --fix" in agent.start("compact").notice
    assert "coord doctor" in agent.prompt().notice
    assert content(world.database) == before, "only `coord doctor --fix` may touch it"
    assert world.problems() or world.audit("could_not_tell")


def content(path: Path) -> bytes:
    """What is in the store's place; nothing if SQLite can still read it, and so may change it."""
    data = path.read_bytes() if path.is_file() else b""
    return b"" if data.startswith(b"SQLite format 3\0") else data


def test_on_error_allow_lets_writes_through_while_the_store_is_broken(
    world: World, held: tuple[Agent, Agent]
) -> None:
    world.configure('on_error = "allow"')
    replace_by_text(world)
    assert not held[1].write(world.repo / "src/a.py").stdout
    assert len(world.problems()) == 1


def test_a_store_that_is_locked_past_the_deadline(world: World, held: tuple[Agent, Agent]) -> None:
    agent = held[1]
    lock = sqlite3.connect(world.database, isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    write = agent.begin_write(world.repo / "src/a.py")
    shell = agent.begin("PreToolUse", tool_name="Bash", tool_input={"command": "true"})
    stop, start, prompt = agent.begin("Stop"), agent.begin("SessionStart"), agent.begin("UserPromptSubmit")
    assert "locked" in refused(write.reply())
    assert write.reply().seconds < 8
    assert not shell.reply().stdout
    assert not stop.reply().stdout
    assert "locked" in start.reply().notice
    assert "locked" in prompt.reply().notice
    lock.execute("ROLLBACK")
    lock.close()
    assert len(world.problems()) == 5
    assert "5 times" in agent.prompt().notice
    assert world.leases() == {"src/a.py": "sess-A"}


def test_a_short_lock_only_delays(world: World, held: tuple[Agent, Agent]) -> None:
    lock = sqlite3.connect(world.database, isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    write = held[1].begin_write(world.repo / "src/b.py")
    write.started.result(timeout=30)
    lock.execute("ROLLBACK")
    lock.close()
    assert write.reply().silent


@pytest.mark.parametrize("state", ["an empty -wal", "a newer schema that still lets us in"])
def test_what_only_looks_like_damage_is_none(world: World, held: tuple[Agent, Agent], state: str) -> None:
    if state == "an empty -wal":
        Path(f"{world.database}-wal").write_bytes(b"")
    else:
        world.rows("PRAGMA user_version = 99")
        world.rows("ALTER TABLE leases ADD COLUMN later TEXT NOT NULL DEFAULT 'x'")
        world.rows("CREATE TABLE of_the_future (x)")
    a, b = held
    assert a.write(world.repo / "src/a.py").silent
    assert b.write(world.repo / "src/a.py").denied.startswith("Not an error: src/a.py ")
    assert not world.problems()
    if state.startswith("a newer"):
        assert world.rows("PRAGMA user_version") == [{"user_version": 99}]


def test_a_store_that_was_set_aside_is_begun_anew_by_any_event(
    world: World, held: tuple[Agent, Agent]
) -> None:
    for path in world.state.iterdir():
        path.rename(world.home / path.name)
    a, b = held
    assert a.write(world.repo / "src/a.py").silent
    assert b.write(world.repo / "src/a.py").denied
    assert world.live() == ["sess-A", "sess-B"]


# -- modes and space --------------------------------------------------------------------------------------


@needs_modes
@pytest.mark.parametrize(
    ("target", "mode"), [("db", 0o000), ("db", 0o444), ("state", 0o000), ("state", 0o500)]
)
def test_a_store_that_may_not_be_written(
    world: World, held: tuple[Agent, Agent], target: str, mode: int
) -> None:
    path = world.database if target == "db" else world.state
    for side in ("-wal", "-shm"):
        Path(f"{world.database}{side}").unlink(missing_ok=True)
    path.chmod(mode)
    reply = held[1].write(world.repo / "src/a.py", prefix=POWERLESS)
    if target == "db":  # nothing but its mode is wrong, and it is ours: it may be put right
        assert reply.denied
    else:
        assert str(world.state) in refused(reply)
    assert not held[1].hook("Stop", prefix=POWERLESS).stdout
    path.chmod(0o700 if target == "state" else 0o600)
    assert held[0].write(world.repo / "src/a.py").silent


@needs_modes
def test_a_home_that_may_not_be_written(world: World) -> None:
    world.home.chmod(0o555)
    agent = world.agent()
    reply = agent.write(world.repo / "src/a.py", prefix=POWERLESS)
    assert str(world.home) in refused(reply)
    assert str(world.home) in agent.hook("SessionStart", prefix=POWERLESS).notice
    assert not agent.hook("Stop", prefix=POWERLESS).stdout
    assert not world.state.exists()


@pytest.fixture
def small_disk(world: World) -> Iterator[Path]:
    """The state folder on a file system of its own, of 1 MiB."""
    world.state.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", str(world.state)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("a small file system can be mounted by root only")
    yield world.state
    subprocess.run(["umount", "--lazy", str(world.state)], check=True)


def test_a_disk_that_is_full_loses_nothing(world: World, small_disk: Path) -> None:
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    fill = small_disk / "fill"
    with open(fill, "wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"x" * 1024):
            pass
    before = sorted(path.name for path in small_disk.iterdir())
    taken = [b.write(world.repo / "src/a.py"), b.write(world.repo / "src/b.py")]
    for _ in range(40):  # what room was left in the log of the store is used up at last
        taken.append(b.write(world.repo / f"src/{len(taken)}.py"))
        if taken[-1].denied:
            break
    assert taken[0].denied
    assert "full" in refused(taken[-1])
    assert not b.stop().stdout
    assert not b.hook("SessionEnd").stdout
    assert set(before) <= {path.name for path in small_disk.iterdir()}
    fill.unlink()
    assert a.write(world.repo / "src/a.py").silent
    assert b.write(world.repo / "src/a.py").denied.startswith("Not an error")
    assert world.rows("PRAGMA integrity_check") == [{"integrity_check": "ok"}]


# -- where the store is -----------------------------------------------------------------------------------

PLACES = {
    "a relative XDG_STATE_HOME": {"XDG_STATE_HOME": "state"},
    "an empty XDG_STATE_HOME": {"XDG_STATE_HOME": ""},
    "an XDG_STATE_HOME of blanks": {"XDG_STATE_HOME": "  "},
    "another runtime folder": {"XDG_RUNTIME_DIR": "/nowhere"},
    "the same folder by name": {"XDG_STATE_HOME": "$HOME/.local/state"},
}


@pytest.mark.parametrize("env", PLACES.values(), ids=PLACES)
def test_agents_with_different_environments_meet_in_one_store(world: World, env: dict[str, str]) -> None:
    env = {name: value.replace("$HOME", str(world.home)) for name, value in env.items()}
    a, b = world.agent("sess-A", **env), world.agent("sess-B", cwd=world.repo / "lib")
    before = sorted(world.repo.rglob("*"))
    a.write(world.repo / "src/a.py")
    assert b.write("../src/a.py").denied.startswith("Not an error: src/a.py ")
    assert sorted(world.repo.rglob("*")) == before


@pytest.mark.parametrize("said", [None, "", "relative"])
def test_without_a_home_the_accounts_own_counts(world: World, said: str | None) -> None:
    """In a copy of the program whose account data base says that the home is the test's."""
    world.tamper(
        "locations.py",
        f"import pwd\npwd.getpwuid = lambda uid: pwd.struct_passwd([*'nx00x', {str(world.home)!r}, ''])",
    )
    a, b = world.agent("sess-A", HOME=said), world.agent("sess-B")
    assert a.write(world.repo / "src/a.py").silent
    assert b.write(world.repo / "src/a.py").denied.startswith("Not an error")
    assert not (world.repo / ".local").exists()


@needs_modes
def test_without_any_home_a_write_is_refused_and_nothing_breaks(world: World) -> None:
    world.tamper("locations.py", "import pwd\ndef unknown(uid): raise KeyError(uid)\npwd.getpwuid = unknown")
    agent = world.agent(HOME=None)
    assert agent.write(world.repo / "src/a.py").denied.startswith("Not written")
    assert not agent.bash("true").stdout
    assert not agent.stop().stdout


# -- its own files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("umask", [0o000, 0o002, 0o077], ids=oct)
def test_files_are_private_whatever_the_umask(world: World, umask: int) -> None:
    agent = world.agent()
    agent.hook("SessionStart", umask=umask)
    agent.hook("Stop", stdin=b"", umask=umask)
    agent.hook("PreToolUse", tool_input={}, umask=umask)
    agent.hook("PreToolUse", tool_input={"file_path": str(world.repo / "src/a.py")}, umask=umask)
    keep = sqlite3.connect(world.database)
    keep.execute("SELECT count(*) FROM runtimes")
    agent.hook("Stop", umask=umask)
    found = [world.state, *world.state.rglob("*")]
    modes = {str(path): oct(path.stat().st_mode & 0o777) for path in found}
    expected = {str(path): "0o700" if path.is_dir() else "0o600" for path in found}
    keep.close()
    assert {"coord.sqlite3", "coord.sqlite3-wal", "coord.sqlite3-shm", "problems.jsonl"} <= {
        p.name for p in found
    }
    assert modes == expected


def test_loose_modes_are_tightened(world: World, held: tuple[Agent, Agent]) -> None:
    world.state.chmod(0o755)
    world.database.chmod(0o644)
    held[0].write(world.repo / "src/a.py")
    assert [oct(path.stat().st_mode & 0o777) for path in (world.state, world.database)] == ["0o700", "0o600"]


def test_records_are_not_written_through_a_planted_link(world: World, held: tuple[Agent, Agent]) -> None:
    victim = world.home / "victim"
    victim.write_text("mine")
    (world.state / "problems.jsonl").symlink_to(victim)
    held[0].hook("Stop", stdin=b"")
    assert victim.read_text() == "mine"
    assert held[0].prompt().rc == 0
