"""Messages between agents, each with one delivery for each recipient: queued, then delivered, then acked.

A delivery goes backwards only when a resumed conversation takes it over. Bodies are never in the audit.
"""

from coordhooks.errors import BadArgument, UnknownRuntime
from coordhooks.fastjson import dumps, loads
from coordhooks.store import identities, runtimes
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

EVERYONE = "*"
FYI, URGENT, REQUEST, BLOCKER, REPLY = "fyi", "urgent", "request", "blocker", "reply"
PRESSING = (URGENT, REQUEST, BLOCKER)  # also shown before a tool call
HOLDING = (REQUEST, BLOCKER)  # an unread one holds a stop
RESERVATION = 10.0  # seconds for which one hook has a delivery to itself, between its reading and its writing
MAX_BODY = 65536
SHORT_ID = 8  # characters of a message id that stand for it


class Message:
    """What is sent. ``refs`` is a list of strings; ``reply_to`` a message id."""

    __slots__ = ("body", "kind", "refs", "reply_to")

    def __init__(
        self,
        body: str,
        *,
        kind: str = FYI,
        refs: "str | tuple[str, ...] | list[str]" = (),
        reply_to: str | None = None,
    ) -> None:
        if not isinstance(body, str) or not body.strip():
            raise BadArgument("a message needs a body")
        if len(body) > MAX_BODY:
            raise BadArgument(f"a message has at most {MAX_BODY} characters: put the rest into a file")
        if not kind:
            raise BadArgument("a message needs a kind, such as fyi, request or blocker")
        if isinstance(refs, str) or not all(isinstance(ref, str) for ref in refs):
            raise BadArgument("refs is a list of strings")
        self.body = body.encode("utf-8", "replace").decode("utf-8")
        self.kind = kind
        self.refs = list(refs)
        self.reply_to = reply_to


def send(
    tx: Transaction, sender: str, recipients: "str | list[str] | tuple[str, ...]", message: Message
) -> str:
    """Send to ``*`` (every other live agent) or to those named: all can be reached, or nothing is sent.

    Returns the message id. Raises ``UnknownRuntime`` naming every recipient that can't be reached.
    """
    runtimes.require_live(tx, sender)
    if recipients == EVERYONE:
        found = [row["runtime_id"] for row in runtimes.live_rows(tx) if row["runtime_id"] != sender]
    else:
        found = _reachable(tx, [recipients] if isinstance(recipients, str) else list(recipients))
    return deliver(tx, sender, found, message, everyone=recipients == EVERYONE)


def deliver(
    tx: Transaction, sender: str, found: list[str], message: Message, *, everyone: bool = False
) -> str:
    """Queue a message for runtimes that are known to exist; returns its id."""
    message_id = runtimes.new_id()
    tx.run(
        "INSERT INTO messages(message_id, sender, kind, body, refs, reply_to, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        message_id, sender, message.kind, message.body, dumps(message.refs), message.reply_to, tx.now,
    )  # fmt: skip
    for runtime_id in found:
        tx.run(
            "INSERT INTO deliveries(message_id, runtime_id, created_at) VALUES (?, ?, ?)",
            message_id, runtime_id, tx.now,
        )  # fmt: skip
    tx.audit(
        "message_sent", sender, message_id=message_id, kind=message.kind, recipients=found, everyone=everyone,
        size=len(message.body),
    )  # fmt: skip
    return message_id


def _reachable(tx: Transaction, names: list[str]) -> list[str]:
    if not names:
        raise BadArgument("name at least one recipient, or `*`")
    found, missing = [], []
    for name in dict.fromkeys(names):
        try:
            found.append(identities.resolve(tx, name))
        except UnknownRuntime:
            waiting = _last_runtime(tx, name)
            if waiting is None:
                missing.append(name)
            else:
                found.append(waiting)
    if missing:
        raise UnknownRuntime(
            f"nothing was sent: can't reach {', '.join(map(repr, missing))}: `coord who` lists the live agents"
        )
    return list(dict.fromkeys(found))


def _last_runtime(tx: Transaction, conversation: str) -> str | None:
    """The newest runtime of an absent conversation, by its id or handle: the message waits for its resume."""
    row = tx.one(
        "SELECT runtime_id FROM runtimes WHERE agent_id = '' AND (conversation_id = ? OR conversation_handle = ?)"
        " ORDER BY registered_at DESC, runtime_id DESC LIMIT 1",
        conversation, conversation,
    )  # fmt: skip
    return None if row is None else str(row["runtime_id"])


def recipient(tx: Transaction, identity: str) -> str:
    """The runtime that a message to ``identity`` goes to; a former runtime stands for its conversation.

    Raises ``UnknownRuntime`` if nobody is called that.
    """
    row = runtimes.get(tx, identity)
    if row is not None and runtimes.condition(tx, row) == runtimes.DEAD:
        identity = row["conversation_id"]
    return _reachable(tx, [identity])[0]


# -- reading ----------------------------------------------------------------------------------------------

UNACKED = (
    "SELECT d.delivery_id, d.state, d.requeued, m.* FROM deliveries d JOIN messages m USING (message_id)"
    " WHERE d.runtime_id = ? AND d.state <> 'acked'"
)
RESERVED = "(d.reserved_until > ? AND d.reserved_until <= ?)"
IN_ORDER = " ORDER BY d.requeued, d.delivery_id"


def inbox(tx: Transaction, runtime_id: str, limit: int, *, mark: bool) -> list[Row]:
    """What a runtime has not acked, oldest first, in the state in which it was found."""
    if limit < 1:
        raise BadArgument("an inbox shows at least one message")
    _known(tx, runtime_id)
    rows = tx.all(UNACKED + " ORDER BY d.delivery_id LIMIT ?", runtime_id, limit)
    if mark:
        delivered(tx, runtime_id, [row["message_id"] for row in rows])
    return rows


def _known(tx: Transaction, runtime_id: str) -> None:
    """An inbox outlives its runtime, until the resume; but somebody's it must be."""
    if runtimes.get(tx, runtime_id) is None and runtime_id not in runtimes.PERSONS:
        raise UnknownRuntime(f"no runtime {runtime_id!r} is registered")


def unread(tx: Transaction, runtime_id: str, kinds: tuple[str, ...] = ()) -> list[Row]:
    """Queued deliveries that no other hook is showing at this moment, those never shown first."""
    sql = f"{UNACKED} AND d.state = 'queued' AND NOT {RESERVED}"
    if kinds:
        sql += f" AND m.kind IN ({', '.join('?' * len(kinds))})"
    return tx.all(sql + IN_ORDER, runtime_id, *_reserved(tx), *kinds)


def in_hand(tx: Transaction, runtime_id: str) -> bool:
    """Is another hook about to show what holds a stop?"""
    marks = ", ".join("?" * len(HOLDING))
    sql = f"{UNACKED} AND d.state = 'queued' AND {RESERVED} AND m.kind IN ({marks})"
    return tx.one(sql, runtime_id, *_reserved(tx), *HOLDING) is not None


def _reserved(tx: Transaction) -> tuple[float, float]:
    """The bounds of ``RESERVED``: a reservation from before the clock went back must hide nothing for a day."""
    return tx.now, tx.now + RESERVATION


def reserve(tx: Transaction, rows: list[Row]) -> None:
    """Keep deliveries for the caller while it writes them out."""
    for row in rows:
        tx.run(
            "UPDATE deliveries SET reserved_until = ? WHERE delivery_id = ?",
            tx.now + RESERVATION, row["delivery_id"],
        )  # fmt: skip


def delivered(tx: Transaction, runtime_id: str, message_ids: list[str]) -> int:
    """Mark what was shown. Call it only once the text has been written out whole."""
    shown = [
        message_id
        for message_id in dict.fromkeys(message_ids)
        if tx.run(
            "UPDATE deliveries SET state = 'delivered', delivered_at = ?, reserved_until = 0"
            " WHERE message_id = ? AND runtime_id = ? AND state = 'queued'",
            tx.now, message_id, runtime_id,
        )
    ]  # fmt: skip
    if shown:
        tx.audit("messages_delivered", runtime_id, message_ids=shown)
    return len(shown)


def ack(tx: Transaction, runtime_id: str, message_ids: list[str]) -> list[str]:
    """Acknowledge one's own deliveries; returns those newly acked. A repeat is harmless."""
    _known(tx, runtime_id)
    newly = [
        message_id
        for message_id in dict.fromkeys(message_ids)
        if tx.run(
            "UPDATE deliveries SET state = 'acked', acked_at = ? WHERE message_id = ? AND runtime_id = ?"
            " AND state <> 'acked'",
            tx.now, message_id, runtime_id,
        )
    ]  # fmt: skip
    if newly:
        tx.audit("messages_acked", runtime_id, message_ids=newly)
    return newly


def ack_shown(tx: Transaction, runtime_id: str) -> None:
    """An ``fyi`` or a reply counts as acked at the next event after it was shown whole."""
    rows = tx.all(UNACKED + " AND d.state = 'delivered' AND m.kind IN ('fyi', 'reply')", runtime_id)
    if rows:
        ack(tx, runtime_id, [row["message_id"] for row in rows])


def of_id(tx: Transaction, runtime_id: str, identity: str) -> list[Row]:
    """The messages delivered to a runtime under an id, or under its beginning (of 8 characters or more)."""
    if len(identity) < SHORT_ID:
        return []
    return tx.all(
        "SELECT m.*, d.state FROM deliveries d JOIN messages m USING (message_id)"
        " WHERE d.runtime_id = ? AND substr(d.message_id, 1, ?) = ?",
        runtime_id, len(identity), identity,
    )  # fmt: skip


def history(tx: Transaction, runtime_id: str, limit: int) -> list[Row]:
    """The newest messages of a runtime in any state, oldest first."""
    rows = tx.all(
        "SELECT d.delivery_id, d.state, d.requeued, m.* FROM deliveries d JOIN messages m USING (message_id)"
        " WHERE d.runtime_id = ? ORDER BY d.delivery_id DESC LIMIT ?",
        runtime_id, limit,
    )  # fmt: skip
    return rows[::-1]


def state_of(tx: Transaction, message_id: str, runtime_id: str) -> str | None:
    row = tx.one(
        "SELECT state FROM deliveries WHERE message_id = ? AND runtime_id = ?", message_id, runtime_id
    )
    return None if row is None else str(row["state"])


def counts(tx: Transaction, runtime_id: str) -> dict[str, int]:
    """How many deliveries are ``queued`` and ``delivered``, that is shown but not acked."""
    found = {"queued": 0, "delivered": 0}
    for row in tx.all(
        "SELECT state, count(*) AS n FROM deliveries WHERE runtime_id = ? AND state <> 'acked' GROUP BY state",
        runtime_id,
    ):
        found[row["state"]] = row["n"]
    return found


def too_many(tx: Transaction, sender: str, recipient: str, body: str) -> bool:
    """A third message in a row of one pair without a tool call between, or an identical one.

    Such a message is dropped and counted, so that two agents can't talk each other into a loop. What was sent
    before the clock went back does not count.
    """
    recent = tx.all(
        "SELECT m.body, m.created_at FROM messages m JOIN deliveries d USING (message_id)"
        " WHERE m.sender = ? AND d.runtime_id = ? AND m.created_at <= ? ORDER BY m.created_at DESC LIMIT 2",
        sender, recipient, tx.now,
    )  # fmt: skip
    if any(row["body"] == body and tx.now - row["created_at"] < 600 for row in recent):
        return True
    worked = tx.one("SELECT heartbeat_at FROM runtimes WHERE runtime_id = ?", sender)
    return bool(len(recent) == 2 and worked is not None and recent[1]["created_at"] > worked["heartbeat_at"])


def public(row: Row) -> dict[str, object]:
    """A delivery as listings show it. Times are epoch seconds."""
    return {
        "message_id": row["message_id"],
        "sender_runtime_id": row["sender"],
        "kind": row["kind"],
        "body": row["body"],
        "refs": loads(row["refs"]),
        "reply_to": row["reply_to"],
        "created_at": row["created_at"],
        "state": row["state"],
    }
