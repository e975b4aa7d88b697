"""What claiming and listing leases have in common, for commands and for a person's prompt."""

from typing import NoReturn

from coordhooks.cli import names, show
from coordhooks.cli.session import Refused, Session
from coordhooks.errors import ClaimRefused
from coordhooks.handlers import texts
from coordhooks.store import leases as store
from coordhooks.store import runtimes, waits
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row
from coordhooks.store.overlap import REPOSITORY, Want

HEADERS = ("NAME", "HELD BY", "SINCE", "UNTIL", "HOW", "FOR")
TTL = 3600.0  # seconds
Facts = dict[str, object]


def take(
    tx: Transaction, me: Row, wanted: list[Want], *, mode: str = store.EXCLUSIVE, purpose: str = "",
    ttl: float | None = None,
) -> list[Facts]:  # fmt: skip
    """Claim for a caller, all or nothing; returns the conflicts, which are on record then.

    Without a time an agent's claim ends with its turn, a person's after an hour.
    """
    is_person = me["runtime_id"] in runtimes.PERSONS
    kind = store.TIMED if ttl or is_person else store.TURN
    try:
        store.claim(tx, me["runtime_id"], wanted, mode=mode, purpose=purpose, ttl=ttl or TTL, kind=kind)
    except ClaimRefused as error:
        if not is_person:
            _remember(tx, me, wanted, mode)
        return error.conflicts
    for want in wanted:
        waits.settle(tx, me["runtime_id"], want)
    return []


def _remember(tx: Transaction, me: Row, wanted: list[Want], mode: str) -> None:
    """Who waits for whom: a refused agent hears when the name is free."""
    for want in wanted:
        for row in store.conflicts(tx, me["runtime_id"], [want], mode)[:1]:
            waits.enlist(tx, me["runtime_id"], want, row["runtime_id"], me["turn_id"])


def refuse(session: Session, conflicts: list[Facts], what: str) -> NoReturn:
    """Raises ``Refused`` with every conflict and one next step."""
    first = texts.shell_word(names.typed(session, str(conflicts[0]["space"]), str(conflicts[0]["path"])))
    lines = [f"{what}: {len(conflicts)} {'is' if len(conflicts) == 1 else 'are'} held by others:"]
    lines += [f"  {conflict_line(session, facts)}" for facts in conflicts]
    lines.append(
        f"Next: `coord wait {first}` (in the background, while you do other work),"
        f" or ask with `coord send {texts.holder_name(conflicts[0])} TEXT`."
    )
    raise Refused("\n".join(lines))


def conflict_line(session: Session, facts: Facts) -> str:
    """Which name, who holds it, what for, and until when."""
    name = names.typed(session, str(facts["space"]), str(facts["path"]))
    said = texts.purpose(facts)
    return f"{name}  held by {texts.holder_name(facts)} ({f'{said}; ' if said else ''}{texts.about(facts)})"


def cells(tx: Transaction, session: Session, found: list[Facts]) -> list[list[object]]:
    return [
        [
            names.typed(session, str(facts["space"]), str(facts["path"])),
            texts.holder_name(facts),
            show.clock(_time(facts, "claimed_at"), tx.now),
            texts.ENDS.get(str(facts["kind"])) or show.clock(_time(facts, "expires_at"), tx.now),
            _how(facts),
            facts["purpose"] or facts["task"] or "",
        ]
        for facts in found
    ]


def _how(facts: Facts) -> str:
    everywhere = str(facts["space"]).startswith(REPOSITORY)
    words = (("append", facts["mode"] == store.APPEND), ("everywhere", everywhere))
    return ", ".join(word for word, is_so in words if is_so)


def _time(facts: Facts, name: str) -> float:
    value = facts[name]
    return value if isinstance(value, float) else 0.0
