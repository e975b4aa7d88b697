"""HEAD may have moved: what is now committed is nobody's unlanded work, and the others in the checkout are told."""

import os

from coordhooks import git
from coordhooks.handlers import inbox, texts
from coordhooks.handlers.scene import settle
from coordhooks.model import Decision
from coordhooks.store import messages, runtimes, writes
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings


def after(around: "Surroundings", me: Row, noted: str, decision: Decision) -> None:
    """Compare with what was ``noted`` before the call: tree, commit, branch, and whether to tell, a line each."""
    tree, commit, branch, aloud = noted.split("\n")
    now, where = git.head(around.environ, tree)
    if (now, where) == (commit, branch) or not now:
        return
    with Transaction(around.db) as tx:
        rows = writes.of_tree(tx, tree)
    left = settle(around, tree, rows).files
    if aloud:
        _tell(around, me, tree, where, now, commit)
    elif any(row["conversation_id"] != me["conversation_id"] for row in rows):
        taken = git.between(around.environ, tree, commit, now) - left.keys()
        _own_up(around, me, [row for row in rows if _name(row, tree) in taken], decision)


def _name(row: Row, tree: str) -> str:
    return os.path.relpath(os.fsdecode(row["path"]), tree)


def _own_up(around: "Surroundings", me: Row, rows: list[Row], decision: Decision) -> None:
    """A commit took in work of others, however that came into the index: its author hears of it, and so do they."""
    with Transaction(around.db) as tx:
        own = runtimes.kin(tx, me["runtime_id"])
        theirs = [
            row
            for row in rows
            if row["runtime_id"] not in own and row["conversation_id"] != me["conversation_id"]
        ]
        for author in dict.fromkeys(row["runtime_id"] for row in theirs):
            names = [_name(row, row["tree"]) for row in theirs if row["runtime_id"] == author]
            tx.audit("work_committed", me["runtime_id"], author=author, paths=names)
            inbox.add(decision, texts.took_in(names, inbox.name_of(tx, author)))
            holder = runtimes.get(tx, author)
            if holder is not None and holder["ended_at"] is None:
                message = messages.Message(texts.was_taken_in(names, inbox.name_of(tx, me["runtime_id"])))
                messages.deliver(tx, runtimes.SYSTEM, [author], message)


def _tell(around: "Surroundings", me: Row, tree: str, branch: str, commit: str, before: str) -> None:
    with Transaction(around.db) as tx:
        own = runtimes.kin(tx, me["runtime_id"])
        others = [
            row["runtime_id"] for row in runtimes.live_rows(tx, me["project"])
            if row["tree"] == tree and row["runtime_id"] not in own
        ]  # fmt: skip
        if others:
            text = texts.head_moved(branch, commit, inbox.name_of(tx, me["runtime_id"]), before)
            messages.deliver(tx, runtimes.SYSTEM, others, messages.Message(text))
