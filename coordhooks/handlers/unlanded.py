"""Unlanded work of others in a file that is about to be written: is it still there, and who should know?"""

from coordhooks import git
from coordhooks.handlers import inbox, texts
from coordhooks.model import Decision, Target
from coordhooks.store import notes, writes
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row
from coordhooks.store.overlap import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from coordhooks.hook import Surroundings


def warn(around: "Surroundings", me: Row, targets: list[Target], decision: Decision) -> None:
    """Ask git, outside any transaction, whether the file differs from HEAD; tell the model once if it does."""
    for target in targets:
        landed = equals_head(target, around.environ)
        with Transaction(around.db) as tx:
            rows = writes.others(tx, target, me["conversation_id"])
            if landed:
                for row in rows:
                    writes.land(tx, row["key"], row["conversation_id"])
            elif rows and _first(tx, me, target, rows[0]):
                who = inbox.name_of(tx, rows[0]["runtime_id"])
                minutes = max(0, int((tx.now - rows[0]["at"]) / 60))
                inbox.add(decision, texts.unlanded(target.name, who, rows[0]["task"], minutes))


def _first(tx: Transaction, me: Row, target: Target, row: Row) -> bool:
    return notes.first_time(tx, me["runtime_id"], encode(target.key), f"unlanded:{row['conversation_id']}")


def equals_head(target: Target, environ: "Mapping[str, str]") -> bool:
    """Does git say that the file is as committed (or ignored)? ``False`` also if git can't tell."""
    try:
        return not git.changed(environ, target.tree, [target.name], git.HOOK_TIMEOUT)
    except git.GitFailed:
        return False
