"""What must not stay unseen: failures of ours that were let through or refused, and a veto that is off."""

import os

from coordhooks import locations
from coordhooks.failures import PROBLEMS
from coordhooks.fastjson import loads
from coordhooks.handlers import texts
from coordhooks.model import Decision
from coordhooks.store import settings
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings


def show(tx: Transaction, me: Row, around: "Surroundings", decision: Decision) -> None:
    """Add a notice for the person: problems since the last one, and whether the veto is off here."""
    lines = []
    problems = drain(tx, around.state_dir)
    if problems:
        lines.append(
            f"coordhooks could not tell {len(problems)} time{'s' if len(problems) > 1 else ''} whether a call "
            f"was safe (last: {problems[-1]}). Run `coord doctor`."
        )
    off = off_notice(tx, me["project"], around)
    if off:
        lines.append(off)
    decision.notice = " ".join(lines)


def off_notice(tx: Transaction, project: str, around: "Surroundings") -> str:
    if around.environ.get("COORD_OFF") == "1":
        return "coordhooks is OFF for this session (COORD_OFF=1): conflicting writes are not refused."
    until = settings.off_until(tx, project)
    if until is None:
        return ""
    when = "`coord on`" if until == float("inf") else texts.clock(until)
    return f"coordhooks is OFF in this project until {when}: conflicting writes are not refused."


def drain(tx: Transaction, state_dir: str) -> list[str]:
    """Move the recorded problems into the audit; returns their reasons. Of two callers one gets them."""
    path = os.path.join(state_dir, PROBLEMS)
    taken = f"{path}.{os.getpid()}"
    try:
        os.rename(path, taken)
    except OSError:
        return []
    try:
        lines = locations.contents(taken).split(b"\n")
    except OSError:  # no file of ours
        return []
    reasons = []
    for line in lines:
        fact = _fact(line)
        if fact:
            tx.audit("could_not_tell", None, failure=fact)
            reasons.append(str(fact.get("reason", "")))
    os.unlink(taken)
    return reasons


def _fact(line: bytes) -> dict[str, object]:
    try:
        fact = loads(line.decode("utf-8"))
    except ValueError:
        return {}
    return fact if isinstance(fact, dict) else {}
