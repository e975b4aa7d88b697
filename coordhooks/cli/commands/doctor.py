"""Is everything in order? And ``--fix``: setting a damaged store aside, which no hook ever does."""

import os
import time
from collections.abc import Callable, Iterator

import click

from coordhooks.cli import checks, show
from coordhooks.cli.options import as_json, here
from coordhooks.cli.session import Refused, Session
from coordhooks.errors import CoordError
from coordhooks.store import health
from coordhooks.store.engine import Error


@click.command()
@click.option(
    "--fix", is_flag=True, help="Set a damaged store aside (it is never deleted) and make a new one."
)
@as_json
@here
def doctor(session: Session, fix: bool, as_json: bool) -> int:
    """Look at interpreter, store, hooks and failures. Exit 0: healthy; 1: something is to be done."""
    findings = list(repair(session)) if fix else []
    for check in checks.CHECKS:
        findings += _all_of(check, session)
    healthy = all(finding.ok is not False for finding in findings)
    if as_json:
        show.as_json({"healthy": healthy, "findings": [finding.public() for finding in findings]})
    else:
        marks = {True: "ok", False: "BAD", None: ""}
        show.table(("", "CHECK", "FOUND"), [[marks[f.ok], f.check, f.says] for f in findings])
    return 0 if healthy else 1


def _all_of(check: Callable[[Session], Iterator[checks.Finding]], session: Session) -> list[checks.Finding]:
    """A check that fails is a finding itself."""
    try:
        return list(check(session))
    except (CoordError, OSError, Error) as error:
        return [checks.Finding(check.__name__.strip("_").replace("_", " "), str(error), False)]


def repair(session: Session) -> Iterator[checks.Finding]:
    """Set the store aside if it is damaged, and only then."""
    path = session.db.path
    if not os.path.isfile(path):
        return
    try:
        damage = health.faults(path, session.db.timeout)
    except Error as error:
        raise Refused(f"{path} can't be read now ({error}), so it was left alone: try again") from error
    if damage:
        folder = health.set_aside(path, time.strftime("%Y%m%dT%H%M%S"))
        with session.transaction(durable=True) as tx:
            tx.audit("store_set_aside", None, folder=folder, faults=damage)
        yield checks.Finding("repair", f"the damaged store is in {folder}; a new one was made", True)
