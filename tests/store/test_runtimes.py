"""Runtimes: registering, resuming, heartbeats, ends, listings and who is meant by a name."""

import uuid
from collections.abc import Callable

import pytest
from store.support import START, Clock, bodies, events, held, in_transaction, set_column

from coordhooks.errors import ClaimRefused
from coordhooks.store import handles, runtimes
from coordhooks.store.coordstore import CoordStore

Agent = Callable[..., str]
BAD_TTLS = [0, -5, float("nan"), float("inf"), "900", None]


# -- register ---------------------------------------------------------------------------------------------


def test_a_runtime_gets_a_fresh_uuid_each_time(store: CoordStore) -> None:
    ids = [store.register_instance("conv") for _ in range(3)]
    assert len(set(ids)) == 3
    assert all(uuid.UUID(one).version == 4 and uuid.UUID(one).variant == uuid.RFC_4122 for one in ids)


def test_register_keeps_what_it_was_told_and_the_times(store: CoordStore, agent: Agent) -> None:
    who = agent("A", harness="claude-code", host="box", cwd="/work", label="reviewer", ttl_seconds=60)
    (row,) = store.live_instances()
    shown = {name: row[name] for name in ("runtime_id", "conversation_id", "harness", "host", "cwd", "label")}
    assert shown == {
        "runtime_id": who, "conversation_id": "conv-A", "harness": "claude-code", "host": "box", "cwd": "/work",
        "label": "reviewer",
    }  # fmt: skip
    assert (row["registered_at"], row["heartbeat_at"], row["expires_at"]) == (START, START, START + 60)
    assert row["handle"] == handles.friendly_handle(who, "runtime")


@pytest.mark.parametrize("conversation", ["", "  ", None, 5])
def test_register_needs_a_conversation_id(store: CoordStore, conversation: object) -> None:
    with pytest.raises(ValueError, match="conversation id"):
        store.register_instance(conversation)


@pytest.mark.parametrize("ttl", BAD_TTLS)
def test_register_needs_a_positive_ttl(store: CoordStore, ttl: object) -> None:
    with pytest.raises(ValueError, match="time to live"):
        store.register_instance("A", ttl_seconds=ttl)
    assert store.live_instances() == []


@pytest.mark.parametrize("runtime_id", ["A", "human", "coordhooks"])
def test_an_id_that_means_something_else_is_refused(store: CoordStore, runtime_id: str) -> None:
    """A runtime id is never equal to the conversation id, nor the name of a person."""
    with pytest.raises(ValueError, match="runtime id"):
        store.register_instance("A", runtime_id=runtime_id)


def test_an_id_that_is_taken_is_refused(store: CoordStore, agent: Agent) -> None:
    agent("A", runtime_id="mine")
    with pytest.raises(ValueError, match="registered already"):
        agent("B", runtime_id="mine")
    store.end_instance("mine")
    with pytest.raises(ValueError, match="registered already"):
        agent("A", runtime_id="mine")


# -- resume -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("death", ["ended", "expired"])
def test_resume_carries_over_what_the_dead_predecessor_had_not_acked(
    store: CoordStore, agent: Agent, clock: Clock, death: str
) -> None:
    sender, old = agent("S", ttl_seconds=1e6), agent("A", ttl_seconds=60)
    ids = [store.send_message(sender, recipient=old, body=body) for body in ("seen", "acked", "new")]
    store.mark_delivered(old, ids[:2])
    store.ack(old, ids[1:2])
    if death == "ended":
        store.end_instance(old)
    else:
        clock.advance(61)
    heir = agent("A")
    assert [(d["body"], d["state"]) for d in store.inbox(heir)] == [("seen", "queued"), ("new", "queued")]
    assert [store.delivery_state(i, old) for i in ids] == [None, "acked", None]
    assert [store.delivery_state(i, heir) for i in ids] == ["delivered", None, "delivered"]
    assert bodies(store, old) == []
    assert events(store, "runtime_registered")[-1]["details"]["messages_carried"] == 2


def test_after_the_ack_a_further_resume_carries_nothing(store: CoordStore, agent: Agent) -> None:
    sender, old = agent("S"), agent("A")
    message = store.send_message(sender, recipient=old, body="once")
    store.end_instance(old)
    second = agent("A")
    assert store.ack(second, [message]) == [message]
    store.end_instance(second)
    assert bodies(store, agent("A")) == []


def test_a_chain_of_resumes_carries_a_message_once(store: CoordStore, agent: Agent) -> None:
    sender, who = agent("S"), agent("A")
    store.send_message(sender, recipient=who, body="far")
    for _ in range(4):
        store.end_instance(who)
        who = agent("A")
    assert bodies(store, who) == ["far"]


def test_a_fork_leaves_the_inbox_of_its_live_predecessor_alone(store: CoordStore, agent: Agent) -> None:
    sender, parent = agent("S"), agent("A")
    message = store.send_message(sender, recipient=parent, body="for the parent")
    fork = agent("A")
    assert bodies(store, fork) == []
    assert bodies(store, parent, mark_delivered=False) == ["for the parent"]
    store.end_instance(parent)
    third = agent("A")
    assert bodies(store, third) == ["for the parent"]
    assert store.delivery_state(message, fork) is None


def test_a_message_that_several_dead_had_is_not_doubled(store: CoordStore, agent: Agent) -> None:
    sender, one, two = agent("S"), agent("A"), agent("A")
    message = store.send_message(sender, recipient=[one, two], body="both")
    for who in (one, two):
        store.end_instance(who)
    heir = agent("A")
    assert [d["message_id"] for d in store.inbox(heir)] == [message]
    assert events(store, "runtime_registered")[-1]["details"]["messages_carried"] == 1


def test_inboxes_of_several_dead_are_merged_oldest_first(
    store: CoordStore, agent: Agent, clock: Clock
) -> None:
    sender, one, two = agent("S"), agent("A"), agent("A")
    for number, who in enumerate([one, two, two, one, two, one]):
        clock.advance(1)
        store.send_message(sender, recipient=who, body=str(number))
    store.end_instance(one)
    store.end_instance(two)
    assert bodies(store, agent("A")) == list("012345")


def test_another_conversation_gets_nothing(store: CoordStore, agent: Agent) -> None:
    sender, old = agent("S"), agent("A", cwd="/same")
    store.send_message(sender, recipient=old, body="mine")
    store.end_instance(old)
    assert bodies(store, agent("B", cwd="/same")) == []


# -- heartbeat --------------------------------------------------------------------------------------------


def test_heartbeat_extends_from_now(store: CoordStore, agent: Agent, clock: Clock) -> None:
    who = agent("A", ttl_seconds=60)
    clock.advance(50)
    assert store.heartbeat(who, ttl_seconds=100) == 0
    (row,) = store.live_instances()
    assert (row["heartbeat_at"], row["expires_at"]) == (START + 50, START + 150)


def test_heartbeat_extends_unexpired_leases_if_asked(store: CoordStore, agent: Agent, clock: Clock) -> None:
    who = agent("A")
    store.claim(who, ["short"], ttl_seconds=5)
    store.claim(who, ["long", "longer"], ttl_seconds=60)
    clock.advance(10)
    assert store.heartbeat(who, ttl_seconds=900) == 0
    assert store.heartbeat(who, ttl_seconds=900, renew_lease_ttl_seconds=100) == 2
    assert {row["path"]: row["expires_at"] for row in store.active_leases()} == {
        "long": START + 110, "longer": START + 110,
    }  # fmt: skip
    assert [e["details"]["leases_renewed"] for e in events(store, "runtime_heartbeat")] == [0, 2]


@pytest.mark.parametrize("state", ["unknown", "ended", "expired"])
def test_heartbeat_is_only_for_the_living(store: CoordStore, agent: Agent, clock: Clock, state: str) -> None:
    who = "nobody" if state == "unknown" else agent("A", ttl_seconds=60)
    if state == "ended":
        store.end_instance(who)
    clock.advance(61)
    with pytest.raises(KeyError, match=r"no runtime|has ended"):
        store.heartbeat(who, ttl_seconds=60)


@pytest.mark.parametrize("ttl", BAD_TTLS)
def test_heartbeat_needs_positive_ttls(store: CoordStore, agent: Agent, ttl: object) -> None:
    who = agent("A")
    with pytest.raises(ValueError, match="time to live"):
        store.heartbeat(who, ttl_seconds=ttl)
    if ttl is not None:
        with pytest.raises(ValueError, match="time to live"):
            store.heartbeat(who, ttl_seconds=60, renew_lease_ttl_seconds=ttl)


# -- end --------------------------------------------------------------------------------------------------


def test_end_stamps_deletes_and_audits(store: CoordStore, agent: Agent, clock: Clock) -> None:
    a, b = agent("A"), agent("B")
    store.claim(a, ["x", "y"])
    store.claim(b, ["z"])
    clock.advance(5)
    assert store.end_instance(a, reason="logout") == 2
    assert held(store) == {"z": b}
    (event,) = events(store, "runtime_ended")
    assert (event["runtime_id"], event["details"]) == (a, {"reason": "logout", "leases_released": 2})
    with store.transaction() as tx:
        row = runtimes.get(tx, a)
    assert (row["ended_at"], row["end_reason"]) == (START + 5, "logout")


@pytest.mark.parametrize("who", ["unknown", "ended", "human", ""])
def test_end_happens_once_and_not_to_persons(store: CoordStore, agent: Agent, who: str) -> None:
    ended = agent("A")
    store.end_instance(ended)
    with pytest.raises(KeyError, match="ended already"):
        store.end_instance(ended if who == "ended" else who)
    assert len(events(store, "runtime_ended")) == 1


def test_a_dead_one_can_still_be_ended(store: CoordStore, agent: Agent, clock: Clock) -> None:
    who = agent("A", ttl_seconds=60)
    store.claim(who, ["x"])
    clock.advance(61)
    assert store.end_instance(who, reason="late") == 1


# -- listing ----------------------------------------------------------------------------------------------


def test_live_are_listed_by_registration_then_id(store: CoordStore, agent: Agent, clock: Clock) -> None:
    first = [agent("A", runtime_id=f"id-{name}") for name in "cab"]
    clock.advance(1)
    last = agent("B", runtime_id="id-0")
    assert [row["runtime_id"] for row in store.live_instances()] == [*sorted(first), last]


def test_the_dead_are_not_listed_and_are_ended_on_the_way(
    store: CoordStore, agent: Agent, clock: Clock
) -> None:
    dead, alive = agent("A", ttl_seconds=10), agent("B", ttl_seconds=100)
    store.claim(dead, ["x"])
    clock.advance(11)
    assert [row["runtime_id"] for row in store.live_instances()] == [alive]
    assert [(e["runtime_id"], e["details"]["reason"]) for e in events(store, "runtime_ended")] == [
        (dead, "found_dead")
    ]


def test_a_dead_parent_and_its_dead_subagents_are_swept_together(
    store: CoordStore, agent: Agent, clock: Clock
) -> None:
    parent = agent("A", ttl_seconds=10)
    children = [agent("A", parent=parent, agent_id=f"sub-{i}", ttl_seconds=10) for i in range(3)]
    clock.advance(11)
    assert store.live_instances() == []
    assert sorted(e["runtime_id"] for e in events(store, "runtime_ended")) == sorted([parent, *children])


def test_a_subagent_that_ended_with_its_dead_parent_is_not_listed(
    store: CoordStore, agent: Agent, clock: Clock
) -> None:
    parent = agent("A", ttl_seconds=10)
    for number in range(4):  # before and after the parent in the order of the listing
        agent("A", parent=parent, agent_id=f"sub-{number}", ttl_seconds=100)
    clock.advance(11)
    assert store.live_instances() == []


def test_listing_by_project(store: CoordStore, agent: Agent) -> None:
    one, _ = agent("A", project="one"), agent("B", project="two")
    assert [row["runtime_id"] for row in store.live_instances(project="one")] == [one]


def test_persons_are_not_listed_and_never_die(store: CoordStore, agent: Agent, clock: Clock) -> None:
    store.claim("human", ["x"], ttl_seconds=1e9)
    clock.advance(1e8)
    assert store.live_instances() == []
    assert held(store) == {"x": "human"}
    assert store.resolve_runtime("human") == "human"


# -- resolve ----------------------------------------------------------------------------------------------


def test_an_exact_runtime_id_a_handle_or_a_conversation_id(store: CoordStore, agent: Agent) -> None:
    who = agent("A")
    (row,) = store.live_instances()
    for identity in (who, row["handle"], row["conversation_handle"], "conv-A"):
        assert store.resolve_runtime(identity) == who


def test_a_conversation_means_its_newest_live_runtime(store: CoordStore, agent: Agent, clock: Clock) -> None:
    first = agent("A")
    clock.advance(1)
    second = agent("A")
    assert store.resolve_runtime("conv-A") == second
    store.end_instance(second)
    assert store.resolve_runtime("conv-A") == first


@pytest.mark.parametrize("cut", [1, 4, 8, -1])
def test_never_by_a_prefix(store: CoordStore, agent: Agent, cut: int) -> None:
    who = agent("A")
    (row,) = store.live_instances()
    for whole in (who, row["handle"], row["conversation_handle"], "conv-A"):
        for part in (whole[:cut], whole[cut:], whole.upper(), f" {whole}", f"{whole}%"):
            if part != whole:
                with pytest.raises(KeyError):
                    store.resolve_runtime(part)


@pytest.mark.parametrize("identity", ["", "%", "_", "unknown", "a-b-c-d-e", "\ud800"])
def test_the_unknown_is_an_error(store: CoordStore, agent: Agent, identity: str) -> None:
    agent("A")
    with pytest.raises((KeyError, ValueError)):
        store.resolve_runtime(identity)


def test_the_dead_are_not_meant(store: CoordStore, agent: Agent) -> None:
    who = agent("A")
    (row,) = store.live_instances()
    store.end_instance(who)
    for identity in (who, row["handle"], "conv-A"):
        with pytest.raises(KeyError):
            store.resolve_runtime(identity)


def test_a_former_runtimes_handle_means_the_resumed_conversation(store: CoordStore, agent: Agent) -> None:
    agent("A", runtime_id="old")
    (row,) = store.live_instances()
    store.end_instance("old")
    heir = agent("A")
    for identity in ("old", row["handle"], row["conversation_handle"]):
        assert store.resolve_runtime(identity) == heir


@pytest.mark.parametrize("column", ["handle", "name"])
def test_an_ambiguous_handle_is_refused_with_advice(store: CoordStore, agent: Agent, column: str) -> None:
    pair = sorted([agent("A"), agent("B")])
    for who in pair:
        set_column(store, who, **{column: "same-old-song"})
    with pytest.raises(KeyError, match="full runtime id") as caught:
        store.resolve_runtime("same-old-song")
    assert all(who in str(caught.value) for who in pair)
    store.end_instance(pair[0])
    assert store.resolve_runtime("same-old-song") == pair[1]


def test_a_handle_of_two_former_runtimes_is_ambiguous_too(store: CoordStore, agent: Agent) -> None:
    for name in "AB":
        old = agent(name)
        set_column(store, old, handle="same-old-song")
        store.end_instance(old)
        agent(name)
    with pytest.raises(KeyError, match="full runtime id"):
        store.resolve_runtime("same-old-song")


def test_one_conversation_with_one_handle_twice_is_ambiguous(store: CoordStore, agent: Agent) -> None:
    for who in (agent("A"), agent("A")):
        set_column(store, who, handle="same-old-song")
    with pytest.raises(KeyError, match="full runtime id"):
        store.resolve_runtime("same-old-song")


# -- kin --------------------------------------------------------------------------------------------------


def family(agent: Agent) -> dict[str, str]:
    """A grandparent, a harness that it started, that one's subagents, and a stranger."""
    top = agent("top")
    below = agent("below", parent=top)
    return {
        "top": top,
        "below": below,
        "one": agent("below", parent=below, agent_id="one"),
        "two": agent("below", parent=below, agent_id="two"),
        "aunt": agent("top", parent=top, agent_id="aunt"),
        "stranger": agent("stranger"),
    }


@pytest.mark.parametrize(
    ("holder", "contender", "conflict"),
    [
        ("below", "one", False),
        ("one", "below", False),
        ("top", "one", False),
        ("one", "top", False),
        ("top", "below", False),
        ("one", "two", True),
        ("aunt", "one", True),
        ("aunt", "below", True),
        ("one", "stranger", True),
        ("stranger", "top", True),
    ],
)
def test_parent_and_child_do_not_conflict_siblings_do(
    store: CoordStore, agent: Agent, holder: str, contender: str, conflict: bool
) -> None:
    names = family(agent)
    store.claim(names[holder], ["x"])
    if conflict:
        with pytest.raises(ClaimRefused):
            store.claim(names[contender], ["x"])
    else:
        assert store.claim(names[contender], ["x"]) == ["x"]


def test_a_subagents_unread_messages_go_to_its_parent(store: CoordStore, agent: Agent, clock: Clock) -> None:
    sender, parent = agent("S"), agent("A")
    child = agent("A", parent=parent, agent_id="sub")
    store.send_message(sender, recipient=child, body="first")
    clock.advance(1)
    store.send_message(sender, recipient=parent, body="second")
    store.end_instance(child)
    assert bodies(store, parent) == ["first", "second"]


def test_what_a_started_session_had_not_read_waits_for_its_own_resume(
    store: CoordStore, agent: Agent
) -> None:
    sender, parent = agent("S"), agent("A")
    below = agent("B", parent=parent)
    store.send_message(sender, recipient=below, body="for B")
    store.end_instance(below)
    assert bodies(store, parent) == []
    assert bodies(store, agent("B")) == ["for B"]


def test_subagents_end_with_their_parent_at_every_depth(store: CoordStore, agent: Agent) -> None:
    top = agent("A")
    child = agent("A", parent=top, agent_id="child")
    grandchild = agent("A", parent=child, agent_id="grandchild")
    below = agent("B", parent=top)
    for who in (child, grandchild, below):
        store.claim(who, [who])
    store.end_instance(top)
    assert [row["runtime_id"] for row in store.live_instances()] == [below]
    assert held(store) == {below: below}


def test_a_child_that_died_with_its_parent_leaves_its_messages_to_the_resume(
    store: CoordStore, agent: Agent, clock: Clock
) -> None:
    sender, parent = agent("S", ttl_seconds=1e6), agent("A", ttl_seconds=10)
    child = agent("A", parent=parent, agent_id="sub", ttl_seconds=10)
    store.send_message(sender, recipient=child, body="unread")
    clock.advance(11)
    assert bodies(store, agent("A")) == ["unread"]


def test_a_clear_hands_everything_to_the_next_conversation(store: CoordStore, agent: Agent) -> None:
    sender, old = agent("S"), agent("A")
    child = agent("A", parent=old, agent_id="sub")
    store.claim(old, ["x"])
    store.send_message(sender, recipient=old, body="hello")
    handle = next(row["handle"] for row in store.live_instances() if row["runtime_id"] == old)
    heir = agent("A9")
    with store.transaction() as tx:
        runtimes.retire(tx, runtimes.get(tx, old), heir, "clear")
        assert runtimes.kin(tx, child) == [child, heir]
    assert held(store) == {"x": heir}
    assert bodies(store, heir) == ["hello"]
    assert store.resolve_runtime(handle) == heir
    assert old not in [row["runtime_id"] for row in store.live_instances()]


def test_leaving_lasts_ten_seconds(store: CoordStore, agent: Agent, clock: Clock) -> None:
    who = agent("A")
    store.claim(who, ["x"])
    in_transaction(store, runtimes.leave, who)
    clock.advance(9.9)
    assert held(store) == {"x": who}
    clock.advance(0.1)
    assert held(store) == {}
    assert events(store, "runtime_ended")[-1]["details"]["reason"] == "session_end"
