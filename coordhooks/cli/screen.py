"""The one screen: what there is to say of a project at one moment, and how it is said."""

import os

from coordhooks import configuration
from coordhooks.cli import agents, claims, show, switch, whoami
from coordhooks.cli.session import Session
from coordhooks.errors import CoordError, LedgerError
from coordhooks.failures import PROBLEMS
from coordhooks.store import audit, leases, messages, runtimes, settings
from coordhooks.store.db import Transaction

FOLDER = "ledger"  # in the state folder
RECENTLY = 86400.0  # seconds for which failures and breaches are counted
Facts = dict[str, object]


def gather(session: Session, everything: bool = False) -> Facts:
    """The state of this project (or all) at one moment."""
    tasks = _tasks(session, everything)
    with session.transaction() as tx:
        bad_settings = _refresh(tx, session)
        project = None if everything else session.project
        until = settings.off_until(tx, session.project)
        return {
            "project": project,
            "tree": session.tree,
            "now": tx.now,
            "you": _you(tx, session),
            "agents": agents.listing(tx, session, everything),
            "leases": [leases.describe(tx, row) for row in leases.active(tx, project)],
            "unread_by_person": messages.counts(tx, runtimes.HUMAN)["queued"],
            "off": until is not None or session.environ.get("COORD_OFF") == "1",
            "off_until": until if until not in (None, switch.FOREVER) else None,
            "could_not_tell": audit.count(tx, "could_not_tell", tx.now - RECENTLY)
            + _problems(session.state_dir),
            "breaches": audit.count(tx, "breach", tx.now - RECENTLY),
            "bad_settings": bad_settings,
            **tasks,
        }


def text(session: Session, facts: Facts) -> str:
    """The screen as plain text."""
    with session.transaction(readonly=True) as tx:
        who = agents.cells(tx, _list(facts["agents"]))
        held = claims.cells(tx, session, _list(facts["leases"]))
    parts = [
        "\n".join(_warnings(session, facts)),
        show.text_table(agents.HEADERS, who) if who else "no live agents here\n",
        show.text_table(claims.HEADERS, held) if held else "nothing is held here\n",
    ]
    if facts["tasks"]:
        parts.append(f"tasks: {_counts(facts['tasks'])}\n")
    if facts["you"]:
        parts.append(f"you are {facts['you']}\n")
    return "\n".join(part for part in parts if part).rstrip("\n")


def _warnings(session: Session, facts: Facts) -> list[str]:
    """What must not stay unseen, a line each; the last line break sets them off."""
    lines = []
    if facts["off"]:
        at, now = facts["off_until"], facts["now"]
        until = (
            f"until {show.clock(at, now)}"
            if isinstance(at, float) and isinstance(now, float)
            else "until `coord on`"
        )
        lines.append(
            f"coordhooks is OFF in {switch.place(session)} {until}: conflicting writes are NOT refused."
        )
    if facts["bad_settings"]:
        lines.append(f"Settings: {facts['bad_settings']} (the former ones go on)")
    if facts["ledger_trouble"]:
        lines.append(f"Task ledger: {facts['ledger_trouble']}")
    if facts["could_not_tell"]:
        lines.append(
            f"Hooks could not tell {facts['could_not_tell']} times in the last day whether a call was safe:"
            " `coord audit` has when and why, `coord doctor` whether that is over."
        )
    if facts["breaches"]:
        lines.append(f"{facts['breaches']} breaches in a day: `coord audit` has them.")
    if facts["unread_by_person"]:
        lines.append(f"{facts['unread_by_person']} unread for the person: `coord inbox`.")
    return [*lines, ""] if lines else []


def _tasks(session: Session, everything: bool) -> Facts:
    """How many open tasks there are by state; the ledger is loaded only where there is one."""
    if not os.path.isdir(os.path.join(session.state_dir, FOLDER)):
        return {"tasks": {}, "ledger_trouble": ""}
    from coordhooks.cli import tasks

    try:
        return {"tasks": tasks.counted(session, everything), "ledger_trouble": ""}
    except LedgerError as error:
        return {"tasks": {}, "ledger_trouble": str(error)}


def _counts(counts: object) -> str:
    return ", ".join(f"{n} {state}" for state, n in counts.items()) if isinstance(counts, dict) else ""


def _you(tx: Transaction, session: Session) -> str:
    try:
        return agents.called(whoami.me(tx, session))
    except CoordError:  # the screen is for those too who can't be told apart
        return ""


def _refresh(tx: Transaction, session: Session) -> str:
    try:
        configuration.refresh(tx, dict(session.environ))
    except configuration.BadConfiguration as error:
        return str(error)
    return ""


def _problems(state_dir: str) -> int:
    """Failures that no session has been shown yet."""
    try:
        with open(os.path.join(state_dir, PROBLEMS), "rb") as file:
            return file.read().count(b"\n")
    except OSError:
        return 0


def _list(value: object) -> list[Facts]:
    return value if isinstance(value, list) else []
