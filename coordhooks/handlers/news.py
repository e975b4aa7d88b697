"""What an agent should hear at this moment besides the answer: messages, and files that became free."""

from coordhooks.handlers import inbox, texts
from coordhooks.model import Decision
from coordhooks.store import messages, notes, waits
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row


def before_call(tx: Transaction, me: Row, decision: Decision) -> None:
    """Pressing messages only; at a refusal nothing is said of freed files, the refusal has the word."""
    inbox.show(tx, me, decision, messages.PRESSING)
    tell_lapsed(tx, me, decision)
    if not decision.deny:
        tell_freed(tx, me, decision)


def after_call(tx: Transaction, me: Row, decision: Decision) -> None:
    """Everything unread, and freed files."""
    messages.ack_shown(tx, me["runtime_id"])
    inbox.show(tx, me, decision)
    tell_lapsed(tx, me, decision)
    tell_freed(tx, me, decision)


def tell_freed(tx: Transaction, me: Row, decision: Decision) -> None:
    """Each path that this runtime was refused and that is free now, once."""
    names = waits.freed(tx, me["runtime_id"])
    if names:
        tree = me["tree"] + "/"
        inbox.add(decision, texts.freed([name.removeprefix(tree) for name in names]))


def tell_lapsed(tx: Transaction, me: Row, decision: Decision) -> None:
    """Each lease of this runtime that yielded to another, once."""
    tree = me["tree"] + "/"
    for path, contender in notes.take_lapsed(tx, me["runtime_id"]):
        inbox.add(decision, texts.lapsed(path.removeprefix(tree), inbox.name_of(tx, contender)))
