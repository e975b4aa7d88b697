"""What must be true whatever happened: asked after every injection."""

import shutil
from pathlib import Path

from hooks.agent import Agent
from hooks.reply import Reply
from hooks.world import World

from coordhooks.ledger import Ledger

DEADLINE = 7.0  # seconds: the hook's own limit is 5, and a machine that is busy starts it late


class Snapshot:
    """The state folder as it was, to put back before each injection. The agents' processes go on living."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.folder = world.home / "snapshot"
        if world._store is not None:
            world._store.close()
            world._store = None
        if world.state.exists():
            shutil.copytree(world.state, self.folder)

    def restore(self) -> None:
        """The same again, to the file."""
        shutil.rmtree(self.world.state, ignore_errors=True)
        if self.folder.exists():
            self.fill()

    def fill(self) -> None:
        """Into a state folder that is empty, or not there."""
        shutil.copytree(self.folder, self.world.state, dirs_exist_ok=True)


def in_time(reply: Reply) -> Reply:
    assert reply.seconds < DEADLINE, reply
    return reply


def whole(world: World) -> None:
    """The store is sound, no name has two holders, every message has its deliveries; the ledger opens."""
    assert world.rows("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    assert not world.rows(
        "SELECT space, key FROM leases WHERE mode = 'exclusive' GROUP BY space, key HAVING count(*) > 1"
    )
    assert not world.rows(
        "SELECT * FROM messages WHERE message_id NOT IN (SELECT message_id FROM deliveries)"
    )
    ledger = world.state / "ledger"
    if ledger.exists():
        with Ledger(ledger) as opened:
            events = list(opened.events())
            assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
            assert opened.verify()


def goes_on(world: World, agent: Agent, other: Agent, path: str = "src/b.py") -> None:
    """Without anybody's hand: one of two agents writes, the other is refused, as if nothing had happened."""
    mine, others = (in_time(who.write(world.repo / path)) for who in (agent, other))
    assert not mine.denied, mine
    assert others.denied.startswith("Not an error: "), others
    whole(world)


def works_as_ever(world: World, a: Agent, b: Agent, name: str = "src/new.py") -> None:
    """A whole round: prompt, write, veto, message, end of the turn, and the file is the other's."""
    path, text = world.repo / name, f"it is about {name}"
    assert not in_time(a.prompt(f"Write {name}")).held
    assert not in_time(a.write(path)).denied
    assert in_time(b.write(path)).denied.startswith("Not an error: ")
    world.send(b.session_id, a.session_id, text)
    assert text in in_time(a.hook("PostToolUse", tool_use_id="call-x")).context
    assert not in_time(a.stop()).held
    assert not in_time(b.write(path)).denied
    whole(world)


def litter(world: World) -> list[str]:
    """What lies in the state folder and is no part of it."""
    return [path.name for path in Path(world.state).rglob("*") if path.name.endswith((".new", ".tmp"))]
