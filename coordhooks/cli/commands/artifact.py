"""Artifacts of the ledger: reports, handoffs, what a gate said. A reference is the content's own hash."""

import sys
from typing import BinaryIO

import click

from coordhooks.cli import show, tasks
from coordhooks.cli.options import here
from coordhooks.cli.session import Session
from coordhooks.ledger import Ledger


@click.group()
def artifact() -> None:
    """Keep files by their content, and get them back."""


@artifact.command()
@click.argument("file", type=click.File("rb"), metavar="FILE|-")
@here
def put(session: Session, file: BinaryIO) -> None:
    """Keep a file; prints its reference."""
    with Ledger(tasks.folder(session)) as ledger:
        show.say(ledger.put_artifact(file.read()))


@artifact.command()
@click.argument("ref")
@click.option("-o", "--output", type=click.File("wb", lazy=True), metavar="FILE", help="Write it there.")
@here
def get(session: Session, ref: str, output: BinaryIO | None) -> None:
    """Print what a reference stands for, byte for byte."""
    with Ledger(tasks.folder(session)) as ledger:
        content = ledger.artifact(ref)
    stream = output or sys.stdout.buffer
    stream.write(content)
    stream.flush()
