"""Leases: list, claim, release and renew."""

import os
from typing import NoReturn

import click

from coordhooks.cli import names, show, whoami
from coordhooks.cli.options import DURATION, acting, as_json, here
from coordhooks.cli.session import Refused, Session, note
from coordhooks.errors import ClaimRefused
from coordhooks.handlers import texts
from coordhooks.store import leases as store
from coordhooks.store import runtimes, waits
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row
from coordhooks.store.overlap import REPOSITORY, Want

HEADERS = ("NAME", "HELD BY", "SINCE", "UNTIL", "HOW", "FOR")
TTL = 3600.0  # seconds
LARGE = 50  # files; a claim of a folder with more of them by an agent is warned about
ENDS = {store.AUTOMATIC: "its turn ends", store.CALL: "its call ends"}
Facts = dict[str, object]


@click.command()
@click.argument("paths", nargs=-1, metavar="[NAME]...")
@click.option("--all", "everything", is_flag=True, help="In all projects.")
@as_json
@here
def leases(session: Session, paths: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """List who holds what in this project, or what stands in the way of NAMEs."""
    with session.transaction() as tx:
        found = _listed(tx, session, paths, everything)
        rows = cells(tx, session, found)
    if as_json:
        show.as_json(found)
    else:
        show.table(HEADERS, rows, empty="nothing is held here")


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="NAME...")
@click.option("--append", is_flag=True, help="For appending only: others may append too.")
@click.option("--everywhere", is_flag=True, help="In every working tree of the repository.")
@click.option("--for", "purpose", metavar="TEXT", default="", help="What for; others are told.")
@click.option("--ttl", type=DURATION, help="Hold it as long, such as 30m, instead of until the turn ends.")
@acting
def claim(
    session: Session, words: tuple[str, ...], append: bool, everywhere: bool, purpose: str, ttl: float | None
) -> None:
    """Claim all NAMEs (files, folders or @resources), or none."""
    wanted = names.wants(session, words, everywhere=everywhere)
    mode = store.APPEND if append else store.EXCLUSIVE
    with session.transaction() as tx:
        me = whoami.me(tx, session)
        refused = take(tx, me, wanted, mode=mode, purpose=purpose, ttl=ttl)
    if refused:
        refuse(session, refused, "Nothing was claimed")
    _warn_of_large(session, me, wanted)
    show.say("\n".join(f"claimed {names.typed(session, w.space, os.fsdecode(w.path))}" for w in wanted))


@click.command()
@click.argument("words", nargs=-1, metavar="[NAME]...")
@click.option("--all", "everything", is_flag=True, help="Whatever you hold.")
@acting
def release(session: Session, words: tuple[str, ...], everything: bool) -> None:
    """Give up your own leases on NAMEs."""
    if bool(words) == everything:
        raise click.UsageError("name what to release, or use --all")
    wanted = names.in_both_scopes(session, words)
    with session.transaction() as tx:
        me = whoami.me(tx, session)["runtime_id"]
        gone = (
            store.release_kinds(tx, me, store.KINDS, reason="released")
            if everything
            else store.release(tx, me, wanted)
        )
    show.say("\n".join(f"released {session.short(path)}" for path in gone) or "you held nothing of that")


@click.command()
@click.argument("words", nargs=-1, metavar="[NAME]...")
@click.option("--ttl", type=DURATION, default=TTL, help="From now on; 1h if not given.")
@acting
def renew(session: Session, words: tuple[str, ...], ttl: float) -> None:
    """Give your own leases (all, or those on NAMEs) a new expiry."""
    wanted = names.in_both_scopes(session, words) if words else None
    with session.transaction() as tx:
        renewed = store.renew(tx, whoami.me(tx, session)["runtime_id"], wanted, ttl)
        until = show.clock(tx.now + ttl, tx.now)
    if not renewed:
        raise Refused(
            "you hold nothing of that, so nothing was renewed: `coord claim` takes it, if it is free"
        )
    show.say("\n".join(f"renewed {session.short(path)} until {until}" for path in renewed))


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


def _warn_of_large(session: Session, me: Row, wanted: list[Want]) -> None:
    if me["runtime_id"] in runtimes.PERSONS:
        return
    for want in wanted:
        path = os.fsdecode(want.path)
        folder = os.path.join(want.tree, "" if path == names.ROOT else path) if want.tree else path
        if os.path.isdir(folder) and names.existing_files(folder, LARGE) > LARGE:
            note(
                f"{names.typed(session, want.space, path)} has more than {LARGE} files, and all of them are closed"
                " to others now: claim less, or release it soon"
            )


def _listed(tx: Transaction, session: Session, words: tuple[str, ...], everything: bool) -> list[Facts]:
    if words:
        rows = {r["lease_id"]: r for want in names.wants(session, words) for r in store.overlapping(tx, want)}
        return [store.describe(tx, row) for row in rows.values() if store.holds(tx, row)]
    return [store.describe(tx, row) for row in store.active(tx, None if everything else session.project)]


def cells(tx: Transaction, session: Session, found: list[Facts]) -> list[list[object]]:
    return [
        [
            names.typed(session, str(facts["space"]), str(facts["path"])),
            texts.holder_name(facts),
            show.clock(_time(facts, "claimed_at"), tx.now),
            ENDS.get(str(facts["kind"])) or show.clock(_time(facts, "expires_at"), tx.now),
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
