"""HEAD may have moved: what is now committed is nobody's unlanded work, and the others in the checkout are told."""

from coordhooks import git
from coordhooks.handlers import inbox, texts
from coordhooks.handlers.scene import settle
from coordhooks.store import messages, runtimes, writes
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings


def after(around: "Surroundings", me: Row, noted: str) -> None:
    """Compare with what was ``noted`` before the call: tree, commit, branch, and whether to tell, a line each."""
    tree, commit, branch, aloud = noted.split("\n")
    now, where = git.head(around.environ, tree)
    if (now, where) == (commit, branch) or not now:
        return
    with Transaction(around.db) as tx:
        rows = writes.of_tree(tx, tree)
    settle(around, tree, rows)
    if aloud:
        _tell(around, me, tree, where, now, commit)


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
