"""Who calls? The process tree says it; a variable, which may be stale or inherited, only where the tree is silent."""

from coordhooks.cli import sandbox
from coordhooks.cli.session import Refused, Session
from coordhooks.harness import claude_code
from coordhooks.process import CALLER_VARIABLE, executable, identity
from coordhooks.store import calls, identities, runtimes
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

VARIABLE = "COORD_RUNTIME"
PROGRAMS = (*claude_code.PROGRAMS, "codex", "codex.exe")


def me(tx: Transaction, session: Session) -> Row:
    """The live runtime that calls: an agent's, one of its subagents', or the person ``human``.

    Raises ``Refused`` for an agent whose runtime can't be told, or a ``--as`` that is not its own.
    """
    own = of_tree(tx, session.above)
    if own:
        return _named(own, session.said) if session.said else _caller(tx, session, own)
    if not is_agent(tx, session):
        return runtimes.require_live(
            tx, identities.resolve(tx, session.said) if session.said else runtimes.HUMAN
        )
    exported = _exported(tx, session)
    if exported is None:
        raise Refused(
            "this agent's session is not registered, so it can hold and send nothing: its hooks have not run"
            " yet; try again after the next tool call, or ask the user to run `coord doctor`"
        )
    return _named([exported], session.said) if session.said else exported


def is_agent(tx: Transaction, session: Session) -> bool:
    """Has the caller a harness above it: a live runtime's process, or a program of that name?"""
    if session.person:
        return False
    exported = session.environ.get(VARIABLE) or sandbox.caller(session.environ)[0]
    return bool(exported) or is_agent_by_tree(tx, session.above)


def is_agent_by_tree(tx: Transaction, above: list[int]) -> bool:
    """Is one of these processes a live runtime's, or a harness's by its program?"""
    return bool(of_tree(tx, above)) or any(executable(pid) in PROGRAMS for pid in above)


def refuse_agents(tx: Transaction, session: Session, what: str) -> None:
    """Raises ``Refused`` for what only a person may do."""
    if is_agent(tx, session):
        raise Refused(f"only a person may {what}: ask your user to run it at a terminal or as a prompt")


def of_tree(tx: Transaction, above: list[int]) -> list[Row]:
    """The live runtimes of the nearest process above that has any, oldest first."""
    for pid in above:
        rows = [row for row in runtimes.of_process(tx, identity(pid, tx.here)) if _lives(tx, row)]
        if rows:
            return [row for row in rows if row["leaving_at"] is None] or rows
    return []


def names(row: Row) -> set[str]:
    """Everything that one runtime answers to."""
    said = (row["runtime_id"], row["handle"], row["conversation_handle"], row["name"])
    return {name for name in said if name}


def _lives(tx: Transaction, row: Row) -> bool:
    return runtimes.condition(tx, row) == runtimes.LIVE


def _caller(tx: Transaction, session: Session, own: list[Row]) -> Row:
    """Which of the runtimes of one process: the hook of this very shell call has noted it, or runs us itself."""
    if len(own) == 1:
        return own[0]
    for row in own:
        if row["runtime_id"] == session.environ.get(CALLER_VARIABLE):
            return row
    calling = calls.callers_of_coord(tx, [row["runtime_id"] for row in own])
    if len(calling) == 1:
        return next(row for row in own if row["runtime_id"] == calling[0])
    known = "; ".join(f"{row['conversation_handle']} ({row['label'] or 'main thread'})" for row in own)
    raise Refused(f"several agents share this process: say which one you are with `--as HANDLE`: {known}")


def _named(own: list[Row], said: str) -> Row:
    for row in own:
        if said in names(row):
            return row
    raise Refused(f"{said!r} is not an agent of your own process, and only for those an agent may speak")


def _exported(tx: Transaction, session: Session) -> Row | None:
    row = runtimes.get(tx, session.environ.get(VARIABLE, "")) or runtimes.newest_live(
        tx, *sandbox.caller(session.environ)
    )
    return row if row is not None and _lives(tx, row) else None
