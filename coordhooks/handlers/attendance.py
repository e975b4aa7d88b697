"""Whose event is it? Finds the runtime of an event, and registers it where nobody has.

Hooks may be installed while a session runs, or a store be set aside: any event registers its runtime first.
"""

from coordhooks.model import Event, Identity
from coordhooks.paths import OUTSIDE, real, repository_of
from coordhooks.process import ancestors
from coordhooks.store import leases, runtimes
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings


BEAT = 1.0  # seconds within which a second sign of life is not written down


def attend(tx: Transaction, event: Event, around: "Surroundings") -> Row:
    """The live runtime that this event belongs to, its heartbeat renewed."""
    row = find(tx, event, around) or _found_out(tx, event, around)
    if row is None:
        return enroll(tx, event, around)
    runtimes.stay(tx, row)
    if tx.now - row["heartbeat_at"] > BEAT or tx.now < row["heartbeat_at"]:
        runtimes.beat(tx, row)
        if row["expires_at"] - tx.now < row["ttl"] / 2:
            leases.keep(tx, row["runtime_id"])
    return row


def find(tx: Transaction, event: Event, around: "Surroundings") -> Row | None:
    return runtimes.attached(tx, event.session_id, event.agent_id, around.process)


def _found_out(tx: Transaction, event: Event, around: "Surroundings") -> Row | None:
    """The runtime whose earlier hooks could not see the process that it lives in; this one can."""
    if around.process.pid is None:
        return None
    row = runtimes.attached(tx, event.session_id, event.agent_id, Identity())
    if row is None or runtimes.condition(tx, row) != runtimes.LIVE:
        return None
    return runtimes.locate(tx, row, around.process)


def enroll(tx: Transaction, event: Event, around: "Surroundings") -> Row:
    """Register the runtime of an event: a subagent below its session, a session below its starter."""
    who = runtimes.Registration(event.session_id)
    who.agent_id, who.harness, who.cwd = event.agent_id, event.harness, event.cwd
    who.label, who.transcript, who.attended = event.agent_type, event.transcript, event.attended
    who.host, who.process = around.here.host, around.process
    who.terminal = around.environ.get("TMUX_PANE") or around.environ.get("TERM_SESSION_ID", "")
    who.tree, who.project = repository_of(real(event.cwd), is_folder=True) if event.cwd else ("", OUTSIDE)
    who.parent = _parent(tx, event, around)
    from coordhooks.store import turns

    runtime_id = runtimes.register(tx, who)
    row = runtimes.require_live(tx, runtime_id)
    if event.agent_id:
        turns.begin_in_parents(tx, runtime_id, event.turn_id)
    return row


def _parent(tx: Transaction, event: Event, around: "Surroundings") -> str | None:
    if event.agent_id:
        main = runtimes.attached(tx, event.session_id, "", around.process)
        if main is None:
            alone = Event(event.kind, event.harness, event.session_id)
            alone.cwd, alone.transcript, alone.attended = event.cwd, event.transcript, event.attended
            main = enroll(tx, alone, around)
        return str(main["runtime_id"])
    return _starter(tx, around)


def _starter(tx: Transaction, around: "Surroundings") -> str | None:
    """The runtime that started this session: one whose process is above this one's. It waits for it."""
    if around.process.pid is None:
        return None
    rows = runtimes.of_pids(tx, ancestors(around.process.pid))
    return str(rows[0]["runtime_id"]) if rows else None


def company(tx: Transaction, me: Row) -> list[Row]:
    """The other live agents of this project: not oneself, nor one's own subagents and parents."""
    own = runtimes.kin(tx, me["runtime_id"])
    return [
        row
        for row in runtimes.live_rows(tx, me["project"])
        if row["runtime_id"] not in own and me["runtime_id"] not in runtimes.kin(tx, row["runtime_id"])
    ]
