"""Reading one's messages, and acknowledging them. Shown counts only once it was written out whole."""

import click

from coordhooks import quoting
from coordhooks.cli import show, whoami
from coordhooks.cli.options import acting, as_json
from coordhooks.cli.session import Refused, Session
from coordhooks.handlers.inbox import name_of
from coordhooks.store import messages, runtimes
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

LIMIT = 100
NEW = {"queued": "new", "delivered": "shown before, not acked", "acked": "acked"}


@click.command()
@click.option("--peek", is_flag=True, help="Leave them unread.")
@click.option("--all", "everything", is_flag=True, help="Those acknowledged too.")
@as_json
@acting
def inbox(session: Session, peek: bool, everything: bool, as_json: bool) -> None:
    """Read your messages, oldest first."""
    with session.transaction() as tx:
        me = whoami.me(tx, session)["runtime_id"]
        if me in runtimes.PERSONS and not peek:  # no hook of a person does it
            messages.ack_shown(tx, me)
        rows = messages.history(tx, me, LIMIT) if everything else messages.inbox(tx, me, LIMIT, mark=False)
        found = [messages.public(row) | {"sender": name_of(tx, row["sender"])} for row in rows]
        now = tx.now
    if as_json:
        show.as_json(found)
    else:
        show.say("\n".join(_text(message, now) for message in found) or "no messages")
    fresh = [str(message["message_id"]) for message in found if message["state"] == "queued"]
    if fresh and not peek:
        with session.transaction(durable=True) as tx:
            messages.delivered(tx, me, fresh)


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@acting
def ack(session: Session, ids: tuple[str, ...]) -> None:
    """Acknowledge your messages IDs (the first 8 characters are enough)."""
    with session.transaction(durable=True) as tx:
        me = whoami.me(tx, session)["runtime_id"]
        newly = messages.ack(tx, me, [own(tx, me, said)["message_id"] for said in ids])
    show.say("\n".join(f"acked {message_id[:8]}" for message_id in newly) or "acked before")


def own(tx: Transaction, runtime_id: str, said: str) -> Row:
    """The one message among a runtime's own that an id, or its beginning, stands for."""
    found = messages.of_id(tx, runtime_id, said)
    if len(found) == 1:
        return found[0]
    if found:
        raise Refused(f"{said} is the beginning of {len(found)} of your messages: give more of the id")
    raise Refused(
        f"you have no message {said}: `coord inbox --all` lists yours, with ids of {messages.SHORT_ID} characters"
    )


def _text(message: dict[str, object], now: float) -> str:
    """A head line of ours, then the body, each line of it marked as quoted."""
    at = message["created_at"]
    head = f"{quoting.line(str(message['kind']), 20)} from {message['sender']}, id {str(message['message_id'])[:8]},"
    head += f" {show.clock(at if isinstance(at, float) else None, now)} ({NEW[str(message['state'])]})"
    refs = message["refs"]
    if isinstance(refs, list) and refs:
        head += f", about {', '.join(quoting.line(str(ref)) for ref in refs)}"
    lines = quoting.clean(str(message["body"])).split("\n")
    return "\n".join([head, *(f"  | {line}" for line in lines)])
