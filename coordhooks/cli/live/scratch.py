"""The place of a trial: a temporary home, repository and store, in which somebody else holds one file."""

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator

from coordhooks import locations
from coordhooks.install.places import Places
from coordhooks.paths import locate
from coordhooks.store import audit, leases, runtimes
from coordhooks.store.db import Database, Transaction
from coordhooks.store.overlap import of_target

HELD, FREE = "held.txt", "free.txt"  # neither exists: a harness wants others to be read first
HOLDER = "coord doctor"
GIT_SECONDS = 20


class Scratch:
    """``home``, ``repo`` and the environment of what is started here. Made and removed by ``scratch``."""

    def __init__(self, folder: str, places: Places) -> None:
        self.places = places
        self.home = os.path.join(folder, "home")
        self.repo = os.path.join(folder, "repo")
        self.temporary = os.path.join(folder, "tmp")
        for made in (self.home, self.repo, self.temporary):
            os.mkdir(made, 0o700)
        self.environ = {
            "PATH": places.search_path,
            "HOME": self.home,
            "USERPROFILE": self.home,
            "LANG": "C.UTF-8",
            "TMPDIR": self.temporary,
            "SHELL": "/bin/sh",
            "XDG_STATE_HOME": os.path.join(self.home, "state"),
            "XDG_CONFIG_HOME": os.path.dirname(
                places.config
            ),  # the user's settings count, they are only read
        }
        path = os.path.join(locations.state_dir(self.environ), locations.DATABASE)
        self.db = Database(path, time.time, 5.0)

    def path(self, name: str) -> str:
        return os.path.join(self.repo, name)

    def prepare(self) -> None:
        """A repository, and in the store an agent of no process (all processes here are ours) that holds a file."""
        command = ["git", "init", "--quiet", self.repo]
        subprocess.run(command, check=True, capture_output=True, timeout=GIT_SECONDS, env=self.environ)
        with Transaction(self.db) as tx:
            who = runtimes.Registration(HOLDER)
            who.harness, who.cwd = HOLDER, self.repo
            holder = runtimes.register(tx, who)
            target = locate(self.path(HELD), "/")
            leases.claim(tx, holder, [of_target(target)], purpose="the live check")

    def seen(self, harness: str) -> tuple[bool, bool]:
        """Did any hook of this harness reach the store, and was a write refused there?"""
        with Transaction(self.db, readonly=True) as tx:
            fired = any(name == harness for name, _ in runtimes.last_heard(tx))
            return fired, audit.count(tx, "write_refused", 0) > 0


@contextlib.contextmanager
def scratch(places: Places) -> Iterator[Scratch]:
    """A prepared place, gone afterwards whatever happens."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix="coordhooks-doctor-"))
    try:
        made = Scratch(folder, places)
        made.prepare()
        try:
            yield made
        finally:
            made.db.close()
    finally:
        shutil.rmtree(
            folder, ignore_errors=True
        )  # what a straggler still writes there is not worth a failure
