"""*Could not tell*: the third outcome, never folded into the others. Loaded only when something failed.

| what failed, at PreToolUse | file tools | shell and the rest |
| payload, store, time, a bug of ours | refused, with a bounded reason that echoes no payload | let through |
| files of ours are missing | let through, with a warning | let through, with a warning |

The user's ``on_error = "allow"``, or ``COORD_OFF=1``, turns a refusal round. So does a release of the harness whose
payloads can't be read any more: after three in a row they are let through, loudly, or a fleet would stand still
overnight. Every failure is one line in ``problems.jsonl`` in the state folder, shown at the next session start or
prompt and by ``coord status``.
"""

import os
import sys
import time

from coordhooks import locations, quoting
from coordhooks.errors import BadPath, BadPayload, CoordError
from coordhooks.fastjson import dumps
from coordhooks.model import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Entry

PROBLEMS = "problems.jsonl"
LITTLE = 1 << 16  # bytes free, below which a disk is full
MAX_PROBLEMS = 1 << 19  # bytes; beyond it a problem goes to stderr only
MAX_REASON = 300
MAX_SESSION = 80
APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
MAX_STREAK = 3  # payloads in a row that can't be read and are refused
GREETING = ("SessionStart", "UserPromptSubmit")  # where a person is told at once that the store can't be used
UNREADABLE = (BadPayload, BadPath)


def failed(entry: "Entry", error: BaseException) -> Decision:
    """What a hook answers when it could not tell; says it on stderr and records it."""
    state_dir = locations.state_dir(os.environ)
    reason = why(error)
    try:
        sys.stderr.write(
            f"coordhooks: {entry.event or 'hook'}: {reason}\n".encode("ascii", "replace").decode()
        )
        sys.stderr.flush()
    except (OSError, ValueError):  # nobody reads it; the record below remains
        pass
    record(state_dir, entry, reason)
    if entry.closed and os.environ.get("COORD_OFF") != "1" and not _allowed_on_error():
        return _refused(entry, state_dir, error, reason)
    if entry.event in GREETING and not isinstance(error, UNREADABLE):
        return Decision(notice=f"coordhooks can't do its work now: {reason}. {_remedy(state_dir)}.")
    return Decision()


def _refused(entry: "Entry", state_dir: str, error: BaseException, reason: str) -> Decision:
    """A refusal, unless this release of the harness has sent nothing but unreadable payloads lately."""
    if isinstance(error, BadPayload) and _lengthen(entry.streak(state_dir)) > MAX_STREAK:
        return Decision(
            notice=f"coordhooks can't read what this release of the harness sends ({reason}), so it lets writes "
            "through UNCHECKED. Upgrade coordhooks, or run `coord doctor`."
        )
    return Decision(deny=_refusal(error, reason, state_dir))


def _lengthen(path: str) -> int:
    """Count one more payload in a row that could not be read; 0 if it can't be counted."""
    try:
        return _append(path, b".", MAX_PROBLEMS)
    except OSError:
        return 0


def _append(path: str, data: bytes, limit: int) -> int:
    """Append to a private file of ours below ``limit`` bytes; returns its size. Raises ``OSError``.

    A link, a pipe (which would block) or a file or folder of another user in its place is left alone.
    """
    if os.name == "posix" and os.stat(os.path.dirname(path)).st_uid != os.getuid():
        raise PermissionError(f"{path} is in another user's folder")
    fd = os.open(path, APPEND, 0o600)
    try:
        found = os.fstat(fd)
        if found.st_mode & 0o170000 != 0o100000 or (os.name == "posix" and found.st_uid != os.getuid()):
            raise PermissionError(f"{path} is not ours")
        if os.name == "posix" and found.st_mode & 0o777 != 0o600:  # a umask may have taken our own bits away
            os.fchmod(fd, 0o600)
        if found.st_size < limit:
            os.write(fd, data)
        return os.fstat(fd).st_size
    finally:
        os.close(fd)


def why(error: BaseException) -> str:
    """The reason in a few words. Only our own errors' texts are shown: others might echo a payload."""
    if isinstance(error, CoordError):
        text = str(error)
    elif isinstance(error, ModuleNotFoundError):
        text = f"{error.name} is missing"
    else:
        where = _origin(error)
        text = f"a bug in coordhooks ({type(error).__name__}{where})"
    return _told(text)


def _told(reason: str) -> str:
    """On one line, with nothing that a terminal or a model would obey: a path or a name may stand in it."""
    return quoting.line(reason, MAX_REASON).replace("<", "‹").replace(">", "›")


def _origin(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return (
        ""
        if trace is None
        else f" at {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
    )


def _refusal(error: BaseException, reason: str, state_dir: str) -> str:
    if isinstance(error, UNREADABLE):
        return (
            f"Not written: coordhooks could not read which file this call writes ({reason}). "
            "Try the call again with a full path; if it happens again, tell the user to run `coord doctor`."
        )
    return (
        f"Not written: coordhooks could not check who holds this file ({reason}). "
        f"{_remedy(state_dir)}, then try again."
    )


def _remedy(state_dir: str) -> str:
    """What is to be done first: two things are no matter of the doctor's."""
    store = os.path.join(state_dir, locations.DATABASE)
    try:
        disk = os.statvfs(state_dir)
        if disk.f_bavail * disk.f_frsize < LITTLE:
            return f"The disk of {_told(state_dir)} is full: make room on it"
        if os.path.isfile(store) and os.stat(store).st_mode & 0o600 != 0o600:
            return f"Run `chmod 600 {_told(store)}`"
    except (OSError, AttributeError):  # that it can't be asked is the doctor's matter
        pass
    return "Run `coord doctor --fix`"


def record(state_dir: str, entry: "Entry | None", reason: str, session: str = "") -> None:
    """Append one line. A folder that can't be written leaves the line on stderr, which ``failed`` wrote."""
    fact = {
        "at": time.time(),
        "event": entry.event if entry else "",
        "class": entry.tool_class if entry else "",
        "harness": entry.harness if entry else "",
        "session": session[:MAX_SESSION],
        "reason": _told(reason),
    }
    try:
        locations.make_folder(state_dir)
        _append(os.path.join(state_dir, PROBLEMS), (dumps(fact) + "\n").encode("ascii"), MAX_PROBLEMS)
    except OSError:
        return


def _allowed_on_error() -> bool:
    """``on_error = "allow"`` in the user's own file; the store, which has it too, may be what failed."""
    import tomllib

    try:
        said = locations.contents(os.path.join(locations.config_dir(os.environ), "config.toml"))
        return tomllib.loads(said.decode("utf-8")).get("on_error") == "allow"
    except (OSError, ValueError, RecursionError):
        return False


def note(state_dir: str, reason: str) -> None:
    """Record what went wrong beside a hook's own work, such as in the task ledger."""
    record(state_dir, None, reason)
