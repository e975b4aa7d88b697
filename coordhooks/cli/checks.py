"""What the doctor looks at: each check is a function that yields findings."""

import os
import shutil
import sys
from collections.abc import Iterator

from coordhooks import __version__
from coordhooks.cli import show
from coordhooks.cli.session import Session
from coordhooks.failures import PROBLEMS
from coordhooks.fastjson import loads
from coordhooks.store import health, runtimes

LITTLE = 100 << 20  # bytes free, below which the disk counts as nearly full
NETWORK = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p", "afs", "ceph", "glusterfs")
OPEN_TO_OTHERS = 0o077


class Finding:
    """``ok`` is true, false (something to do), or ``None`` (only to know)."""

    __slots__ = ("check", "ok", "says")

    def __init__(self, check: str, says: str, ok: bool | None = None) -> None:
        self.check, self.says, self.ok = check, says, ok

    def public(self) -> dict[str, object]:
        return {"check": self.check, "ok": self.ok, "says": self.says}


def _program(session: Session) -> Iterator[Finding]:  # noqa: ARG001
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("program", f"coordhooks {__version__} on Python {version} ({sys.executable})", True)


def _state_folder(session: Session) -> Iterator[Finding]:
    folder = session.state_dir
    if not os.path.lexists(folder):
        yield Finding("state folder", f"{folder} is not there yet: no hook has run", None)
        return
    if not os.path.isdir(folder):
        yield Finding(
            "state folder", f"{folder} is no folder, so every write is refused: move it away", False
        )
        return
    found = os.stat(folder)
    mode, mine = found.st_mode & 0o777, os.name != "posix" or found.st_uid == os.getuid()
    sound = mine and not mode & OPEN_TO_OTHERS
    yield Finding(
        "state folder", f"{folder}, mode {mode:04o}, {'yours' if mine else f'of user {found.st_uid}'}", sound
    )
    kind = _file_system(folder)
    local = kind not in NETWORK
    yield Finding(
        "file system", kind + ("" if local else ": SQLite needs a local one; set XDG_STATE_HOME"), local
    )
    free = shutil.disk_usage(folder).free
    yield Finding("free space", f"{free >> 20} MB", free > LITTLE)


def _file_system(folder: str) -> str:
    """The type of the file system that holds a folder, where ``/proc/mounts`` tells it."""
    try:
        with open("/proc/mounts", encoding="utf-8", errors="surrogateescape") as file:
            mounts = [line.split() for line in file]
    except OSError:
        return "unknown"
    real = os.path.join(os.path.realpath(folder), "")
    above = [(m[1], m[2]) for m in mounts if real.startswith(os.path.join(m[1].replace("\\040", " "), ""))]
    return max(above, key=lambda mount: len(mount[0]), default=("", "unknown"))[1]


def _store(session: Session) -> Iterator[Finding]:
    path = session.db.path
    if os.path.lexists(path) and not os.path.isfile(path):
        yield Finding("store", f"{path} is no file, so every write is refused: move it away", False)
        return
    if not os.path.exists(path):
        yield Finding("store", f"{path} is not there yet: no hook has run", None)
        return
    damage = health.faults(path, session.db.timeout)
    if damage:
        yield Finding("store", f"{path} is damaged ({'; '.join(damage)}): run `coord doctor --fix`", False)
        return
    yield Finding("store", f"{path} is sound", True)
    with session.transaction(readonly=True):  # opens it as hooks do: owner, links, schema
        pass
    mode = health.journal_mode(path, session.db.timeout)
    yield Finding(
        "journal", f"{mode}{'' if mode == 'wal' else ': hooks will get in each other’s way'}", mode == "wal"
    )


def _ledger(session: Session) -> Iterator[Finding]:
    """Replays the whole log; what was torn or behind is in order after that."""
    from coordhooks.cli import tasks
    from coordhooks.ledger import Ledger

    folder = tasks.folder(session)
    if not os.path.isdir(folder):
        return
    with Ledger(folder) as ledger:
        was_right = ledger.verify()
        for notice in ledger.notices:
            yield Finding("task ledger", notice)
    yield Finding(
        "task ledger",
        f"{folder} is sound{'' if was_right else '; its cache was wrong and is made anew'}",
        True,
    )


def _settings(session: Session) -> Iterator[Finding]:
    from coordhooks import configuration

    if not os.path.exists(session.db.path) or health.faults(session.db.path, session.db.timeout):
        return
    with session.transaction() as tx:
        configuration.refresh(tx, dict(session.environ))
    yield Finding("settings", "your config.toml is in force, if there is one", True)


def _hooks(session: Session) -> Iterator[Finding]:
    from coordhooks.cli import hooks

    for ok, says in hooks.findings(session):
        yield Finding("hooks", says, ok)


def _last_seen(session: Session) -> Iterator[Finding]:
    """When a hook of each harness was last heard of; single events are not on record."""
    if not os.path.exists(session.db.path) or health.faults(session.db.path, session.db.timeout):
        return
    with session.transaction(readonly=True) as tx:
        for harness, at in runtimes.last_heard(tx):
            yield Finding("last hook", f"{harness or 'unknown harness'}: {show.span(tx.now - at)} ago")


def _failures(session: Session) -> Iterator[Finding]:
    path = os.path.join(session.state_dir, PROBLEMS)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        lines = []
    if lines:
        yield Finding("failures", f"{len(lines)} not told yet, the last one: {_reason(lines[-1])}", None)
    else:
        yield Finding("failures", "none that nobody was told of", True)


def _reason(line: str) -> str:
    """What a recorded failure says, without the rest of its record."""
    try:
        fact = loads(line)
    except ValueError:
        return line[:200]
    return str(fact.get("reason", "")) if isinstance(fact, dict) else line[:200]


CHECKS = (_program, _state_folder, _store, _ledger, _settings, _hooks, _last_seen, _failures)
