"""The line that every hook call goes along, and the one error boundary around it.

    stdin bytes -> parse + validate -> Event -> decide -> Decision -> stdout bytes

The outcome of a failure is in one place, ``failed``: at a file tool's PreToolUse what could not be told is
refused with a reason, everything else is let through, and both are recorded. Nothing ends in a traceback, a
bare exit 1, a hang, or text on stdout that is not exactly one JSON document.
"""

import os
import sys
import time
from _thread import RLock, start_new_thread

from coordhooks import locations, stdin
from coordhooks.errors import BadPayload, CoordError
from coordhooks.fastjson import dumps
from coordhooks.model import FILE, Decision, Event, Identity
from coordhooks.process import Here, identity
from coordhooks.store.db import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

DEADLINE = 5.0  # seconds for the whole hook; the harness's own limit is 10
GRACE = 0.5  # seconds after which a hook that does not even notice its deadline is answered for
STORE_TIMEOUT = 3.0  # seconds to wait for another process's transaction
MAX_RELEASE = 60

# What no other file of ours can say, because it may be the one that is missing.
INCOMPLETE = (
    "coordhooks is not whole, so NOTHING guards writes now."
    " Run install.sh again to repair it, or install.sh --uninstall to remove the hooks."
)
UNTOLD = (
    "Not written: coordhooks could not check who holds this file. Run `coord doctor --fix`, then try again."
)


_answering = RLock()  # whoever has it answers, and nobody else


class OutOfTime(CoordError):
    """The hook took longer than it may, or was told to end."""


class Entry:
    """What the hook entry in the harness's configuration says: which harness, event and class of tools."""

    __slots__ = ("event", "harness", "release", "tool_class")

    def __init__(self, arguments: list[str]) -> None:
        said = dict(zip(arguments[::2], arguments[1::2], strict=False))
        self.harness = said.get("--harness", "claude-code")
        self.event = said.get("--event", "")
        self.tool_class = said.get("--class", "")
        self.release = ""  # the harness's version, where it tells it

    @property
    def closed(self) -> bool:
        """Is a call that could not be judged refused?"""
        return self.event == "PreToolUse" and self.tool_class == FILE

    def streak(self, state_dir: str) -> str:
        """The file whose size counts the payloads in a row that could not be read, under this release."""
        release = "".join(char for char in self.release if char.isalnum() or char in "-_.")[:MAX_RELEASE]
        return os.path.join(state_dir, f"unreadable-{self.harness}-{release}")


class Surroundings:
    """Time, environment, process and store of one hook call: read once here and handed down."""

    __slots__ = ("adapter", "db", "environ", "here", "process", "state_dir")

    def __init__(self, adapter: "ModuleType", state_dir: str) -> None:
        self.adapter = adapter
        self.environ = os.environ
        self.state_dir = state_dir
        self.db = Database(os.path.join(state_dir, locations.DATABASE), time.time, STORE_TIMEOUT)
        self.here: Here = self.db.here
        pid = adapter.process_id(os.environ)
        self.process = Identity(host=self.here.host) if pid is None else identity(pid, self.here)


def main() -> None:
    """Answer one hook call and leave at once, without the interpreter's shutdown."""
    entry = Entry(sys.argv[1:])
    adapter: ModuleType | None = None
    around: Surroundings | None = None
    try:
        _set_deadline(entry)
        adapter = _adapter(entry.harness)
        entry.release = os.environ.get(getattr(adapter, "VERSION_VARIABLE", ""), "")
        payload = stdin.read_document(0, deadline=time.monotonic() + DEADLINE)
        around = Surroundings(adapter, locations.state_dir(os.environ))
        decision = decide(entry, payload, around)
        if entry.closed:
            _end_streak(entry.streak(around.state_dir))
    except BaseException as error:  # noqa: BLE001 - this is the boundary
        decision = _could_not_tell(entry, error)
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


def _could_not_tell(entry: Entry, error: BaseException) -> Decision:
    """The outcome of a failure, from which on nothing breaks in."""
    _answering.acquire()
    _set_signals_aside()
    return _outcome(entry, error)


def _outcome(entry: Entry, error: BaseException) -> Decision:
    """There is one even if the file that knows it is gone, or has a bug itself."""
    decision = Decision(deny=UNTOLD) if entry.closed else Decision()
    try:
        from coordhooks.failures import failed

        decision = failed(entry, error)
    except BaseException as another:  # noqa: BLE001 - nothing is left but the rule
        error = another
    return Decision(notice=INCOMPLETE) if _file_missing(error) else decision


def _file_missing(error: BaseException) -> bool:
    """Is a file of ours gone? Then nothing is wrong with the call, and nobody may be locked out."""
    if not isinstance(error, ImportError) or not str(error.name).startswith("coordhooks"):
        return False
    return isinstance(error, ModuleNotFoundError) or hasattr(sys.modules.get(str(error.name)), "__path__")


def _end_streak(path: str) -> None:
    """A payload could be read; mostly that changes nothing."""
    try:
        os.unlink(path)
    except OSError:  # there was none
        return


def _leave(
    entry: Entry, adapter: "ModuleType | None", around: Surroundings | None, decision: Decision
) -> None:
    """Write the reply out whole; only then what it showed counts as shown. Then end.

    A refusal that can't be told on stdout is still one: exit 2, with the reason on stderr.
    """
    _answering.acquire()
    told, refusal = False, ""
    try:
        refusal = decision.deny
        text = _bare(decision) if adapter is None else adapter.reply(decision, entry.event)
        if text:
            _write(1, text.encode("utf-8") + b"\n")
        told = adapter is not None
        if decision.shown and around is not None:
            from coordhooks.handlers.inbox import mark_shown

            mark_shown(around, decision)
    except BaseException as error:  # noqa: BLE001 - the reply is out, or can't be: nothing is left but to record
        refusal = refusal or _could_not_tell(entry, error).deny
    if refusal and not told:
        sys.stderr.write(refusal.encode("ascii", "replace").decode() + "\n")
        sys.stderr.flush()
        os._exit(2)
    os._exit(0)


def _bare(decision: Decision) -> str:
    """The reply where even the harness's own form is missing: a notice looks alike everywhere."""
    return dumps({"systemMessage": decision.notice}) if decision.notice else ""


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


def _set_deadline(entry: Entry) -> None:
    try:
        import _signal as signal
    except ImportError:
        import signal
    signal.signal(signal.SIGTERM, _stop)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _stop)
        signal.setitimer(signal.ITIMER_REAL, DEADLINE)
    try:
        start_new_thread(_answer_late, (entry, signal))
    except RuntimeError:  # no thread is to be had: the harness's own limit remains
        return


def _answer_late(entry: Entry, signal: "ModuleType") -> None:
    """Beside the call: SQLite may wait in C for longer than any deadline, and then no signal's handler runs.

    It does so for 10 s while another process is stopped as it makes the memory that they share.
    """
    if hasattr(signal, "pthread_sigmask"):  # they are for the call itself, to wake it up
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGALRM))
    time.sleep(DEADLINE + GRACE)
    if _answering.acquire(False):
        try:
            _leave(
                entry, _adapter(entry.harness), None, _outcome(entry, OutOfTime("the store does not answer"))
            )
        finally:
            os._exit(2 if entry.closed else 0)


def _set_signals_aside() -> None:
    """From here on the hook only ends: nothing may break into that."""
    import signal

    for name in ("SIGTERM", "SIGALRM"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)


def _stop(number: int, _frame: object) -> None:
    raise OutOfTime("the check took too long" if number == 14 else "the check was told to end")
