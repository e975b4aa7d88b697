"""``coord revoke``: a person takes leases away."""

import click

from coordhooks.cli import revoking, show
from coordhooks.cli.options import DURATION, here
from coordhooks.cli.session import Session


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="NAME...")
@click.option("--hold", type=DURATION, help="Keep it for yourself as long, such as 10m.")
@here
def revoke(session: Session, words: tuple[str, ...], hold: float | None) -> None:
    """Take away every lease on NAMEs, or on what is in them. Only a person may."""
    show.say(revoking.take_away(session, words, hold))
