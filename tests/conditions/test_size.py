"""A store of a gigabyte: a hook reads as little of it as of a small one."""

from pathlib import Path

import pytest
from hooks.agent import Agent
from hooks.world import World

from conditions import survival, syscalls
from conditions.conftest import Tally

GROWTH = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
INSERT INTO {table} SELECT {values} FROM n
"""
AUDIT = "audit(at, event, details) ", "1.0 + i, 'leases_claimed', '{\"x\": \"' || hex(zeroblob(400)) || '\"}'"
MESSAGES = (
    "messages(message_id, sender, kind, body, refs, created_at)",
    "'m-' || i, 's-' || (i % 500), 'fyi', hex(zeroblob(200)), '[]', 1.0 + i",
)
DELIVERIES = (
    "deliveries(message_id, runtime_id, state, created_at)",
    "'m-' || i, 's-' || (i % 500), CASE WHEN i % 3 THEN 'acked' ELSE 'queued' END, 1.0",
)
GIGABYTE = 1 << 30


def grow(world: World) -> None:
    """A million events of the audit and 200,000 messages, of agents of long ago."""
    for (table, values), count in ((AUDIT, 1_050_000), (MESSAGES, 200_000), (DELIVERIES, 200_000)):
        world.rows(GROWTH.format(table=table, values=values, count=count))
    world.rows("PRAGMA wal_checkpoint(TRUNCATE)")


def reads(world: World, agent: Agent, out: Path, name: str) -> int:
    """How many pages a permitted write reads and writes: exact on any machine."""
    assert agent.write(world.repo / name, prefix=syscalls.prefix(out)).silent
    return sum(call.name in ("pread64", "pwrite64") for call in syscalls.read(out))


@pytest.mark.torture
@syscalls.needs_strace
def test_a_store_of_a_gigabyte(world: World, tmp_path: Path, tally: Tally) -> None:
    a, b = world.pair()
    world.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    before = reads(world, a, tmp_path / "small", "src/a.py")
    grow(world)
    assert world.database.stat().st_size > GIGABYTE
    after = reads(world, a, tmp_path / "large", "src/b.py")
    assert after < before + 40, "a few more levels of the trees, no more"
    survival.works_as_ever(world, b, a)
    tally(f"a store of 1 GB: {after} pages are read or written instead of {before}", 1)
