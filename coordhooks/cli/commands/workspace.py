"""Managed working trees: the records of those that were made for agents."""

import click

from coordhooks.cli import show
from coordhooks.cli.options import as_json, here
from coordhooks.cli.session import Refused, Session
from coordhooks.fastjson import dumps
from coordhooks.store import workspaces
from coordhooks.store.audit import without_secrets
from coordhooks.store.handles import WORK, friendly_handle

Record = dict[str, object]


@click.group()
def workspace() -> None:
    """Look at the git worktrees and jj workspaces that were made for agents."""


@workspace.command("list")
@as_json
@here
def list_(session: Session, as_json: bool) -> None:
    """List the latest record of each."""
    with session.transaction(readonly=True) as tx:
        found = [_public(record) for record in workspaces.all_records(tx)]
    if as_json:
        show.as_json(found)
        return
    rows = [
        [record["handle"], record.get("status", ""), record["path"], record["instance_id"]]
        for record in found
    ]
    show.table(("HANDLE", "STATUS", "PATH", "ID"), rows, empty="no managed workspaces")


@workspace.command("show")
@click.argument("identity", metavar="ID")
@as_json
@here
def show_(session: Session, identity: str, as_json: bool) -> None:
    """Show one by its id or its handle."""
    with session.transaction(readonly=True) as tx:
        record = workspaces.get(tx, identity)
        managed = record is not None and workspaces.is_managed(tx, str(record["path"]))
    if record is None:
        raise Refused(f"no managed workspace is called {identity}: `coord workspace list` lists them")
    shown = _public(record) | {"managed": managed}
    if as_json:
        show.as_json(shown)
        return
    texts = ((name, value if isinstance(value, str) else dumps(value)) for name, value in shown.items())
    show.table(("FIELD", "VALUE"), list(texts))


def _public(record: Record) -> Record:
    """A record with its handle, without the token that proves who owns it."""
    safe = without_secrets(record)
    handle = friendly_handle(str(record["instance_id"]), WORK)
    return {"handle": handle, **safe} if isinstance(safe, dict) else {"handle": handle}
