"""The store: is the file sound, can it be opened as hooks do, and do they keep out of each other's way in it?"""

import os
import shlex
import time
from collections.abc import Iterator

from coordhooks.cli.checks.finding import Finding, fault, good, note
from coordhooks.cli.checks.state import ELSEWHERE, aside
from coordhooks.cli.session import Refused, Session
from coordhooks.errors import StoreUnavailable
from coordhooks.store import health
from coordhooks.store.engine import Error

CHECK = "store"
MODE = 0o600
FIX = "`coord doctor --fix` sets it aside (it is never deleted) and makes a new one"

UPGRADE = "if a newer coordhooks made it, run `./install.sh` of that one; else try again"


def readable(session: Session) -> bool:
    """Is there a store that can be asked? A link is none: it would lead a repair to somebody else's file."""
    path = session.db.path
    try:
        if os.path.islink(path) or not os.path.isfile(path) or health.faults(path, session.db.timeout):
            return False
        _open(session)
    except (StoreUnavailable, Error):  # the check of the store says why
        return False
    return True


def check(session: Session) -> Iterator[Finding]:
    path = session.db.path
    if not os.path.lexists(path):
        yield note(CHECK, "it is not there yet: no hook has run", file=path)
    elif os.path.islink(path) or not os.path.isfile(path):
        says = f"it is {'a link' if os.path.islink(path) else 'no file'}, so every write is refused"
        yield fault(CHECK, says, file=path, remedy=f"move it away: `{aside(path)}`")
    elif (mode := _mode(path)) & MODE != MODE:
        says = f"you may not read and write it (mode {mode:04o}), so every write is refused"
        yield fault(
            CHECK, says, file=path, remedy=f"`coord doctor --fix`, or `chmod 600 {shlex.quote(path)}`"
        )
    elif damage := health.faults(path, session.db.timeout):
        says = f"it is damaged ({'; '.join(damage)}), so every write is refused"
        yield fault(CHECK, says, file=path, remedy=FIX)
    else:
        yield from _use(session)


def _mode(path: str) -> int:
    """Its permissions; where there are none, all."""
    return os.stat(path).st_mode & 0o777 if os.name == "posix" else 0o777


def _use(session: Session) -> Iterator[Finding]:
    try:
        _open(session)
    except StoreUnavailable as error:
        yield fault(CHECK, f"{error}, so every write is refused", file=session.db.path, remedy=UPGRADE)
        return
    yield good(CHECK, "sound", file=session.db.path)
    mode = health.journal_mode(session.db.path, session.db.timeout)
    if mode == "wal":
        yield good("journal", "wal: readers and writers don't wait for each other")
    else:
        says = f"{mode}, not wal: hooks get in each other's way"
        yield fault("journal", says, file=session.db.path, remedy=ELSEWHERE)


def _open(session: Session) -> None:
    """As hooks do, which looks at owner, links and schema."""
    with session.transaction(readonly=True):
        pass


def repair(session: Session) -> Iterator[Finding]:
    """Set the store aside if it is damaged, and only then."""
    path = session.db.path
    if os.path.islink(path) or not os.path.isfile(path):
        return
    if _mode(path) & MODE != MODE and os.stat(path).st_uid == os.getuid():
        os.chmod(path, MODE)
        yield good("repair", "you may read and write the store again: mode 0600", file=path)
    try:
        damage = health.faults(path, session.db.timeout)
    except Error as error:
        raise Refused(f"{path} can't be read now ({error}), so it was left alone: try again") from error
    if damage:
        session.db.close()
        folder = health.set_aside(path, time.strftime("%Y%m%dT%H%M%S"))
        with session.transaction(durable=True) as tx:
            tx.audit("store_set_aside", None, folder=folder, faults=damage)
        says = (
            "the damaged store is kept in this folder; the new one knows nothing of the leases, unread messages and agents"
            " in it: running agents are registered again by their next call"
        )
        yield note("repair", says, file=folder)
