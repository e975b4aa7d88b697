"""The user's own settings of coordhooks, and whether the veto is switched on here at all."""

import os
from collections.abc import Iterator

from coordhooks import configuration, locations, quoting
from coordhooks.cli import show, switch
from coordhooks.cli.checks import store
from coordhooks.cli.checks.finding import Finding, fault, good, note
from coordhooks.cli.session import Session
from coordhooks.store import settings
from coordhooks.store.db import Transaction

CHECK = "settings"
MAX_FOLDER = 200
SWITCHED_OFF = "switched off"  # by the user's own word: no fault, and yet nothing is guarded


def check(session: Session) -> Iterator[Finding]:
    path = os.path.join(locations.config_dir(dict(session.environ)), configuration.FILE)
    if session.environ.get("COORD_OFF") == "1":
        says = "COORD_OFF=1 is set here: in a harness that has it no conflicting write is refused"
        yield fault("switch", says, remedy="`unset COORD_OFF`, and start the harness again")
    if not store.readable(session):
        return
    with session.transaction() as tx:
        trouble = _refresh(tx, session)
        until, now = settings.off_until(tx, session.project), tx.now
        disabled = settings.get(tx, session.project, "enabled", 1) == 0
    if trouble:
        says = f"the former ones go on: {trouble}"
        yield fault(CHECK, says, file=path, remedy="correct it in an editor")
    else:
        there = os.path.exists(path)
        yield good(CHECK, "in force" if there else "none: everything is as it is at first", file=path)
        for folder in configuration.of_no_repository(path) if there else []:
            says = f'[project."{quoting.line(folder, MAX_FOLDER)}"] names no git repository: it is for all files outside of any'
            yield note(CHECK, says, file=path)
    if until is not None:
        when = f"until {show.clock(until, now)}" if until != switch.FOREVER else "for good"
        yield fault("switch", f"the veto is off in this project {when}", remedy="`coord on`")
    if disabled:
        says = "enabled = false: nothing is checked in this project"
        remedy = "take that line out to have it checked again"
        yield Finding(SWITCHED_OFF, says, file=path, remedy=remedy)


def _refresh(tx: Transaction, session: Session) -> str:
    """Put the file in force, as a session's start does; what is wrong with it, if anything."""
    try:
        configuration.refresh(tx, dict(session.environ))
    except configuration.BadConfiguration as error:
        return str(error)
    return ""
