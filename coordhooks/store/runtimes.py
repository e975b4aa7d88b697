"""Runtimes: one live attachment of a process to a conversation, from its registration to its end."""

import os

from coordhooks.errors import BadArgument, UnknownRuntime
from coordhooks.model import Identity
from coordhooks.process import alive
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

HUMAN = "human"  # the person at the terminal: never dies, is no agent, is not counted as live
SYSTEM = "coordhooks"  # who signs the notes that coordhooks itself writes
PERSONS = (HUMAN, SYSTEM)
DEFAULT_TTL = 900.0
LEAVING_GRACE = 10.0  # seconds that a session end waits for the next session of the same process
MAX_KIN = 16

LIVE, DEAD = "live", "dead"


class Registration:
    """Who registers: the fields of a runtime that its caller knows."""

    __slots__ = (
        "agent_id", "attended", "conversation_id", "cwd", "harness", "host", "label", "parent", "process",
        "project", "runtime_id", "terminal", "transcript", "tree", "ttl",
    )  # fmt: skip

    def __init__(self, conversation_id: str, *, ttl: float = DEFAULT_TTL) -> None:
        if not isinstance(conversation_id, str) or not conversation_id.strip():
            raise BadArgument("a runtime needs a conversation id")
        check_ttl(ttl)
        self.conversation_id = conversation_id
        self.ttl = float(ttl)
        self.runtime_id = ""
        self.agent_id = ""
        self.parent: str | None = None
        self.harness = self.host = self.cwd = self.label = ""
        self.project = self.tree = self.terminal = self.transcript = ""
        self.attended = False
        self.process: Identity | None = None


def check_ttl(ttl: float) -> None:
    """A time to live is a positive, finite number of seconds. Raises ``BadArgument``."""
    if not isinstance(ttl, (int, float)) or not 0 < ttl < float("inf"):
        raise BadArgument(f"a time to live is a positive number of seconds, not {ttl!r}")


def new_id() -> str:
    """A random UUID (version 4), without the 8 ms that importing ``uuid`` costs."""
    raw = bytearray(os.urandom(16))
    raw[6] = raw[6] & 0x0F | 0x40
    raw[8] = raw[8] & 0x3F | 0x80
    text = raw.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def register(tx: Transaction, who: Registration) -> str:
    """Insert a runtime and move to it what dead runtimes of its conversation had not acked."""
    runtime_id = who.runtime_id or new_id()
    if runtime_id == who.conversation_id or runtime_id in PERSONS:
        raise BadArgument(f"{runtime_id!r} can't be a runtime id: leave it out for a fresh one")
    if tx.one("SELECT 1 FROM runtimes WHERE runtime_id = ?", runtime_id):
        raise BadArgument(f"runtime {runtime_id} is registered already")
    from coordhooks.store import handles  # hashing costs 5 ms, and only a registration needs it

    process = who.process or Identity()
    named = f"{who.conversation_id}/{who.agent_id}" if who.agent_id else who.conversation_id
    row = {
        "runtime_id": runtime_id,
        "conversation_id": who.conversation_id,
        "agent_id": who.agent_id,
        "parent": who.parent,
        "harness": who.harness,
        "host": who.host,
        "cwd": who.cwd,
        "label": who.label,
        "project": who.project,
        "tree": who.tree,
        "terminal": who.terminal,
        "transcript": who.transcript,
        "attended": int(who.attended),
        "pid": process.pid,
        "pid_start": process.start,
        "pid_boot": process.boot,
        "pid_ns": process.pid_ns,
        "pid_host": process.host,
        "handle": handles.friendly_handle(runtime_id, handles.RUNTIME),
        "conversation_handle": handles.friendly_handle(named, handles.CONVERSATION),
        "registered_at": tx.now,
        "heartbeat_at": tx.now,
        "ttl": who.ttl,
        "expires_at": tx.now + who.ttl,
    }
    columns = ", ".join(row)
    tx.run(f"INSERT INTO runtimes({columns}) VALUES ({', '.join('?' * len(row))})", *row.values())
    carried = _carry_over(tx, runtime_id, who.conversation_id, who.agent_id)
    _keep_name(tx, runtime_id, who.conversation_id, who.agent_id)
    tx.audit(
        "runtime_registered", runtime_id, conversation_id=who.conversation_id, agent_id=who.agent_id,
        harness=who.harness, pid=process.pid, messages_carried=carried,
    )  # fmt: skip
    return runtime_id


def _carry_over(tx: Transaction, heir: str, conversation_id: str, agent_id: str) -> int:
    """Queue for ``heir`` what dead runtimes of its conversation had not acked; live ones keep theirs."""
    moved = 0
    for old in tx.all(
        "SELECT r.* FROM runtimes r WHERE r.conversation_id = ? AND r.runtime_id <> ?"
        " AND (? = '' OR r.agent_id = ?) AND EXISTS (SELECT 1 FROM deliveries d"
        "  WHERE d.runtime_id = r.runtime_id AND d.state <> 'acked')",
        conversation_id, heir, agent_id, agent_id,
    ):  # fmt: skip
        if condition(tx, old) == DEAD:
            moved += move_deliveries(tx, old["runtime_id"], heir)
    return moved


def _keep_name(tx: Transaction, runtime_id: str, conversation_id: str, agent_id: str) -> None:
    """A resumed conversation keeps the name it chose, unless another live agent has taken it since."""
    row = tx.one(
        "SELECT name FROM runtimes WHERE conversation_id = ? AND agent_id = ? AND name <> ''"
        " ORDER BY registered_at DESC LIMIT 1",
        conversation_id, agent_id,
    )  # fmt: skip
    if row is not None:
        from coordhooks.store import identities  # few have chosen a name

        identities.rename(tx, runtime_id, row["name"])


def move_deliveries(tx: Transaction, old: str, heir: str) -> int:
    """Move what ``old`` had not acked to ``heir``, queued again; what ``heir`` has already is not doubled."""
    moved = tx.run(
        "UPDATE OR IGNORE deliveries SET runtime_id = ?, requeued = requeued OR state = 'delivered', state = 'queued',"
        " reserved_until = 0, delivered_at = NULL WHERE runtime_id = ? AND state <> 'acked'",
        heir, old,
    )  # fmt: skip
    tx.run("DELETE FROM deliveries WHERE runtime_id = ? AND state <> 'acked'", old)
    return moved


# -- is it alive? -----------------------------------------------------------------------------------------


def process_of(row: Row) -> Identity:
    return Identity(row["pid"], row["pid_start"], row["pid_boot"], row["pid_ns"], row["pid_host"])


def condition(tx: Transaction, row: Row) -> str:
    """``LIVE`` or ``DEAD``. A live process renews its runtime's heartbeat on the spot.

    Dead = ended, or its process is provably gone, or that can't be told and its heartbeat has expired.
    """
    if row["runtime_id"] in PERSONS:
        return LIVE
    if row["ended_at"] is not None:
        return DEAD
    if row["leaving_at"] is not None and not 0 <= tx.now - row["leaving_at"] < LEAVING_GRACE:
        return DEAD
    state, silent = alive(process_of(row), tx.here), expired(tx, row)
    # A subagent shares its process with its parent, so that the process says nothing of a silent one.
    if state is False or (silent and (state is None or row["agent_id"])):
        return DEAD
    if silent:
        beat(tx, row)
    return LIVE


def expired(tx: Transaction, row: Row) -> bool:
    """Has the heartbeat run out? What remains is capped at the TTL, whatever a clock once said."""
    if row["expires_at"] > tx.now + row["ttl"]:
        tx.run(
            "UPDATE runtimes SET expires_at = ? WHERE runtime_id = ?", tx.now + row["ttl"], row["runtime_id"]
        )
        return False
    return bool(row["expires_at"] <= tx.now)


def beat(tx: Transaction, row: Row, ttl: float | None = None) -> None:
    ttl = row["ttl"] if ttl is None else ttl
    tx.run(
        "UPDATE runtimes SET heartbeat_at = ?, expires_at = ?, ttl = ? WHERE runtime_id = ?",
        tx.now, tx.now + ttl, ttl, row["runtime_id"],
    )  # fmt: skip


def bury(tx: Transaction, row: Row) -> None:
    """End a runtime that was found dead, unless it ended with its parent since ``row`` was read."""
    fresh = get(tx, row["runtime_id"])
    if fresh is not None and fresh["ended_at"] is None:
        end(tx, row["runtime_id"], "session_end" if row["leaving_at"] is not None else "found_dead")


def live_rows(tx: Transaction, project: str | None = None, *, sweep: bool = True) -> list[Row]:
    """Live agents by registration time, then id; the dead among them are buried on the way."""
    sql = "SELECT * FROM runtimes WHERE ended_at IS NULL AND runtime_id NOT IN (?, ?)"
    values = [*PERSONS]
    if project is not None:
        sql += " AND project = ?"
        values.append(project)
    rows = tx.all(sql + " ORDER BY registered_at, runtime_id", *values)
    dead = [row for row in rows if condition(tx, row) == DEAD]
    if not (dead and sweep):
        return [row for row in rows if row not in dead]
    for row in dead:
        bury(tx, row)
    return live_rows(tx, project)  # looked up again, because subagents went with them


def require_live(tx: Transaction, runtime_id: str) -> Row:
    """The row of a live runtime. Raises ``UnknownRuntime``, saying whether it is unknown or dead."""
    row = get(tx, runtime_id)
    if row is None and runtime_id in PERSONS:
        row = _person(tx, runtime_id)
    if row is None:
        raise UnknownRuntime(f"no runtime {runtime_id!r} is registered")
    if condition(tx, row) == DEAD:
        bury(tx, row)
        raise UnknownRuntime(f"runtime {runtime_id!r} has ended: register again, or resume the conversation")
    return row


def get(tx: Transaction, runtime_id: str) -> Row | None:
    return tx.one("SELECT * FROM runtimes WHERE runtime_id = ?", runtime_id)


def _person(tx: Transaction, name: str) -> Row | None:
    tx.run(
        "INSERT INTO runtimes(runtime_id, conversation_id, harness, handle, conversation_handle,"
        " registered_at, heartbeat_at, ttl, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        name, name, name, name, name, tx.now, tx.now, DEFAULT_TTL, tx.now + DEFAULT_TTL,
    )  # fmt: skip
    return get(tx, name)


# -- heartbeat and end ------------------------------------------------------------------------------------


def heartbeat(tx: Transaction, runtime_id: str, ttl: float, lease_ttl: float | None) -> int:
    """Extend a live runtime's expiry and, if asked, its unexpired leases; returns how many of these."""
    check_ttl(ttl)
    check_ttl(ttl if lease_ttl is None else lease_ttl)
    row = require_live(tx, runtime_id)
    beat(tx, row, ttl)
    renewed = 0
    if lease_ttl is not None:
        renewed = tx.run(
            "UPDATE leases SET expires_at = ?, ttl = ? WHERE runtime_id = ? AND expires_at > ?",
            tx.now + lease_ttl, lease_ttl, runtime_id, tx.now,
        )  # fmt: skip
    tx.audit("runtime_heartbeat", runtime_id, leases_renewed=renewed)
    return renewed


def leave(tx: Transaction, runtime_id: str) -> None:
    """Its session ended while its process lives: the next session of that process may take over."""
    tx.run("UPDATE runtimes SET leaving_at = ? WHERE runtime_id = ?", tx.now, runtime_id)


def stay(tx: Transaction, row: Row) -> None:
    """An event of a leaving runtime shows that it lives on."""
    if row["leaving_at"] is not None:
        tx.run("UPDATE runtimes SET leaving_at = NULL WHERE runtime_id = ?", row["runtime_id"])


def end(tx: Transaction, runtime_id: str, reason: str) -> int:
    """End a runtime, once: its leases and its subagents go. Returns how many leases it held.

    What a subagent had not read goes to its parent; what a conversation had not read waits for its resume.
    """
    row = get(tx, runtime_id)
    if row is None or row["ended_at"] is not None or runtime_id in PERSONS:
        raise UnknownRuntime(f"runtime {runtime_id!r} is not registered, or has ended already")
    tx.run(
        "UPDATE runtimes SET ended_at = ?, end_reason = ? WHERE runtime_id = ?", tx.now, reason, runtime_id
    )
    released = tx.run("DELETE FROM leases WHERE runtime_id = ?", runtime_id)
    for table in ("waits", "calls", "notes"):
        tx.run(f"DELETE FROM {table} WHERE runtime_id = ?", runtime_id)
    for child in children(tx, runtime_id):
        end(tx, child["runtime_id"], reason)
    if row["agent_id"] and row["parent"] is not None:
        move_deliveries(tx, runtime_id, row["parent"])
    tx.audit("runtime_ended", runtime_id, reason=reason, leases_released=released)
    return released


def retire(tx: Transaction, old: Row, heir: str, reason: str) -> None:
    """End ``old`` in favour of ``heir``, the next conversation of the same process, which takes over all."""
    tx.run("UPDATE OR REPLACE leases SET runtime_id = ? WHERE runtime_id = ?", heir, old["runtime_id"])
    tx.run("UPDATE OR REPLACE waits SET runtime_id = ? WHERE runtime_id = ?", heir, old["runtime_id"])
    tx.run("UPDATE waits SET holder = ? WHERE holder = ?", heir, old["runtime_id"])
    tx.run("UPDATE runtimes SET parent = ? WHERE parent = ?", heir, old["runtime_id"])
    tx.run(
        "UPDATE runtimes SET handle = ?, conversation_handle = ?, name = ? WHERE runtime_id = ?",
        old["handle"], old["conversation_handle"], old["name"], heir,
    )  # fmt: skip
    move_deliveries(tx, old["runtime_id"], heir)
    end(tx, old["runtime_id"], reason)


# -- finding runtimes -------------------------------------------------------------------------------------


def kin(tx: Transaction, runtime_id: str) -> list[str]:
    """A runtime and those above it, nearest first: a subagent, its session, the session that started it."""
    chain: list[str] = []
    current: str | None = runtime_id
    while current and current not in chain and len(chain) < MAX_KIN:
        chain.append(current)
        row = tx.one("SELECT parent FROM runtimes WHERE runtime_id = ?", current)
        current = None if row is None else row["parent"]
    return chain


def last_heard(tx: Transaction) -> list[tuple[str, float]]:
    """When a hook of each harness was last heard of, in epoch seconds."""
    sql = "SELECT harness, max(heartbeat_at) AS at FROM runtimes WHERE runtime_id NOT IN (?, ?) GROUP BY harness"
    return [(row["harness"], row["at"]) for row in tx.all(sql, *PERSONS)]


def newest_live(tx: Transaction, conversation_id: str, agent_id: str = "") -> Row | None:
    """The newest live runtime of a conversation (by default its main thread), or ``None``."""
    rows = tx.all(
        "SELECT * FROM runtimes WHERE conversation_id = ? AND agent_id = ? AND ended_at IS NULL"
        " ORDER BY registered_at DESC, runtime_id DESC",
        conversation_id, agent_id,
    )  # fmt: skip
    return next((r for r in rows if condition(tx, r) == LIVE), None)


def of_process(tx: Transaction, process: Identity) -> list[Row]:
    """The runtimes that have not ended in exactly this process, oldest first."""
    if process.pid is None or process.start is None:
        return []
    return tx.all(
        "SELECT * FROM runtimes WHERE pid = ? AND pid_start = ? AND pid_boot IS ? AND pid_ns IS ?"
        " AND ended_at IS NULL ORDER BY registered_at, runtime_id",
        process.pid, process.start, process.boot, process.pid_ns,
    )  # fmt: skip


def of_pids(tx: Transaction, pids: list[int]) -> list[Row]:
    """The live sessions (no subagents) of these processes, in the order of ``pids``."""
    if not pids:
        return []
    marks = ", ".join("?" * len(pids))
    rows = tx.all(
        f"SELECT * FROM runtimes WHERE pid IN ({marks}) AND ended_at IS NULL AND agent_id = ''", *pids
    )
    live = [row for row in rows if condition(tx, row) == LIVE]
    return sorted(live, key=lambda row: (pids.index(row["pid"]), -row["registered_at"]))


def children(tx: Transaction, runtime_id: str) -> list[Row]:
    """The subagents below a runtime that have not ended."""
    return tx.all(
        "SELECT * FROM runtimes WHERE parent = ? AND agent_id <> '' AND ended_at IS NULL", runtime_id
    )


def attached(tx: Transaction, conversation_id: str, agent_id: str, process: Identity) -> Row | None:
    """The runtime of this conversation (or subagent) in this very process, if it is registered."""
    return tx.one(
        "SELECT * FROM runtimes WHERE conversation_id = ? AND agent_id = ? AND ended_at IS NULL"
        " AND pid IS ? AND pid_start IS ? AND pid_boot IS ? AND pid_ns IS ?"
        " ORDER BY registered_at DESC LIMIT 1",
        conversation_id, agent_id, process.pid, process.start, process.boot, process.pid_ns,
    )  # fmt: skip


def locate(tx: Transaction, row: Row, process: Identity) -> Row:
    """Put down the process of a runtime of which it was not known."""
    tx.run(
        "UPDATE runtimes SET pid = ?, pid_start = ?, pid_boot = ?, pid_ns = ?, pid_host = ? WHERE runtime_id = ?",
        process.pid, process.start, process.boot, process.pid_ns, process.host, row["runtime_id"],
    )  # fmt: skip
    return require_live(tx, row["runtime_id"])


def public(row: Row) -> dict[str, object]:
    """A runtime as listings show it."""
    hidden = ("pid_start", "pid_boot", "pid_ns", "pid_host", "stops_held", "prompted", "tokens", "handed_out")
    shown: dict[str, object] = {name: row[name] for name in row.keys() if name not in hidden}  # noqa: SIM118
    shown["attended"] = bool(row["attended"])
    return shown
