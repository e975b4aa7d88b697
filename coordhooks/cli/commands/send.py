"""Sending messages, and answering them."""

import os
import sys

import click

from coordhooks.cli import agents, names, show, whoami
from coordhooks.cli.commands import inbox
from coordhooks.cli.options import acting
from coordhooks.cli.session import Refused, Session, note
from coordhooks.store import leases, messages, runtimes, waits
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

EVERYONE = "all"
KINDS = (messages.FYI, messages.REQUEST, messages.BLOCKER, messages.URGENT)
DROPPED = Refused(
    "not sent: it is the same again, or the third in a row without work between. Go on with your work; what you"
    " sent before will be read"
)


@click.command()
@click.argument("to")
@click.argument("text")
@click.option(
    "--kind", type=click.Choice(KINDS), default=messages.FYI, help="request and blocker ask for an answer."
)
@click.option("--ref", "refs", multiple=True, help="A file, task or link that it is about.")
@click.option("--give", "given", multiple=True, metavar="NAME", help="Hand your lease on it over as well.")
@acting
def send(
    session: Session, to: str, text: str, kind: str, refs: tuple[str, ...], given: tuple[str, ...]
) -> None:
    """Send TEXT (`-` reads stdin) to a handle, a name, an id, `human`, or `all` others of this project."""
    body = _body(text)
    with session.transaction(durable=True) as tx:
        me = whoami.me(tx, session)
        if to == EVERYONE:
            if given:
                raise Refused("a lease goes to one agent: name it instead of `all`")
            said: str | Refused = _broadcast(tx, session, me, body, kind, refs)
        else:
            said = _to_one(tx, session, me, to, body, kind, refs, given)
    _finish(said)


@click.command()
@click.argument("message_id", metavar="ID")
@click.argument("text")
@acting
def reply(session: Session, message_id: str, text: str) -> None:
    """Answer message ID with TEXT (`-` reads stdin), and acknowledge it."""
    body = _body(text)
    with session.transaction(durable=True) as tx:
        said = _answer(tx, whoami.me(tx, session), message_id, body)
    _finish(said)


def _answer(tx: Transaction, me: Row, message_id: str, body: str) -> str | Refused:
    original = inbox.own(tx, me["runtime_id"], message_id)
    said = "acknowledged; coordhooks itself reads no answers"
    if original["sender"] != runtimes.SYSTEM:
        message = messages.Message(body, kind=messages.REPLY, reply_to=original["message_id"])
        recipient = messages.recipient(tx, original["sender"])
        if _dropped(tx, me, recipient, message.body):
            return DROPPED
        said = _deliver(tx, me, recipient, message)
    messages.ack(tx, me["runtime_id"], [original["message_id"]])
    return said


def _finish(said: str | Refused) -> None:
    """A refusal is raised only now, after the transaction: that something was dropped is on record."""
    if isinstance(said, Refused):
        raise said
    show.say(said)


def _body(text: str) -> str:
    return (
        sys.stdin.buffer.read(messages.MAX_BODY * 4 + 1).decode("utf-8", "replace") if text == "-" else text
    )


def _broadcast(
    tx: Transaction, session: Session, me: Row, body: str, kind: str, refs: tuple[str, ...]
) -> str:
    """To every other live agent of the project: an agent only ever informs them."""
    is_person = me["runtime_id"] in runtimes.PERSONS
    if kind != messages.FYI and not is_person:
        note("an agent's message to all is an fyi")
        kind = messages.FYI
    project = session.project if is_person else me["project"]
    found = [row for row in runtimes.live_rows(tx, project) if row["runtime_id"] != me["runtime_id"]]
    if not found:
        raise Refused(
            "nobody else works in this project, so nothing was sent: `coord who --all` lists all agents"
        )
    sent = messages.Message(body, kind=kind, refs=refs)
    found = [row for row in found if not _dropped(tx, me, row["runtime_id"], sent.body)]
    message_id = messages.deliver(
        tx, me["runtime_id"], [row["runtime_id"] for row in found], sent, everyone=True
    )
    return "\n".join(
        [f"sent {message_id[:8]} to {len(found)}", *(f"  {_recipient(tx, row)}" for row in found)]
    )


def _to_one(
    tx: Transaction, session: Session, me: Row, to: str, body: str, kind: str, refs: tuple[str, ...],
    given: tuple[str, ...],
) -> str | Refused:  # fmt: skip
    recipient = messages.recipient(tx, to)
    if recipient == me["runtime_id"]:
        raise Refused(f"{to} is yourself, so nothing was sent")
    message = messages.Message(body, kind=kind, refs=refs)
    if _dropped(tx, me, recipient, message.body):
        return DROPPED
    if given:
        shown = _give(tx, session, me, recipient, given)
        message.body += f"\n(With this message you hold: {', '.join(shown)}. Re-read before you edit.)"
    return _deliver(tx, me, recipient, message)


def _give(tx: Transaction, session: Session, me: Row, recipient: str, given: tuple[str, ...]) -> list[str]:
    """Hand leases over in the transaction of the message. Raises ``Refused`` if one is not the sender's."""
    runtimes.require_live(tx, recipient)
    shown = []
    for word in given:
        wanted = names.in_both_scopes(session, [word])
        found = leases.give(tx, me["runtime_id"], recipient, wanted)
        if not found:
            raise Refused(
                f"you do not hold {word}, so nothing was given or sent: `coord leases {word}` says who does"
            )
        for want in wanted:
            waits.settle(tx, recipient, want)
        shown.append(session.short(os.path.normpath(found[-1])))
    return shown


def _deliver(tx: Transaction, me: Row, recipient: str, message: messages.Message) -> str:
    message_id = messages.deliver(tx, me["runtime_id"], [recipient], message)
    return f"sent {message_id[:8]} to {_recipient(tx, runtimes.get(tx, recipient) or me)}"


def _dropped(tx: Transaction, me: Row, recipient: str, body: str) -> bool:
    """Two agents can't talk each other into a loop; what is dropped is counted in the audit."""
    if me["runtime_id"] in runtimes.PERSONS or not messages.too_many(tx, me["runtime_id"], recipient, body):
        return False
    tx.audit("message_dropped", me["runtime_id"], recipient=recipient, size=len(body))
    return True


def _recipient(tx: Transaction, row: Row) -> str:
    """Who gets it, and what the sender may expect of that one now."""
    return f"{agents.called(row)}: {agents.since(row, agents.state(tx, row), tx.now)}"
