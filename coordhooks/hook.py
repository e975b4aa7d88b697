"""The line that every hook call goes along, and the one error boundary around it.

    stdin bytes -> parse + validate -> Event -> decide -> Decision -> stdout bytes

The outcome of a failure is in one place, ``failed``: at a file tool's PreToolUse what could not be told is
refused with a reason, everything else is let through, and both are recorded. Nothing ends in a traceback, a
bare exit 1, a hang, or text on stdout that is not exactly one JSON document.
"""

import os
import sys
import time

from coordhooks import locations, stdin
from coordhooks.errors import BadPayload, CoordError
from coordhooks.model import FILE, Decision, Event, Identity
from coordhooks.process import Here, identity
from coordhooks.store.db import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

DEADLINE = 5.0  # seconds for the whole hook; the harness's own limit is 10
STORE_TIMEOUT = 3.0  # seconds to wait for another process's transaction
DATABASE = "coord.sqlite3"


class OutOfTime(CoordError):
    """The hook took longer than it may, or was told to end."""


class Entry:
    """What the hook entry in the harness's configuration says: which harness, event and class of tools."""

    __slots__ = ("event", "harness", "tool_class")

    def __init__(self, arguments: list[str]) -> None:
        said = dict(zip(arguments[::2], arguments[1::2], strict=False))
        self.harness = said.get("--harness", "claude-code")
        self.event = said.get("--event", "")
        self.tool_class = said.get("--class", "")

    @property
    def closed(self) -> bool:
        """Is a call that could not be judged refused?"""
        return self.event == "PreToolUse" and self.tool_class == FILE


class Surroundings:
    """Time, environment, process and store of one hook call: read once here and handed down."""

    __slots__ = ("adapter", "db", "environ", "here", "process", "state_dir")

    def __init__(self, adapter: "ModuleType", state_dir: str) -> None:
        self.adapter = adapter
        self.environ = os.environ
        self.state_dir = state_dir
        self.db = Database(os.path.join(state_dir, DATABASE), time.time, STORE_TIMEOUT)
        self.here: Here = self.db.here
        pid = adapter.process_id(os.environ)
        self.process = Identity(host=self.here.host) if pid is None else identity(pid, self.here)


def main() -> None:
    """Answer one hook call and leave at once, without the interpreter's shutdown."""
    entry = Entry(sys.argv[1:])
    adapter = _adapter(entry.harness)
    around: Surroundings | None = None
    try:
        _set_deadline()
        payload = stdin.read_document(0, deadline=time.monotonic() + DEADLINE)
        around = Surroundings(adapter, locations.state_dir(os.environ))
        decision = decide(entry, payload, around)
    except BaseException as error:  # noqa: BLE001 - this is the boundary
        from coordhooks.failures import failed

        decision = failed(entry, error)
    _leave(entry, adapter, around, decision)


def decide(entry: Entry, payload: object, around: Surroundings) -> Decision:
    """From a parsed payload to a decision, by the handler of the event's kind, loaded only now."""
    event = _event(entry, payload, around)
    if not event.kind:
        return Decision()
    handler = __import__(f"coordhooks.handlers.{event.kind}", fromlist=["handle"])
    decision: Decision = handler.handle(event, around)
    return decision


def _event(entry: Entry, payload: object, around: Surroundings) -> Event:
    """Validate, then read. Where only the schema fails but the fields that matter can be read, go on."""
    if not isinstance(payload, dict):
        raise BadPayload("the payload is not a JSON object")
    name = entry.event or payload.get("hook_event_name")
    if not isinstance(name, str):
        raise BadPayload("the payload names no event")
    event: Event = around.adapter.event(payload, name, entry.tool_class, around.environ)
    problem = _schema_problem(entry.harness, name, payload)
    if problem:
        from coordhooks.failures import record

        record(around.state_dir, entry, f"schema drift: {problem}", event.session_id)
    return event


def _schema_problem(harness: str, name: str, payload: dict[str, object]) -> str:
    from coordhooks.validators.errors import ValidationError

    try:
        validator = __import__(f"coordhooks.validators.{_module(harness, name)}", fromlist=["validate"])
    except ImportError:  # an event of a newer release
        return ""
    try:
        validator.validate(payload)
    except ValidationError:
        from coordhooks.validators.explain import explain

        return explain(f"{harness.replace('-', '_')}/input/{name}", payload)
    return ""


def _module(harness: str, name: str) -> str:
    """``PreToolUse`` of ``claude-code`` is validated by ``claude_code_pre_tool_use``."""
    snake = "".join("_" + char.lower() if char.isupper() else char for char in name)
    return harness.replace("-", "_") + snake


def _adapter(harness: str) -> "ModuleType":
    return __import__(f"coordhooks.harness.{harness.replace('-', '_')}", fromlist=["event"])


def _leave(entry: Entry, adapter: "ModuleType", around: Surroundings | None, decision: Decision) -> None:
    """Write the reply out whole; only then what it showed counts as shown. Then end."""
    name = entry.event
    try:
        text = adapter.reply(decision, name)
        if text:
            _write(1, text.encode("utf-8") + b"\n")
        if decision.shown and around is not None:
            from coordhooks.handlers.inbox import mark_shown

            mark_shown(around, decision)
    except BaseException as error:  # noqa: BLE001 - the reply is out, or can't be: nothing is left but to record
        from coordhooks.failures import failed

        failed(entry, error)
    os._exit(0)


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


def _set_deadline() -> None:
    try:
        import _signal as signal
    except ImportError:
        import signal
    signal.signal(signal.SIGTERM, _stop)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _stop)
        signal.setitimer(signal.ITIMER_REAL, DEADLINE)


def _stop(number: int, _frame: object) -> None:
    raise OutOfTime("the check took too long" if number == 14 else "the check was told to end")
