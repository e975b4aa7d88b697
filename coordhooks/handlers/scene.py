"""Who else is at work where a shell command runs, and whose uncommitted changes lie there.

Read in short transactions; git is asked between them, never inside one.
"""

import os

from coordhooks import git
from coordhooks.handlers import attendance, guard, inbox, texts
from coordhooks.model import Event, Target
from coordhooks.paths import OUTSIDE, real, repository_of
from coordhooks.store import leases, notes, runtimes, settings, writes
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row
from coordhooks.store.overlap import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from coordhooks.hook import Surroundings

MAX_NAMED = 3


class Work:
    """Uncommitted changes of other conversations in one working tree: ``files`` maps names to git's status."""

    __slots__ = ("authors", "files")

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.authors: list[str] = []  # runtimes, the latest writer first

    def only(self, names: "Iterable[str]") -> "Work":
        """The same, of these files alone."""
        kept = Work()
        kept.authors = self.authors
        kept.files = {name: self.files[name] for name in names if name in self.files}
        return kept


class Scene:
    """``me`` is the caller's runtime if it is known yet; ``others`` are the live runtimes that are not its kin."""

    def __init__(self, event: Event, around: "Surroundings") -> None:
        self.event = event
        self.around = around
        self.cwd = real(event.cwd) if event.cwd else ""
        self.tree, self.project = repository_of(self.cwd, is_folder=True) if self.cwd else ("", OUTSIDE)
        with Transaction(around.db) as tx:
            me = self.me = attendance.find(tx, event, around)
            self.conversation = event.session_id if me is None else str(me["conversation_id"])
            own = [] if me is None else runtimes.kin(tx, me["runtime_id"])
            self.others = [
                row for row in runtimes.live_rows(tx)
                if row["runtime_id"] not in own and (me is None or me["runtime_id"] not in runtimes.kin(tx, row["runtime_id"]))
            ]  # fmt: skip
            self.off = guard.switched_off(tx, self.project) or around.environ.get("COORD_OFF") == "1"
            self.strict = settings.get(tx, self.project, "strict", 0) == 1

    # -- who ----------------------------------------------------------------------------------------------

    def workers(self, tree: str) -> list[Row]:
        """The others that work in this very checkout: a turn is open there, or something is held."""
        found = []
        with Transaction(self.around.db) as tx:
            for row in self.others:
                held = any(lease["tree"] == tree for lease in leases.of_runtime(tx, row["runtime_id"]))
                if held or (row["turn_at"] is not None and row["tree"] == tree):
                    found.append(row)
        return found

    def named(self, runtime_ids: list[str]) -> str:
        """One agent by its name, and how many more."""
        with Transaction(self.around.db) as tx:
            first = inbox.name_of(tx, runtime_ids[0])
        return first + (f" and {len(runtime_ids) - 1} more" if len(runtime_ids) > 1 else "")

    def first_time(self, key: bytes, about: str) -> bool:
        """Is this told now for the first time? It is always, of a runtime that nobody knows yet."""
        if self.me is None:
            return True
        with Transaction(self.around.db) as tx:
            return notes.first_time(tx, self.me["runtime_id"], key, about)

    # -- what ---------------------------------------------------------------------------------------------

    def foreign(self, tree: str, keys: list[bytes]) -> Work:
        """Others' uncommitted changes in the files and folders with these keys. Raises ``GitFailed``."""
        with Transaction(self.around.db) as tx:
            rows = [
                row for key in keys for row in writes.below(tx, key, self.conversation) if row["tree"] == tree
            ]
        return settle(self.around, tree, rows)

    def below(self, target: Target) -> Work:
        """The same of a folder, in other trees that lie inside it as well. Raises ``GitFailed``."""
        with Transaction(self.around.db) as tx:
            rows = writes.below(tx, encode(target.key.rstrip("/")), self.conversation)
        found = Work()
        trees = {row["tree"] for row in rows}
        for tree in sorted(trees & {target.tree} if target.bounded else trees):
            work = settle(self.around, tree, [row for row in rows if row["tree"] == tree])
            found.authors += [author for author in work.authors if author not in found.authors]
            found.files.update(
                (os.path.relpath(os.path.join(tree, name), target.tree), status)
                for name, status in work.files.items()
            )
        return found

    def own(self, tree: str) -> Work:
        """One's own uncommitted changes, that nobody else has a part in. Raises ``GitFailed``."""
        with Transaction(self.around.db) as tx:
            rows = writes.of_conversation(tx, self.conversation, tree)
            shared = {
                bytes(row["key"])
                for row in writes.of_tree(tx, tree)
                if row["conversation_id"] != self.conversation
            }
        return settle(self.around, tree, [row for row in rows if bytes(row["key"]) not in shared])

    def listed(self, work: Work, tree: str) -> str:
        """Some of the files by name, and how many more; those of another tree than the caller's by their whole path."""
        names = sorted(work.files)
        if tree != self.tree:
            inside = tree.startswith(f"{self.tree}/") and self.tree
            names = [
                os.path.relpath(os.path.join(tree, name), self.tree) if inside else os.path.join(tree, name)
                for name in names
            ]
        shown = ", ".join(texts.named(name, texts.SHORT_PATH) for name in names[:MAX_NAMED])
        return shown + (f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else "")


def settle(around: "Surroundings", tree: str, rows: list[Row]) -> Work:
    """Which records of writes still differ from HEAD; the others have landed, which is recorded. Raises ``GitFailed``."""
    found = Work()
    if not rows:
        return found
    names = {bytes(row["key"]): os.path.relpath(os.fsdecode(row["path"]), tree) for row in rows}
    found.files = git.changed(around.environ, tree, set(names.values()), git.HOOK_TIMEOUT)
    landed = [row for row in rows if names[bytes(row["key"])] not in found.files]
    left = sorted((row for row in rows if row not in landed), key=lambda row: -row["at"])
    found.authors = list(dict.fromkeys(row["runtime_id"] for row in left))
    if landed:
        with Transaction(around.db) as tx:
            for row in landed:
                writes.land(tx, row["key"], row["conversation_id"])
    return found
