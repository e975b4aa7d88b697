"""What becomes of processes: stopped in the middle, in another pid namespace, gone with the boot they ran in."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hooks.agent import Agent
from hooks.world import World

from conditions import survival, syscalls
from conditions.conftest import Tally

TEXT = "the parser has moved"
USER = () if os.getuid() == 0 else ("--user", "--map-root-user")


def unshare(*options: str) -> tuple[str, ...]:
    return ("unshare", *USER, *options)


def may(*options: str) -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*unshare(*options), "true"], check=False, capture_output=True).returncode == 0


needs_pid_namespaces = pytest.mark.skipif(
    not may("--pid", "--fork", "--mount-proc"), reason="no pid namespace can be made here"
)
needs_mounts = pytest.mark.skipif(
    not may("--mount", "sh", "-c", "mount --bind /dev/null /proc/sys/kernel/random/boot_id"),
    reason="nothing can be mounted here, not even for oneself",
)


# -- stopped ----------------------------------------------------------------------------------------------


MOMENTS = {
    "in its commit": ("-wal", survival.DEADLINE),
    # Here SQLite waits by itself, for 10 s, and hears neither of the time-out nor of a signal.
    "making the shared memory": ("-shm", 7.0),
}


@syscalls.needs_strace
@pytest.mark.parametrize(
    "name", ["in its commit", pytest.param("making the shared memory", marks=pytest.mark.torture)]
)
def test_a_hook_that_is_stopped(world: World, tmp_path: Path, tally: Tally, name: str) -> None:
    """As by a frozen container. The others are told in time; once it goes on, so does everything."""
    a, b = world.pair()
    suffix, limit = MOMENTS[name]
    out = tmp_path / "trace"
    a.begin_write(world.repo / "src/b.py", prefix=syscalls.prefix(out)).reply()
    writes = (call for call in syscalls.read(out) if call.name == "pwrite64")
    call = [call for call in writes if f"{world.database}{suffix}>" in call.text][1]
    out.unlink()
    running = a.begin_write(world.repo / "src/c.py", prefix=syscalls.stop_at(out, call))
    running.started.result(timeout=30)
    hook = stopped(out)
    reply = b.write(world.repo / "src/d.py")
    assert reply.seconds < limit
    assert reply.denied.startswith("Not written")
    os.kill(hook, signal.SIGCONT)
    running.wait()
    survival.goes_on(world, b, a, "src/d.py")
    tally(f"a hook stopped by SIGSTOP {name}", 1)


def stopped(out: Path) -> int:
    """The traced process, once it stands still."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if found := re.search(
            r"^(\d+) +--- stopped by SIGSTOP", out.read_text() if out.exists() else "", re.MULTILINE
        ):
            return int(found[1])
        time.sleep(0.01)
    raise AssertionError("it never stopped")


def test_a_harness_that_is_stopped_keeps_its_files_through_a_night(world: World, tally: Tally) -> None:
    a, b = world.pair()
    call = "call-night"
    assert a.write(world.repo / "src/a.py", tool_use_id=call).silent
    a.signal(signal.SIGSTOP)
    try:
        world.pass_time(8 * 3600)
        assert survival.in_time(b.write(world.repo / "src/a.py")).denied.startswith("Not an error")
    finally:
        a.signal(signal.SIGCONT)
    a.wrote(world.repo / "src/a.py", call)
    assert not a.stop().stdout
    assert not b.write(world.repo / "src/a.py").denied
    tally("a holder stopped by SIGSTOP for eight hours", 1)


# -- pid namespaces ---------------------------------------------------------------------------------------


@pytest.fixture
def inside(world: World, tmp_path: Path) -> Agent:
    """An agent in a pid namespace of its own, as in a container that shares the home."""
    starter = tmp_path / "contained"
    line = " ".join(unshare("--pid", "--fork", "--mount-proc", "--kill-child"))
    # The first process of a namespace is its init; a harness is one below it.
    starter.write_text(f'#!/bin/sh\nexec {line} sh -c \'"$@"; exit\' sh {sys.executable} "$@"\n')
    starter.chmod(0o700)
    return world.agent("sess-inside", python=str(starter), CLAUDE_PID="2")


@needs_pid_namespaces
def test_agents_in_two_pid_namespaces(world: World, inside: Agent, tally: Tally) -> None:
    """Neither sees the other's process: while it gives signs of life, it lives; when it is silent, it is not."""
    outside = world.agent("sess-outside")
    assert inside.write(world.repo / "src/a.py").silent
    assert outside.write(world.repo / "src/b.py").silent
    assert world.runtime("sess-inside")["pid_ns"] != world.runtime("sess-outside")["pid_ns"]
    assert survival.in_time(outside.write(world.repo / "src/a.py")).denied.startswith("Not an error")
    assert survival.in_time(inside.write(world.repo / "src/b.py")).denied.startswith("Not an error")
    inside.close()
    assert outside.write(world.repo / "src/a.py").denied.startswith("Not an error"), (
        "it can't be seen from here"
    )
    world.pass_time(1000)
    assert not outside.write(world.repo / "src/a.py").denied
    survival.whole(world)
    tally("holders in two pid namespaces", 2)


@needs_pid_namespaces
def test_the_same_pid_in_two_namespaces_is_two_processes(world: World, inside: Agent, tally: Tally) -> None:
    """The holder's number is that of a process here, too, and this one's end does not end the other."""
    outside = world.agent("sess-outside")
    assert inside.write(world.repo / "src/a.py").silent
    world.rows("UPDATE runtimes SET pid = ? WHERE conversation_id = 'sess-inside'", outside.pid)
    assert outside.write(world.repo / "src/a.py").denied.startswith("Not an error")
    world.rows("UPDATE runtimes SET pid = 4194000 WHERE conversation_id = 'sess-inside'")
    assert outside.write(world.repo / "src/a.py").denied.startswith("Not an error")
    tally("one pid in two namespaces", 2)


# -- two boots --------------------------------------------------------------------------------------------


@needs_mounts
def test_after_a_reboot(world: World, tmp_path: Path, tally: Tally) -> None:
    """Every process of the former boot is dead, though its number and start may be those of a new one."""
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    a.write(world.repo / "CHANGELOG.md")
    world.send("sess-B", "sess-A", TEXT)
    a.bash("true")
    boot = tmp_path / "boot_id"
    boot.write_text("11111111-2222-3333-4444-555555555555\n")
    mount = f'mount --bind {boot} /proc/sys/kernel/random/boot_id; exec "$@"'
    rebooted = (*unshare("--mount", "sh", "-c", mount, "sh"),)
    fresh = b.write(world.repo / "src/a.py", prefix=rebooted)
    assert not survival.in_time(fresh).denied
    assert "CHANGELOG.md" not in world.leases() or world.leases()["CHANGELOG.md"] != "sess-A"
    resumed = a.start("resume", prefix=rebooted)
    assert TEXT in resumed.context
    assert "was interrupted; it is yours again" in resumed.context
    assert a.write(world.repo / "src/a.py", prefix=rebooted).denied.startswith("Not an error")
    survival.whole(world)
    tally("two boots", 1)


def test_a_pid_that_is_used_again(world: World, tally: Tally) -> None:
    """The harness died, and a process that is none of ours has its number now."""
    a, b = world.pair()
    a.write(world.repo / "src/a.py")
    a.kill9()
    stranger = subprocess.Popen(["sleep", "600"])
    try:
        world.rows("UPDATE runtimes SET pid = ? WHERE conversation_id = 'sess-A'", stranger.pid)
        assert not survival.in_time(b.write(world.repo / "src/a.py")).denied
    finally:
        stranger.kill()
        stranger.wait()
    assert world.live() == ["sess-B"]
    tally("a pid that is used again", 1)
