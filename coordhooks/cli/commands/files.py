"""Unlanded work: the files that a conversation wrote, until they equal HEAD or their author takes them back."""

import os
import sys

import click

from coordhooks import git
from coordhooks.cli import show, whoami
from coordhooks.cli.options import acting, as_json
from coordhooks.cli.session import Refused, Session, note
from coordhooks.handlers.inbox import name_of
from coordhooks.store import identities, writes
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row


@click.command()
@click.option("-z", "nul", is_flag=True, help="Exact names, a NUL after each: for `git --literal-pathspecs`.")
@click.option("--stage", is_flag=True, help="`git add` exactly these.")
@as_json
@acting
def files(session: Session, nul: bool, stage: bool, as_json: bool) -> None:
    """List the files in this working tree that you wrote and have not landed. A person sees everybody's."""
    with session.transaction() as tx:
        author = _author(tx, session)
        rows = _written(tx, session, author)
    if author is None and (nul or stage):
        raise Refused("say whose files with `--as HANDLE`: `coord files` without options lists everybody's")
    rows = _unlanded(session, rows)
    if stage:
        _stage(session, rows)
    elif nul:
        _exact(session, rows)
    else:
        _print(session, rows, as_json, everybody=author is None)


def _author(tx: Transaction, session: Session) -> str | None:
    """The conversation that is meant; a person who names none means everybody."""
    if whoami.is_agent(tx, session):
        return str(whoami.me(tx, session)["conversation_id"])
    if not session.said:
        return None
    row = identities.known(tx, session.said)  # also of a conversation that has ended
    if row is None:
        raise Refused(f"nobody was ever called {session.said!r}: `coord who --all` lists the live agents")
    return str(row["conversation_id"])


def _written(tx: Transaction, session: Session, author: str | None) -> list[Row]:
    if author is None:
        return writes.of_tree(tx, session.tree)
    rows = writes.of_conversation(tx, author)
    elsewhere = sorted({row["tree"] for row in rows} - {session.tree})
    if elsewhere:
        note(f"there is more in other working trees: {', '.join(elsewhere)}")
    return [row for row in rows if row["tree"] == session.tree]


def _unlanded(session: Session, rows: list[Row]) -> list[Row]:
    """Those that differ from HEAD; the others are on record as landed from now on."""
    if not rows:
        return []
    names = {bytes(row["path"]): os.path.relpath(os.fsdecode(row["path"]), session.tree) for row in rows}
    changed = git.changed(session.environ, session.tree, names.values())
    landed = [row for row in rows if names[bytes(row["path"])] not in changed]
    with session.transaction() as tx:
        for row in landed:
            if _still(tx, row):
                writes.land(tx, row["key"], row["conversation_id"])
    return [row for row in rows if row not in landed]


def _still(tx: Transaction, row: Row) -> bool:
    """Was it not written again while git was asked?"""
    now = {bytes(r["key"]): r["at"] for r in writes.of_conversation(tx, row["conversation_id"])}
    return bool(now.get(bytes(row["key"])) == row["at"])


def _stage(session: Session, rows: list[Row]) -> None:
    if not rows:
        raise Refused("you have no unlanded files in this working tree, so nothing was staged")
    paths = sorted({os.fsdecode(row["path"]) for row in rows})
    git.add(session.environ, session.tree, [os.path.relpath(path, session.tree) for path in paths])
    show.say("\n".join(f"staged {session.short(path)}" for path in paths))


def _exact(session: Session, rows: list[Row]) -> None:
    """Names relative to the working folder, as git takes them, in the file system's own bytes."""
    out = sys.stdout.buffer
    here = os.path.realpath(session.cwd)
    for path in sorted({os.fsdecode(row["path"]) for row in rows}):
        out.write(os.fsencode(os.path.relpath(path, here)) + b"\0")
    out.flush()


def _print(session: Session, rows: list[Row], as_json: bool, *, everybody: bool) -> None:
    with session.transaction() as tx:
        found = [public(tx, row) for row in rows]
        now = tx.now
    if as_json:
        show.as_json(found)
        return
    if not everybody:
        if found:
            show.say("\n".join(session.short(str(file["path"])) for file in found))
        else:
            note("no unlanded files of yours in this working tree")
        return
    cells = [
        [session.short(str(file["path"])), file["called"], show.clock(_number(file["at"]), now), file["task"]]
        for file in found
    ]
    show.table(
        ("FILE", "WRITTEN BY", "AT", "TASK"), cells, empty="no unlanded files of agents in this working tree"
    )


def public(tx: Transaction, row: Row) -> dict[str, object]:
    """A write as listings show it. Times are epoch seconds."""
    return {
        "path": os.fsdecode(row["path"]),
        "tree": row["tree"],
        "conversation_id": row["conversation_id"],
        "runtime_id": row["runtime_id"],
        "called": name_of(tx, row["runtime_id"]),
        "task": row["task"],
        "first_at": row["first_at"],
        "at": row["at"],
        "landed": bool(row["landed"]),
    }


def _number(value: object) -> float | None:
    return value if isinstance(value, float) else None
