"""Messages: who gets one, in which order, in which state, and what the audit knows of them."""

import json
from collections.abc import Callable

import pytest
from store.support import START, Clock, bodies, events, in_transaction

from coordhooks.store import messages, runtimes
from coordhooks.store.coordstore import CoordStore

Agent = Callable[..., str]


@pytest.mark.parametrize("body", ["", "  \n", None, 5, b"bytes"])
def test_send_needs_a_body(store: CoordStore, agent: Agent, body: object) -> None:
    with pytest.raises(ValueError, match="body"):
        store.send_message(agent(), body=body)


@pytest.mark.parametrize("options", [{"refs": "src"}, {"refs": [1]}, {"kind": ""}, {"recipient": []}])
def test_other_bad_arguments_are_refused(store: CoordStore, agent: Agent, options: dict) -> None:
    with pytest.raises(ValueError, match=r"refs|kind|recipient"):
        store.send_message(agent(), body="x", **options)


def test_a_body_has_a_limit(store: CoordStore, agent: Agent) -> None:
    a, b = agent("A"), agent("B")
    store.send_message(a, recipient=b, body="é" * messages.MAX_BODY)
    with pytest.raises(ValueError, match=str(messages.MAX_BODY)):
        store.send_message(a, recipient=b, body="x" * (messages.MAX_BODY + 1))


@pytest.mark.parametrize("state", ["unknown", "ended", "expired"])
def test_send_needs_a_live_sender(store: CoordStore, agent: Agent, clock: Clock, state: str) -> None:
    who = "nobody" if state == "unknown" else agent("A", ttl_seconds=10)
    if state == "ended":
        store.end_instance(who)
    clock.advance(11)
    with pytest.raises(KeyError):
        store.send_message(who, body="x")


def test_everyone_is_every_other_runtime_live_at_that_moment(
    store: CoordStore, agent: Agent, clock: Clock
) -> None:
    a, b, c = agent("A"), agent("B"), agent("C")
    gone = agent("gone", ttl_seconds=5)
    store.claim("human", ["x"])  # so that there is a person
    clock.advance(6)
    message = store.send_message(a, body="hello")
    late = agent("late")
    states = {who: store.delivery_state(message, who) for who in (a, b, c, gone, late, "human")}
    assert states == {a: None, b: "queued", c: "queued", gone: None, late: None, "human": None}
    details = events(store, "message_sent")[-1]["details"]
    assert (details["everyone"], sorted(details["recipients"])) == (True, sorted([b, c]))


def test_everyone_may_be_nobody(store: CoordStore, agent: Agent) -> None:
    assert store.send_message(agent("A"), body="echo")
    assert events(store, "message_sent")[-1]["details"]["recipients"] == []


def test_all_named_are_reachable_or_nothing_is_sent(store: CoordStore, agent: Agent) -> None:
    a, b = agent("A"), agent("B")
    with pytest.raises(KeyError) as caught:
        store.send_message(a, recipient=[b, "ghost", "conv-none"], body="x")
    assert "ghost" in str(caught.value)
    assert "conv-none" in str(caught.value)
    assert bodies(store, b) == []
    assert events(store, "message_sent") == []


def test_duplicates_in_the_list_count_once(store: CoordStore, agent: Agent) -> None:
    a, b = agent("A"), agent("B")
    handle = store.live_instances()[-1]["handle"]
    store.send_message(a, recipient=[b, b, "conv-B", handle], body="once")
    assert bodies(store, b) == ["once"]


def test_a_message_to_oneself_and_to_the_person(store: CoordStore, agent: Agent) -> None:
    a = agent("A")
    store.send_message(a, recipient=[a, "human"], body="note")
    assert bodies(store, a) == bodies(store, "human") == ["note"]
    store.send_message("human", recipient=a, body="answer")
    assert bodies(store, a) == ["note", "answer"]


def test_a_delivery_has_its_fields(store: CoordStore, agent: Agent) -> None:
    a, b = agent("A"), agent("B")
    first = store.send_message(a, recipient=b, body="one")
    second = store.send_message(a, recipient=b, kind="request", body="two\nlines ☃", refs=["src/a.py", "x"])
    wanted = ("message_id", "sender_runtime_id", "kind", "body", "refs", "created_at", "state")
    assert [tuple(d[name] for name in wanted) for d in store.inbox(b)] == [
        (first, a, "fyi", "one", [], START, "queued"),
        (second, a, "request", "two\nlines ☃", ["src/a.py", "x"], START, "queued"),
    ]


def test_half_a_surrogate_pair_does_not_stop_a_message(store: CoordStore, agent: Agent) -> None:
    a, b = agent("A"), agent("B")
    store.send_message(a, recipient=b, body="\ud83d half")
    assert bodies(store, b) == ["? half"]


# -- to an absent conversation ----------------------------------------------------------------------------


@pytest.mark.parametrize("spelled", ["id", "handle"])
def test_a_message_waits_for_an_absent_conversation(
    store: CoordStore, agent: Agent, clock: Clock, spelled: str
) -> None:
    a, older = agent("A"), agent("B")
    clock.advance(1)
    newest = agent("B")
    handle = store.live_instances()[-1]["conversation_handle"]
    for who in (older, newest):
        store.end_instance(who)
    message = store.send_message(a, recipient="conv-B" if spelled == "id" else handle, body="later")
    assert store.delivery_state(message, newest) == "queued"
    assert store.delivery_state(message, older) is None
    heir = agent("B")
    assert bodies(store, heir) == ["later"]
    assert store.delivery_state(message, newest) is None


def test_a_conversation_never_seen_is_missing(store: CoordStore, agent: Agent) -> None:
    with pytest.raises(KeyError, match="conv-never"):
        store.send_message(agent("A"), recipient="conv-never", body="x")


def test_a_dead_runtime_named_by_its_id_is_not_reachable(store: CoordStore, agent: Agent) -> None:
    a, b = agent("A"), agent("B")
    store.end_instance(b)
    with pytest.raises(KeyError, match=b):
        store.send_message(a, recipient=b, body="x")


# -- inbox, delivered, acked ------------------------------------------------------------------------------


def test_inbox_is_oldest_first_and_limited(store: CoordStore, agent: Agent) -> None:
    a, b = agent("A"), agent("B")
    for number in range(5):
        store.send_message(a, recipient=b, body=str(number))
    assert bodies(store, b, limit=2) == ["0", "1"]
    assert bodies(store, b) == list("01234")
    states = [d["state"] for d in store.inbox(b)]
    assert states == ["delivered"] * 5


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_is_positive(store: CoordStore, agent: Agent, limit: int) -> None:
    with pytest.raises(ValueError, match="at least one"):
        store.inbox(agent("A"), limit=limit)


def test_the_inbox_of_nobody_is_an_error(store: CoordStore) -> None:
    with pytest.raises(KeyError, match="nobody"):
        store.inbox("nobody")
    with pytest.raises(KeyError, match="nobody"):
        store.ack("nobody", ["x"])


def test_inbox_reports_the_state_it_found(store: CoordStore, agent: Agent) -> None:
    a, b = agent("A"), agent("B")
    store.send_message(a, recipient=b, body="x")
    seen = [store.inbox(b, mark_delivered=mark)[0]["state"] for mark in (False, True, True, False)]
    assert seen == ["queued", "queued", "delivered", "delivered"]


def test_without_marking_nothing_changes(store: CoordStore, agent: Agent) -> None:
    a, b = agent("A"), agent("B")
    message = store.send_message(a, recipient=b, body="x")
    before = len(events(store))
    store.inbox(b, mark_delivered=False)
    assert store.delivery_state(message, b) == "queued"
    assert len(events(store)) == before


def test_marking_after_the_showing(store: CoordStore, agent: Agent) -> None:
    a, b = agent("A"), agent("B")
    ids = [store.send_message(a, recipient=b, body=str(n)) for n in range(3)]
    assert store.mark_delivered(b, [*ids[:2], "unknown", ids[0]]) == 2
    assert store.mark_delivered(b, ids[:2]) == 0
    assert [store.delivery_state(i, b) for i in ids] == ["delivered", "delivered", "queued"]
    assert [e["details"]["message_ids"] for e in events(store, "messages_delivered")] == [ids[:2]]


def test_ack_is_for_ones_own_and_harmless_to_repeat(store: CoordStore, agent: Agent) -> None:
    a, b, c = agent("A"), agent("B"), agent("C")
    one = store.send_message(a, recipient=b, body="1")
    two = store.send_message(a, recipient=[b, c], body="2")
    assert store.ack(c, [one, two, "unknown"]) == [two]
    assert store.ack(b, [two, one, two]) == [two, one]
    assert store.ack(b, [one, two]) == []
    assert bodies(store, b) == []
    assert [(e["runtime_id"], e["details"]["message_ids"]) for e in events(store, "messages_acked")] == [
        (c, [two]), (b, [two, one]),
    ]  # fmt: skip


def test_states_never_go_backwards(store: CoordStore, agent: Agent) -> None:
    a, b = agent("A"), agent("B")
    message = store.send_message(a, recipient=b, body="x")
    assert store.delivery_state(message, b) == "queued"
    store.inbox(b)
    assert store.delivery_state(message, b) == "delivered"
    store.mark_delivered(b, [message])
    store.ack(b, [message])
    store.mark_delivered(b, [message])
    store.inbox(b)
    assert store.delivery_state(message, b) == "acked"


def test_a_queued_one_may_be_acked_at_once(store: CoordStore, agent: Agent) -> None:
    a, b = agent("A"), agent("B")
    message = store.send_message(a, recipient=b, body="x")
    assert store.ack(b, [message]) == [message]
    assert store.mark_delivered(b, [message]) == 0


def test_state_of_what_is_not_there(store: CoordStore, agent: Agent) -> None:
    assert store.delivery_state("none", agent("A")) is None


def test_bodies_are_never_in_the_audit(store: CoordStore, agent: Agent) -> None:
    a, b = agent("A"), agent("B")
    message = store.send_message(a, recipient=b, body="the-secret-body", refs=["ref"])
    store.inbox(b)
    store.ack(b, [message])
    store.end_instance(b)
    assert "the-secret-body" not in json.dumps(events(store))


# -- two hooks at once ------------------------------------------------------------------------------------


def test_a_showing_reserves_for_ten_seconds(store: CoordStore, agent: Agent, clock: Clock) -> None:
    a, b = agent("A"), agent("B")
    store.send_message(a, recipient=b, body="x")

    def shown_by_a_hook() -> list[str]:
        with store.transaction() as tx:
            rows = messages.unread(tx, b)
            messages.reserve(tx, rows)
            return [row["body"] for row in rows]

    assert [shown_by_a_hook(), shown_by_a_hook()] == [["x"], []]
    clock.advance(messages.RESERVATION)
    assert shown_by_a_hook() == ["x"]


def test_requeued_ones_sort_behind_those_never_shown(store: CoordStore, agent: Agent) -> None:
    a, b = agent("A"), agent("B")
    store.send_message(a, recipient=b, body="shown")
    store.inbox(b)
    store.send_message(a, recipient=b, body="new")
    for _ in range(2):
        store.end_instance(b)
        b = agent("B")
        with store.transaction() as tx:
            assert [row["body"] for row in messages.unread(tx, b)] == ["new", "shown"]


def test_a_reservation_does_not_follow_to_the_heir(store: CoordStore, agent: Agent) -> None:
    a, b = agent("A"), agent("B")
    store.send_message(a, recipient=b, body="x")
    with store.transaction() as tx:
        messages.reserve(tx, messages.unread(tx, b))
    store.end_instance(b)
    heir = agent("B")
    assert len(in_transaction(store, messages.unread, heir)) == 1


def test_moving_keeps_what_the_heir_acked(store: CoordStore, agent: Agent) -> None:
    a, one, two = agent("A"), agent("B"), agent("B")
    message = store.send_message(a, recipient=[one, two], body="x")
    store.ack(two, [message])
    assert in_transaction(store, runtimes.move_deliveries, one, two) == 0
    assert store.delivery_state(message, two) == "acked"
    assert store.delivery_state(message, one) is None
