"""The live agents, and what one wants to be called."""

import re

import click

from coordhooks.cli import agents, show, whoami
from coordhooks.cli.options import acting, as_json, here
from coordhooks.cli.session import Refused, Session
from coordhooks.store import identities, runtimes

CHOSEN = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,31}")
RESERVED = ("all", "*", *runtimes.PERSONS)


@click.command()
@click.option("--all", "everything", is_flag=True, help="In all projects.")
@as_json
@here
def who(session: Session, everything: bool, as_json: bool) -> None:
    """List the live agents of this project."""
    with session.transaction() as tx:
        found = agents.listing(tx, session, everything)
        rows = agents.cells(tx, found)
    if as_json:
        show.as_json(found)
    else:
        show.table(agents.HEADERS, rows, empty="no live agents here")


@click.command()
@click.argument("chosen", metavar="NAME")
@acting
def name(session: Session, chosen: str) -> None:
    """Choose a short name for this conversation; its handle goes on working."""
    if chosen in RESERVED or not CHOSEN.fullmatch(chosen):
        raise Refused(
            f"{chosen!r} can't be a name: use a letter, then up to 31 letters, digits, dots and dashes"
        )
    with session.transaction() as tx:
        me = whoami.me(tx, session)
        if me["runtime_id"] in runtimes.PERSONS:
            raise Refused("a person is called human: name an agent with `--as HANDLE`")
        if not identities.rename(tx, me["runtime_id"], chosen):
            raise Refused(f"another live agent is called {chosen}: choose another name")
    show.say(f"you are called {chosen} now")
