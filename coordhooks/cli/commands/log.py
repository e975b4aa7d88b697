"""The log of the task ledger: every event, past whatever is damaged."""

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing

import click

from coordhooks import quoting
from coordhooks.cli import show, tasks
from coordhooks.cli.options import MOMENT, as_json, here
from coordhooks.cli.session import Session, note
from coordhooks.errors import Invalid
from coordhooks.fastjson import dumps
from coordhooks.ledger import Damage, normalize_legacy_event_sequence, read_log, times
from coordhooks.ledger.events import decode
from coordhooks.ledger.log import NAME, Log
from coordhooks.ledger.vocabulary import Record

LATEST = 50  # events, where nobody says which
RECENT = 1000  # events among which one is looked for that came while the log was read
PAUSE = 0.5  # seconds between two looks
Wanted = Callable[[Record], bool]


@click.command()
@click.option("--follow", is_flag=True, help="Go on with new ones until Ctrl-C.")
@click.option("--repair", is_flag=True, help="Put the one known numbering of old logs right, and only that.")
@click.option("--task", "said", metavar="ID", default="", help="Only events of this task.")
@click.option("--since", type=MOMENT, help="Since 2h ago, or since a time such as 2026-01-31T12:00Z.")
@as_json
@here
def log(session: Session, follow: bool, repair: bool, said: str, since: float | None, as_json: bool) -> None:
    """Show the events of the task ledger, the newest last."""
    if repair:
        _repair(session)
        return

    def wanted(event: Record) -> bool:
        is_task = not said or str(event["task_id"]).startswith(said)
        return is_task and (since is None or times.moment(event["at"]).timestamp() >= since)

    end = _size(session) if follow else 0
    events: Iterable[Record] = filter(wanted, _readable(session))
    if not said and since is None:
        events = deque(events, LATEST)
    if as_json and not follow:
        show.as_json(list(events))
        return
    shown: deque[str] = deque(maxlen=RECENT)
    _print(events, as_json, shown)
    while follow:
        time.sleep(PAUSE)
        fresh, end = _appended(session, end)
        _print((event for event in fresh if wanted(event) and event["id"] not in shown), as_json, shown)


def _repair(session: Session) -> None:
    tasks.refuse_agents(session, "repair the log")
    is_repaired = normalize_legacy_event_sequence(tasks.folder(session))
    show.say(
        "the log was repaired; the original lies next to it" if is_repaired else "there is nothing to repair"
    )


def _readable(session: Session) -> Iterator[Record]:
    """The events, and a word on stderr for each stretch that is none."""
    for found in read_log(tasks.folder(session)):
        if isinstance(found, Damage):
            note(
                f"line {found.line} of {found.file} is damaged ({found.reason}):"
                f" {found.length} bytes are passed over"
            )
        else:
            yield found


def _print(events: Iterable[Record], as_json: bool, shown: "deque[str]") -> None:
    for event in events:
        show.write((dumps(event) if as_json else quoting.clean(_line(event))) + "\n")
        shown.append(event["id"])


def _line(event: Record) -> str:
    moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(times.moment(event["at"]).timestamp()))
    number = (event["task_id"] or "-")[: tasks.SHORT_ID]
    return f"{event['seq']}  {moment}  {number}  {event['type']}  {dumps(event['payload'])}"


def _size(session: Session) -> int:
    folder = tasks.folder(session)
    if not os.path.exists(os.path.join(folder, NAME)):
        return 0
    with closing(Log(folder, writable=False)) as opened:
        return opened.size()


def _appended(session: Session, start: int) -> tuple[list[Record], int]:
    """The whole lines behind byte ``start``, and where they end."""
    events: list[Record] = []
    if _size(session) <= start:
        return events, start
    with closing(Log(tasks.folder(session), writable=False)) as opened:
        for offset, line in opened.lines(start, opened.size()):
            if not line.endswith(b"\n"):  # in the making
                break
            start = offset + len(line)
            try:
                events.append(decode(line))
            except Invalid as error:
                note(f"a damaged line was appended to the log ({error})")
    return events, start
