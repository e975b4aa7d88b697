"""``coord off`` and ``coord on``: only a person may."""

import click

from coordhooks.cli import show, switch
from coordhooks.cli.options import DURATION, here
from coordhooks.cli.session import Session


@click.command()
@click.option("--for", "duration", type=DURATION, help="Such as 5m; without it until `coord on`.")
@here
def off(session: Session, duration: float | None) -> None:
    """Let every write through in this project. Only a person may."""
    show.say(switch.switch_off(session, duration))


@click.command()
@here
def on(session: Session) -> None:
    """Refuse conflicting writes again. Only a person may."""
    show.say(switch.switch_on(session))
