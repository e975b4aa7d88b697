"""What can be said of a task on the command line: the options, and the facts that they become in the ledger."""

import os

import click

from coordhooks.cli import tasks
from coordhooks.cli.options import Command
from coordhooks.ledger import Ledger
from coordhooks.ledger.vocabulary import Record

# By the names of the ledger: what may change at any time, and what is said when a task is made or corrected.
AMENDING = (
    click.option("--title", help="One line."),
    click.option("--description", help="All that its worker has to know."),
    click.option(
        "--priority", "inherent_priority", type=float, help="The higher, the sooner; 0 if not given."
    ),
    click.option("--due", metavar="TIME", help="Such as 2026-01-31T12:00:00Z."),
)
MAKING = (
    click.option("--capability", multiple=True, help="What its worker must be able to do (repeatable)."),
    click.option("--acceptance", multiple=True, metavar="TEXT", help="When it is done (repeatable)."),
    click.option("--quality-gate", metavar="NAME", help="A gate of your settings that `done` must pass."),
    click.option("--parent", metavar="ID", help="The task that it is a part of."),
    click.option("--project", metavar="FOLDER", help="Where it is to be done; here if not given."),
)


def saying(*options: Command) -> Command:
    """Several options at once, in this order."""

    def decorate(function: Command) -> Command:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def facts_of(ledger: Ledger, said: dict[str, object]) -> Record:
    """What was said, by the names of the ledger; what was not said is left out."""
    facts = {name: list(v) if isinstance(v, tuple) else v for name, v in said.items() if v not in (None, ())}
    if "parent" in facts:
        facts["parent"] = tasks.find(ledger, str(facts["parent"]))["task_id"]
    if "project" in facts:
        facts["project"] = tasks.project(os.path.expanduser(str(facts["project"])))
    return facts
