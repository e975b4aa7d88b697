"""What is pruned, and what is kept: only where the user asked for it, a little once a day."""

import os
import time

import pytest
from store.support import Clock

from coordhooks import upkeep
from coordhooks.store import CoordStore, retention, settings

DAY = retention.DAY  # seconds


def counts(store: CoordStore) -> tuple[int, int, int]:
    with store.transaction() as tx:
        return tuple(  # type: ignore[return-value]
            int(tx.all(f"SELECT count(*) AS n FROM {table}")[0]["n"])
            for table in ("messages", "deliveries", "audit")
        )


@pytest.fixture
def pair(store: CoordStore) -> tuple[str, str]:
    return store.register_instance("a", ttl_seconds=1e9), store.register_instance("b", ttl_seconds=1e9)


def prune(store: CoordStore) -> None:
    with store.transaction() as tx:
        retention.prune(tx)


def test_everything_is_kept_unless_the_user_says_otherwise(
    store: CoordStore, clock: Clock, pair: tuple[str, str]
) -> None:
    store.ack(pair[1], [store.send_message(pair[0], recipient=pair[1], body="old")])
    before = counts(store)
    clock.now += 1000 * DAY
    prune(store)
    assert counts(store) == before


def test_old_events_and_read_messages_go_and_unread_ones_stay(
    store: CoordStore, clock: Clock, pair: tuple[str, str]
) -> None:
    a, b = pair
    with store.transaction() as tx:
        settings.put(tx, "", "retention", 30 * DAY)
    store.ack(b, [store.send_message(a, recipient=b, body="read")])
    unread = store.send_message(a, recipient=b, body="unread")
    clock.now += 31 * DAY
    late = store.send_message(a, recipient=b, body="late")
    store.ack(b, [late])
    prune(store)
    with store.transaction() as tx:
        assert {row["message_id"] for row in tx.all("SELECT message_id FROM messages")} == {unread, late}
        assert {row["message_id"] for row in tx.all("SELECT message_id FROM deliveries")} == {unread, late}
        assert [row["event"] for row in tx.all("SELECT event FROM audit ORDER BY event_id")][-1] == "pruned"
        assert not tx.all("SELECT 1 FROM audit WHERE at < ?", clock.now - 30 * DAY)
    assert [row["body"] for row in store.inbox(b)] == ["unread"]


def test_once_a_day(store: CoordStore, clock: Clock, pair: tuple[str, str]) -> None:
    assert pair
    with store.transaction() as tx:
        settings.put(tx, "", "retention", DAY)
    prune(store)
    clock.now += 0.9 * DAY
    before = counts(store)
    prune(store)
    assert counts(store) == before
    clock.now += 2 * DAY
    prune(store)
    assert counts(store)[2] < before[2]


def test_what_a_kill_left_while_the_store_was_made_is_swept(db_path, store):
    with store.transaction():
        pass
    old = time.time() - upkeep.LEFT_SECONDS - 1
    for name in ("coord.db.1a.new", "coord.db.1a.new-journal", "coord.db.2b.new", "other.new", "coord.db-x"):
        (db_path.parent / name).touch()
        if name != "coord.db.2b.new":  # somebody may be at that one
            os.utime(db_path.parent / name, (old, old))
    (db_path.parent / "coord.db.3c.new").mkdir()
    os.utime(db_path.parent / "coord.db.3c.new", (old, old))
    retention.sweep(str(db_path))
    left = {path.name for path in db_path.parent.iterdir()} - {"coord.db", "coord.db-wal", "coord.db-shm"}
    assert left == {"coord.db.2b.new", "other.new", "coord.db-x", "coord.db.3c.new"}
