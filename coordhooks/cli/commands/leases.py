"""Leases: list, claim, release and renew."""

import os

import click

from coordhooks.cli import claims, names, show, whoami
from coordhooks.cli.options import DURATION, acting, as_json, here
from coordhooks.cli.session import Refused, Session, note
from coordhooks.store import leases as store
from coordhooks.store import runtimes
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row
from coordhooks.store.overlap import Want

LARGE = 50  # files; a claim of a folder with more of them by an agent is warned about


@click.command()
@click.argument("paths", nargs=-1, metavar="[NAME]...")
@click.option("--all", "everything", is_flag=True, help="In all projects.")
@as_json
@here
def leases(session: Session, paths: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """List who holds what in this project, or what stands in the way of NAMEs."""
    with session.transaction() as tx:
        found = _listed(tx, session, paths, everything)
        rows = claims.cells(tx, session, found)
    if as_json:
        show.as_json(found)
    else:
        show.table(claims.HEADERS, rows, empty="nothing is held here")


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
        refused = claims.take(tx, me, wanted, mode=mode, purpose=purpose, ttl=ttl)
    if refused:
        claims.refuse(session, refused, "Nothing was claimed")
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
@click.option("--ttl", type=DURATION, default=claims.TTL, help="From now on; 1h if not given.")
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


def _listed(
    tx: Transaction, session: Session, words: tuple[str, ...], everything: bool
) -> list[claims.Facts]:
    if words:
        rows = {r["lease_id"]: r for want in names.wants(session, words) for r in store.overlapping(tx, want)}
        return [store.describe(tx, row) for row in rows.values() if store.holds(tx, row)]
    return [store.describe(tx, row) for row in store.active(tx, None if everything else session.project)]
