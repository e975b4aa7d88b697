"""Revoking: a person takes leases away. The holder is told, and it is on record."""

from coordhooks.cli import names, show, whoami
from coordhooks.cli.session import Refused, Session
from coordhooks.handlers.inbox import name_of
from coordhooks.store import leases, messages, runtimes
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row


def take_away(session: Session, words: "tuple[str, ...] | list[str]", hold: float | None) -> str:
    """Revoke, and hold for the person if asked; returns what to say. Raises ``Refused``."""
    wanted = names.wants(session, words)
    lines = []
    with session.transaction(durable=True) as tx:
        whoami.refuse_agents(tx, session, "take leases away")
        person = runtimes.require_live(tx, runtimes.HUMAN)["runtime_id"]
        for want in wanted:
            for row in leases.revoke(tx, want, person):
                _tell(tx, row, hold)
                lines.append(f"revoked {names.shown(session, row)}, held by {name_of(tx, row['runtime_id'])}")
        if hold:
            leases.claim(tx, person, wanted, purpose="held by a person", ttl=hold, kind=leases.TIMED)
            lines.append(
                f"held for you until {show.clock(tx.now + hold, tx.now)}; `coord release` gives it up"
            )
    if not lines:
        raise Refused("nobody holds that, so nothing was revoked: `coord leases` lists what is held")
    return "\n".join(lines)


def _tell(tx: Transaction, row: Row, hold: float | None) -> None:
    """The holder hears of it before its next call."""
    text = f"Your lease on {leases.shown(row)} was taken away by a person. "
    text += "Leave it alone until it is free." if hold else "Re-read it before you edit it again."
    messages.deliver(tx, runtimes.SYSTEM, [row["runtime_id"]], messages.Message(text, kind=messages.URGENT))
