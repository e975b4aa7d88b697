"""One screen: who is here, who holds what, what is unread, and what must not stay unseen."""

import time

import click

from coordhooks.cli import screen, show
from coordhooks.cli.options import as_json, here
from coordhooks.cli.session import Session

REFRESH = 2.0  # seconds


@click.command()
@click.option("--watch", is_flag=True, help="Again every 2 seconds, until Ctrl-C.")
@click.option("--all", "everything", is_flag=True, help="All projects.")
@as_json
@here
def status(session: Session, watch: bool, everything: bool, as_json: bool) -> None:
    """Show one screen of everything that matters in this project."""
    while True:
        facts = screen.gather(session, everything)
        if watch:
            click.clear()
        if as_json:
            show.as_json(facts)
        else:
            show.say(screen.text(session, facts))
        if not watch:
            return
        time.sleep(REFRESH)
