"""Shared by the tests of the store: a clock to turn by hand, counts, children to start and to kill."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from coordhooks.errors import ClaimRefused
from coordhooks.model import Identity
from coordhooks.process import Here, identity
from coordhooks.store import calls, leases, turns
from coordhooks.store.coordstore import CoordStore
from coordhooks.store.overlap import Want, of_target

CHECKOUT = Path(__file__).parents[2]
ROOT = os.name == "posix" and os.getuid() == 0
NOBODY = 65534
START = 1_800_000_000.0
DAY, YEAR = 86400.0, 365 * 86400.0

needs_root = pytest.mark.skipif(not ROOT, reason="needs root")


class Clock:
    """Epoch seconds that pass only when a test says so."""

    def __init__(self, now: float = START) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


def mode(path: str | Path) -> int:
    return os.stat(path).st_mode & 0o777


def events(store: CoordStore, name: str = "") -> list[dict]:
    """The audit events of one name, or all."""
    return [event for event in store.audit_events() if name in ("", event["event"])]


def held(store: CoordStore) -> dict[str, str]:
    """Who holds what, by path."""
    return {lease["path"]: lease["runtime_id"] for lease in store.active_leases()}


def bodies(store: CoordStore, runtime_id: str, **options: object) -> list[str]:
    return [delivery["body"] for delivery in store.inbox(runtime_id, **options)]


# -- processes --------------------------------------------------------------------------------------------


def child(script: str, *args: str, **options: object) -> subprocess.Popen[str]:
    """A Python child that runs ``script`` with pipes for its input and output."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, args)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=CHECKOUT, **options,
    )  # fmt: skip


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def as_nobody(script: str, *args: str) -> subprocess.CompletedProcess[str]:
    """Run ``script`` as a user without rights, with the modules it needs already imported as ourselves."""
    prelude = (
        "import os, sys, unicodedata, pwd, hashlib, hmac\n"
        "from coordhooks.store.coordstore import CoordStore\n"
        "from coordhooks.errors import *\nfrom coordhooks import locations, paths, process\n"
        f"if os.getuid() == 0: os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})\n"
    )
    return subprocess.run(
        [sys.executable, "-c", prelude + script, *map(str, args)],
        capture_output=True, text=True, cwd=CHECKOUT, timeout=60, check=False,
    )  # fmt: skip


def give_away(path: Path) -> None:
    """Let the user without rights own a file or folder, and reach it."""
    if not ROOT:
        return
    os.chown(path, NOBODY, NOBODY)
    for folder in path.parents:
        if folder.stat().st_mode & 0o001 == 0 and folder.stat().st_uid == os.getuid():
            folder.chmod(folder.stat().st_mode | 0o011)


class Sleeper:
    """A real process that does nothing, and its identity."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(["sleep", "600"])
        self.identity = identity(self.process.pid, Here())

    def kill(self) -> None:
        """Kill and reap it: the process is gone."""
        self.process.kill()
        self.process.wait()

    def kill_only(self) -> None:
        """Kill it without reaping: it stays behind as a zombie."""
        self.process.kill()
        os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)


# -- what hooks do, with the store's own methods ----------------------------------------------------------


def file_want(path: Path) -> Want:
    from coordhooks.paths import locate

    return of_target(locate(str(path), ""))


def take(
    store: CoordStore,
    who: str,
    path: Path,
    *,
    kind: str = leases.AUTOMATIC,
    call: str = "c1",
    ttl: float = 900.0,
) -> list[str]:
    """Claim one file as the hook before a tool call does: what a refusal found out is kept."""
    with store.transaction() as tx:
        try:
            return leases.claim(tx, who, [file_want(path)], kind=kind, call_id=call, ttl=ttl)
        except ClaimRefused as error:
            refused = error
    raise refused


def in_transaction(store: CoordStore, work: Callable[..., object], *args: object) -> object:
    with store.transaction() as tx:
        return work(tx, *args)


def open_turn(store: CoordStore, who: str) -> None:
    in_transaction(store, turns.begin, who, "turn-1", "a task")


def open_call(store: CoordStore, who: str, call: str = "c1") -> None:
    in_transaction(store, calls.open_, who, call, "Write")


def close_call(store: CoordStore, who: str, call: str = "c1") -> None:
    in_transaction(store, calls.close, who, call)


def set_column(store: CoordStore, who: str, **columns: object) -> None:
    """Set what only hooks know of a runtime, such as its transcript."""
    names = ", ".join(f"{name} = ?" for name in columns)
    with store.transaction() as tx:
        tx.run(f"UPDATE runtimes SET {names} WHERE runtime_id = ?", *columns.values(), who)


def elsewhere(who: Identity, **changes: object) -> Identity:
    """The same process, as seen from a place that differs in some fields."""
    fields = {name: getattr(who, name) for name in ("pid", "start", "boot", "pid_ns", "host")}
    return Identity(**{**fields, **changes})
