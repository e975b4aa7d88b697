"""What one command stands on: time, environment, working folder, store, and who calls. Read once, handed down."""

import os
import sys
import time
from collections.abc import MutableMapping

from coordhooks import locations
from coordhooks.errors import CoordError
from coordhooks.paths import OUTSIDE, repository_of
from coordhooks.process import ancestors
from coordhooks.store.db import Database, Transaction

STORE_TIMEOUT = 5.0  # seconds to wait for another process's transaction

Environ = MutableMapping[str, str]


class Refused(CoordError):
    """What was asked for was not done; the text says why and what to do. ``exit_code`` is the command's."""

    def __init__(self, sentence: str, exit_code: int = 1) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code


class Session:
    """``project`` and ``tree`` are those of the working folder; ``above`` are the pids of our ancestors.

    ``said`` is what ``--as`` named. ``person`` is true where a caller has proved to be one already.
    """

    def __init__(self, environ: Environ, cwd: str, *, said: str = "", db: Database | None = None) -> None:
        self.environ = environ
        self.cwd = cwd
        self.said = said
        self.person = False
        self.state_dir = locations.state_dir(dict(environ))
        self.db = db or Database(os.path.join(self.state_dir, locations.DATABASE), time.time, STORE_TIMEOUT)
        self.tree, self.project = (
            repository_of(os.path.realpath(cwd), is_folder=True) if cwd else ("", OUTSIDE)
        )
        self.above = ancestors(os.getpid())

    @classmethod
    def here(cls, said: str = "") -> "Session":
        try:
            cwd = os.getcwd()
        except OSError:
            raise Refused("the current folder is gone: `cd` to one that exists") from None
        return cls(os.environ, cwd, said=said)

    def transaction(self, *, durable: bool = False, readonly: bool = False) -> Transaction:
        return Transaction(self.db, durable=durable, readonly=readonly)

    def short(self, path: str) -> str:
        """A path as it is shown here: without the root of the working tree that one stands in."""
        return path.removeprefix(self.tree.rstrip("/") + "/") if self.tree else path


def note(sentence: str) -> None:
    """Something to know besides the result, on stderr."""
    from coordhooks import quoting

    sys.stderr.write(quoting.clean(f"coord: {sentence}") + "\n")
