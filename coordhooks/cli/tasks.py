"""Tasks of the ledger as the command sees them: which one is meant, whose it is, and how it is listed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from coordhooks.cli import agents, show, whoami
from coordhooks.cli.session import Refused, Session, note
from coordhooks.errors import NotFound
from coordhooks.handlers import holding, orphans
from coordhooks.handlers.texts import HARNESSES
from coordhooks.ledger import Ledger, times
from coordhooks.ledger.vocabulary import QUEUED, Record
from coordhooks.paths import OUTSIDE, repository_of
from coordhooks.store import runtimes
from coordhooks.store.engine import Row

SHORT_ID = 8  # characters of a task id that stand for it
HEADERS = ("ID", "STATE", "OWNER", "TITLE", "ATTEMPT", "DUE")
INTERRUPTED = "interrupted turn"


def folder(session: Session) -> str:
    return os.path.join(session.state_dir, holding.FOLDER)


@contextmanager
def ledger(session: Session) -> Iterator[Ledger]:
    """The ledger, in which no dead runtime owns anything any more."""
    with Ledger(folder(session)) as opened:
        for notice in opened.notices:
            note(notice)
        orphans.give_back(opened, session.db, surface="cli")
        yield opened


def find(opened: Ledger, said: str) -> Record:
    """The task of an id, or of its beginning; among those that are open first. Raises ``Refused``."""
    try:
        return opened.task(said)
    except NotFound:
        pass
    found = _beginning(opened.scheduling_snapshot()["tasks"], said) or _beginning(opened.tasks(), said)
    if len(found) == 1:
        return found[0]
    if found:
        raise Refused(f"{said} is the beginning of {len(found)} task ids: give more of it")
    raise Refused(
        f"there is no task {said}: `coord task list --all` lists the open ones, with ids of {SHORT_ID} characters"
    )


def _beginning(tasks: list[Record], said: str) -> list[Record]:
    return [t for t in tasks if t["task_id"].startswith(said)] if len(said) >= SHORT_ID else []


def short(task: Record) -> str:
    return str(task["task_id"][:SHORT_ID])


def caller(session: Session) -> Row:
    with session.transaction() as tx:
        return whoami.me(tx, session)


def refuse_agents(session: Session, what: str) -> None:
    """Raises ``Refused`` for what only a person may do."""
    with session.transaction() as tx:
        whoami.refuse_agents(tx, session, what)


def owned(session: Session, opened: Ledger, said: str, what: str) -> Record:
    """The task, which the caller has leased. A person may also end one that nobody has. Raises ``Refused``.

    An agent whose lease was taken from it is told so: somebody else may be at the task by now.
    """
    me, task = caller(session), find(opened, said)
    holder = holding.owner(task)
    if holder == me["runtime_id"] or (not holder and me["runtime_id"] in runtimes.PERSONS):
        return task
    if holder:
        raise Refused(
            f"task {short(task)} is leased by {name_of(session, holder)}, not by you, so you can't {what} it:"
            " leave it alone, it is no longer your work"
        )
    raise Refused(
        f"you have no lease on task {short(task)} (it is {task['state']}), so you can't {what} it: stop working on"
        f" it, or, if it is queued, `coord task lease {short(task)}` takes it"
    )


def refuse_another_lease(before: Record, now: Record) -> None:
    """What was checked under one lease must not end the task under the next one. Raises ``Refused``."""
    if (before["lease"] or {}).get("lease_epoch") != (now["lease"] or {}).get("lease_epoch"):
        raise Refused(
            f"task {short(now)} was given back and leased again meanwhile, so nothing was ended: try again"
        )


def name_of(session: Session, runtime_id: str) -> str:
    """What an owner is called: an agent by its name or handle, anybody else by its id."""
    if not runtime_id:
        return ""
    with session.transaction() as tx:
        row = runtimes.get(tx, runtime_id)
        return agents.called(row) if row is not None else runtime_id


def project(said: str) -> str:
    """The project of a folder. Raises ``Refused``."""
    if not os.path.isdir(said):
        raise Refused(f"{said} is no folder: name one in the project that the task is for")
    return repository_of(os.path.realpath(said), is_folder=True)[1]


def cells(session: Session, found: list[Record], now: float) -> list[list[object]]:
    return [
        [
            short(task),
            state(task),
            name_of(session, holding.owner(task)),
            task["title"] or "",
            task["attempt"] or "",
            show.clock(times.moment(task["due"]).timestamp(), now) if task["due"] else "",
        ]
        for task in found
    ]


def state(task: Record) -> str:
    """Its state, for people: a turn that was cut short waits for its conversation, not for a worker."""
    turn = task["source"] in HARNESSES
    return INTERRUPTED if turn and task["state"] == QUEUED else str(task["state"])


def counted(session: Session, everything: bool) -> dict[str, int]:
    """How many open tasks this project (or all) has in each state. Raises ``LedgerError``."""
    counts: dict[str, int] = {}
    with ledger(session) as opened:
        for task in opened.scheduling_snapshot()["tasks"]:
            if everything or task["project"] == session.project:
                counts[state(task)] = counts.get(state(task), 0) + 1
    return counts


def tree_of(session: Session, task: Record) -> str:
    """A working tree of the task's project: the caller's own, else the main one. Raises ``Refused``."""
    if session.project == task["project"] and session.tree:
        return session.tree
    main = os.path.dirname(str(task["project"]))
    if task["project"] != OUTSIDE and repository_of(main, is_folder=True) == (main, task["project"]):
        return main
    raise Refused(
        f"task {short(task)} belongs to {task['project']}, which has no working tree here: run this in one of its"
        " working trees"
    )
