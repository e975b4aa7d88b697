"""A session begins, resumes, forks, is cleared or was compacted.

A fork and an unknown source are like a startup: nothing is carried over by guess, only by the conversation's
own id. Two processes on one id each keep their own runtime.
"""

import os

from coordhooks import locations
from coordhooks.handlers import inbox, notices, orphans, texts
from coordhooks.handlers.attendance import company, enroll, find
from coordhooks.model import Decision, Event
from coordhooks.paths import status
from coordhooks.store import leases, messages, retention, runtimes, writes
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings

LIMIT = 400  # characters, messages not counted
MAX_NAMED = 3
PHANTOM_WINDOW = 10.0  # seconds


def handle(event: Event, around: "Surroundings") -> Decision:
    source = str(event.facts.get("source") or "startup")
    decision = Decision()
    with Transaction(around.db, durable=True) as tx:
        bad_settings = _refresh_settings(tx, around)
        retention.prune(tx)
        if _is_phantom(tx, event, around, source):
            return decision
        me = _register(tx, event, around, source)
        _greet(tx, me, source, decision)
        notices.show(tx, me, around, decision)
        decision.notice = " ".join(filter(None, (decision.notice, bad_settings)))
        inbox.show(tx, me, decision)
        if messages.counts(tx, me["runtime_id"])["delivered"]:
            inbox.add(decision, inbox.recall(tx, me))
    retention.sweep(around.db.path)
    _export(event, me["runtime_id"], around.environ)
    orphans.settle(around)
    if source == "resume":
        inbox.add(decision, orphans.resume(around, me))
    return decision


def _refresh_settings(tx: Transaction, around: "Surroundings") -> str:
    """Compile the user's settings; a file that can't be used leaves the old ones, and its person is told."""
    from coordhooks import configuration

    try:
        configuration.refresh(tx, around.environ)
    except configuration.BadConfiguration as error:
        return f"coordhooks goes on with the former settings: {error}"
    return ""


def _register(tx: Transaction, event: Event, around: "Surroundings", source: str) -> Row:
    """The runtime of this session in this process; the process's former conversation is retired."""
    me = find(tx, event, around)
    if me is None:
        me = enroll(tx, event, around)
    runtimes.stay(tx, me)
    for old in runtimes.of_process(tx, around.process):
        if old["agent_id"] or old["runtime_id"] == me["runtime_id"]:
            continue
        if source == "clear":
            runtimes.retire(tx, old, me["runtime_id"], "clear")
        else:
            runtimes.end(tx, old["runtime_id"], "replaced")
    runtimes.beat(tx, me)
    fresh = runtimes.get(tx, me["runtime_id"])
    return me if fresh is None else fresh


def _is_phantom(tx: Transaction, event: Event, around: "Surroundings", source: str) -> bool:
    """One resume may fire a second start under an id that nobody will ever use (no transcript behind it)."""
    if source != "startup" or not event.transcript or status(event.transcript) is not None:
        return False
    return any(
        old["conversation_id"] != event.session_id
        and not old["agent_id"]
        and old["leaving_at"] is None
        and 0 <= tx.now - old["registered_at"] < PHANTOM_WINDOW
        for old in runtimes.of_process(tx, around.process)
    )


def _greet(tx: Transaction, me: Row, source: str, decision: Decision) -> None:
    """Who else is here and what they hold; after a compaction also what the model itself holds.

    As many names as fit, so that what to do about it is never cut off.
    """
    others = company(tx, me)
    text = ""
    for count in range(MAX_NAMED, -1, -1):
        text = " ".join(filter(None, _greeting(tx, me, source, others, count)))
        if len(text) <= LIMIT:
            break
    inbox.add(decision, text)


def _greeting(tx: Transaction, me: Row, source: str, others: list[Row], count: int) -> list[str]:
    """The sentences, with about ``count`` names in each list."""
    sentences = [_others(tx, others, count)]
    if source in ("resume", "fork"):
        sentences.append(_changed(tx, me, max(count, 1)))
    if source == "compact":
        sentences.append(_own(tx, me, count + 2))
    if others:
        sentences.append(
            "Writes to files they hold are refused; `coord status` shows all, `coord send NAME TEXT` talks."
        )
    return sentences


def _others(tx: Transaction, others: list[Row], count: int) -> str:
    if not others:
        return ""
    if not count:
        return f"Other agents work in this repository: {len(others)}."
    named = [_one(tx, row) for row in others[:count]]
    more = f" and {len(others) - count} more" if len(others) > count else ""
    return f"Other agents work in this repository: {'; '.join(named)}{more}."


def _changed(tx: Transaction, me: Row, count: int) -> str:
    """Which files of a resumed conversation others have changed since it last wrote them."""
    rows = writes.changed_since(tx, me["conversation_id"])
    if not rows:
        return ""
    named = [f"{_short(row)} (by {inbox.name_of(tx, row['runtime_id'])})" for row in rows[:count]]
    more = f" and {len(rows) - count} more" if len(rows) > count else ""
    return f"Changed by others since you wrote them, re-read before you edit: {', '.join(named)}{more}."


def _own(tx: Transaction, me: Row, count: int) -> str:
    own = [_short(row) for row in leases.of_runtime(tx, me["runtime_id"])]
    return f"You hold: {', '.join(own[:count])}{' …' if len(own) > count else ''}." if own else ""


def _one(tx: Transaction, row: Row) -> str:
    held = [_short(lease) for lease in leases.of_runtime(tx, row["runtime_id"])]
    text = inbox.name_of(tx, row["runtime_id"])
    return f"{text} (holds {', '.join(held[:2])}{' …' if len(held) > 2 else ''})" if held else text


def _short(row: Row) -> str:
    shown = leases.shown(row)
    return texts.named(shown.removeprefix(row["tree"] + "/") if row["tree"] else shown, 60)


def _path_of_coord(environ: "os._Environ[str] | dict[str, str]") -> str:
    """A line that lets the shell find ``coord``: install.sh may have made its folder since the last login."""
    folder = os.path.join(locations.home(environ), ".local", "bin")
    if folder in environ.get("PATH", "").split(os.pathsep) or not os.path.exists(
        os.path.join(folder, "coord")
    ):
        return ""
    return f'export PATH="$PATH":{texts.shell_word(folder)}\n'


def _export(event: Event, runtime_id: str, environ: "os._Environ[str] | dict[str, str]") -> None:
    """Let later shell calls of this session know their runtime, where the harness offers a file for that."""
    if not event.env_file:
        return
    try:
        with open(event.env_file, "a", encoding="utf-8") as file:
            file.write(f"export COORD_RUNTIME={runtime_id}\n{_path_of_coord(environ)}")
    except OSError:  # `coord` finds its runtime by the process tree as well
        return
