"""Would a write be refused? For scripts, and for git's own pre-commit hook."""

import os
import sys
from contextlib import suppress

import click

from coordhooks.cli import claims, show, whoami
from coordhooks.cli.options import acting, as_json
from coordhooks.cli.session import Refused, Session, note
from coordhooks.errors import CoordError
from coordhooks.paths import locate
from coordhooks.store import leases
from coordhooks.store.overlap import of_target

FREE, HELD, COULD_NOT_TELL = 0, 1, 2


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--stdin", "from_stdin", is_flag=True, help="Read paths from stdin, one a line.")
@click.option("-z", "nul", is_flag=True, help="With --stdin: NUL after each path instead of a line break.")
@click.option("--staged", is_flag=True, help="What `git commit` would take; a person is only warned.")
@click.option("--command", metavar="TEXT", help="What this shell command would write, and why.")
@click.option(
    "--dialect", type=click.Choice(["posix", "powershell"]), default="posix", help="The shell of --command."
)
@as_json
@acting
def check(
    session: Session,
    paths: tuple[str, ...],
    from_stdin: bool,
    nul: bool,
    staged: bool,
    command: str | None,
    dialect: str,
    as_json: bool,
) -> int:
    """Exit 0: free; 1: would be refused, a line a path; 2: could not tell."""
    if bool(paths) + from_stdin + staged + (command is not None) != 1:
        raise click.UsageError("give paths, or --stdin, or --staged, or --command")
    if command is not None:
        return _of_command(session, command, dialect, as_json)
    agent = True
    try:
        with session.transaction() as tx:
            agent = whoami.is_agent(tx, session)
        held = _held(session, _asked(session, paths, nul, staged))
    except CoordError as error:
        if not staged or agent:
            raise Refused(f"could not tell: {error}", COULD_NOT_TELL) from error
        note(f"could not tell whether others hold what you commit: {error}")
        return FREE
    _print(session, held, as_json)
    return HELD if held and (agent or not staged) else FREE


def _of_command(session: Session, command: str, dialect: str, as_json: bool) -> int:
    from coordhooks.cli.commands import check_command

    try:
        return check_command.answer(session, command, dialect, as_json=as_json)
    except CoordError as error:
        raise Refused(f"could not tell: {error}", COULD_NOT_TELL) from error


def _asked(session: Session, paths: tuple[str, ...], nul: bool, staged: bool) -> list[str]:
    """The paths to look at, each absolute or relative to the working folder."""
    if paths:
        return list(paths)
    if staged:
        from coordhooks import git

        if not session.tree:
            raise Refused("this folder is in no repository, so nothing is staged")
        return [os.path.join(session.tree, name) for name in git.staged(session.environ, session.cwd)]
    data = sys.stdin.buffer.read()
    lines = data.split(b"\0") if nul else [line.removesuffix(b"\r") for line in data.split(b"\n")]
    return [os.fsdecode(line) for line in lines if line]


def _held(session: Session, asked: list[str]) -> list[claims.Facts]:
    """The leases of others that stand in the way, with the ``asked`` path that each is about."""
    from coordhooks.handlers.guard import switched_off

    targets = [(path, locate(path, session.cwd)) for path in asked]
    found: list[claims.Facts] = []
    with suppress(_Undo), session.transaction() as tx:
        me = whoami.me(tx, session)
        if switched_off(tx, me["project"] or session.project):
            note("the veto is off in this project: every write is let through")
            return []
        for path, target in targets:
            for row in leases.conflicts(tx, me["runtime_id"], [of_target(target)], leases.EXCLUSIVE):
                found.append({"asked": path, **leases.describe(tx, row)})
        raise _Undo
    return found


class _Undo(Exception):
    """A lease that would give way to the write gives way to no question: whatever the look changed is taken back."""


def _print(session: Session, held: list[claims.Facts], as_json: bool) -> None:
    if as_json:
        show.as_json(held)
        return
    for facts in held:
        show.say(claims.conflict_line(session, facts))
    if held:
        note(f"{len(held)} would be refused: `coord wait PATH`, or talk to the holder with `coord send`")
