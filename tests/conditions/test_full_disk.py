"""A disk that is full, or fails, at every write of a hook: the documented outcome, and afterwards it just goes on."""

import contextlib
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from harness import torture
from hooks.agent import Agent, Running
from hooks.reply import Reply
from hooks.world import World

from conditions import survival, syscalls
from conditions.conftest import Tally
from conditions.survival import Snapshot

TEXT = "the parser has moved"
PAGE = 4096  # bytes: what a small disk gives out at a time


class Work(NamedTuple):
    """A hook of ``sess-A`` that writes: what led up to it, how it is begun, and what it must answer."""

    before: Callable[[World, Agent, Agent], object]
    begin: Callable[..., Running]
    judge: Callable[[World, Agent, Reply], object]


def refused_or_held(world: World, a: Agent, reply: Reply) -> None:
    """A denied call takes nothing; a permitted one has its lease."""
    if reply.denied:
        assert reply.denied.startswith("Not written: coordhooks could not check who holds this file ("), reply
        remedies = ("Run `coord doctor --fix`, then try again.", " is full: make room on it, then try again.")
        assert reply.denied.endswith(remedies)
    assert (reply.denied == "") is ("src/a.py" in held(world))


def held(world: World) -> dict[str, str]:
    return world.leases() if world.database.exists() else {}


def passes(world: World, a: Agent, reply: Reply) -> None:
    assert not reply.denied
    assert not reply.held


def shown_or_kept(world: World, a: Agent, reply: Reply) -> None:
    """At least once, never lost: what was not shown now is shown later, without anybody's hand."""
    passes(world, a, reply)
    world.pass_time(11)
    later = a.hook("PostToolUse", tool_use_id="call-later")
    assert TEXT in reply.context + later.context


def nothing(world: World, a: Agent, b: Agent) -> None:
    return None


def a_message(world: World, a: Agent, b: Agent) -> None:
    world.send("sess-B", "sess-A", TEXT)


def a_lease(world: World, a: Agent, b: Agent) -> None:
    assert not a.write(world.repo / "src/a.py").denied


def no_state(world: World, a: Agent, b: Agent) -> None:
    for path in world.state.rglob("*"):
        if path.is_file():
            path.unlink()
    (world.state / "ledger").rmdir()
    world.state.rmdir()


def claim(world: World, a: Agent, **options: object) -> Running:
    return a.begin_write(world.repo / "src/a.py", **options)


def event(name: str, **fields: object) -> Callable[..., Running]:
    return lambda world, a, **options: a.begin(name, **fields, **options)


WORKS = {
    "a claim": Work(nothing, claim, refused_or_held),
    "a claim on a machine without state": Work(no_state, claim, refused_or_held),
    "a message that is shown": Work(a_message, event("PostToolUse", tool_use_id="call-1"), shown_or_kept),
    "a prompt and its ledger appends": Work(nothing, event("UserPromptSubmit", prompt="Fix", prompt_id="p-9"), passes),
    "a session's start": Work(a_message, event("SessionStart", source="compact"), shown_or_kept),
    "a turn's end": Work(a_lease, event("Stop", background_tasks=[]), passes),
    "a session's end": Work(a_lease, event("SessionEnd"), passes),
}  # fmt: skip


def judge(world: World, a: Agent, b: Agent, work: Work, reply: Reply) -> bool:
    """Hold the reply, and what is left behind, to the rules; did anything fail?"""
    survival.in_time(reply)
    failed = bool(reply.stderr) or bool(world.problems())
    assert bool(reply.stderr) <= bool(world.problems()), "a failure that is recorded nowhere"
    work.judge(world, a, reply)
    survival.goes_on(world, b, a)
    assert not survival.litter(world)
    return failed


def without_shared_memory(world: World) -> None:
    """So that its making is among the writes."""
    Path(f"{world.database}-shm").unlink(missing_ok=True)


@syscalls.needs_strace
@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
@pytest.mark.parametrize("name", WORKS)
def test_full_at_every_write(world: World, tmp_path: Path, tally: Tally, name: str, error: str) -> None:
    work, out = WORKS[name], tmp_path / "trace"
    a, b = world.pair()
    work.before(world, a, b)
    start = Snapshot(world)
    without_shared_memory(world)
    work.begin(world, a, prefix=syscalls.prefix(out)).reply()
    calls = syscalls.filling(syscalls.read(out), world.state)
    calls = syscalls.sample(calls, torture.count(4, len(calls)))
    failed = 0
    for call in calls:
        start.restore()
        without_shared_memory(world)
        reply = work.begin(world, a, prefix=syscalls.fail_at(out, call, error)).reply()
        failed += judge(world, a, b, work, reply)
    tally(f"{error} at every write of {name}", len(calls))
    assert failed, "not one of them was noticed"


@pytest.fixture
def small_disk(world: World) -> Iterator[Path]:
    """The state folder on a file system of its own, of 1 MiB."""
    world.state.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", str(world.state)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("a small file system can be mounted by root only")
    yield world.state
    subprocess.run(["umount", "--lazy", str(world.state)], check=True)


@pytest.mark.parametrize("name", [name for name in WORKS if "without state" not in name])
def test_room_for_a_few_pages_only(world: World, small_disk: Path, tally: Tally, name: str) -> None:
    """On a real disk with so many pages left: with 0 nothing goes, with enough everything."""
    work = WORKS[name]
    a, b = world.pair()
    work.before(world, a, b)
    start = Snapshot(world)
    rooms = list(range(0, 32, torture.count(8, 1)))
    failures = []
    for pages in rooms:
        for path in small_disk.iterdir():
            subprocess.run(["rm", "-rf", str(path)], check=True)
        start.fill()
        fill(small_disk / "fill", pages)
        reply = work.begin(world, a).reply()
        survival.in_time(reply)
        failures.append(bool(reply.stderr))
        (small_disk / "fill").unlink()
        work.judge(world, a, reply)
        survival.goes_on(world, b, a)
    tally(f"a real disk with 0 to 31 pages left at {name}", len(rooms))
    assert failures[0] >= failures[-1]


def fill(path: Path, pages: int) -> None:
    """Use up all room but for so many pages."""
    with open(path, "wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(PAGE)) == PAGE:
            pass
    size = path.stat().st_size // PAGE * PAGE
    with open(path, "r+b") as file:
        file.truncate(max(0, size - pages * PAGE))
