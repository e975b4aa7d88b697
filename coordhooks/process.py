"""Which process is it, and does it still live?

A pid alone proves nothing, because it is reused: a process is its pid, its start time, the boot it was
started in and the pid namespace in which its number means something. Linux is read from ``/proc`` directly;
elsewhere ``psutil`` is asked, where it is installed.
"""

import os
import sys

from coordhooks.model import Identity

LINUX = sys.platform.startswith("linux")
MAX_ANCESTORS = 32
CALLER_VARIABLE = "COORD_CALLER"  # which of the runtimes of one process a command of ours acts for


class Here:
    """This process's surroundings: the boot, the pid namespace and the host that it runs in."""

    __slots__ = ("boot", "host", "pid_ns")

    def __init__(self) -> None:
        self.host = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
        self.boot = _boot_id()
        self.pid_ns = _pid_namespace()


def identity(pid: int, here: Here) -> Identity:
    """The identity of a process that is visible from here; its start is ``None`` if it can't be read."""
    return Identity(pid, start_of(pid), here.boot, here.pid_ns, here.host)


def alive(who: Identity, here: Here) -> bool | None:
    """True: it runs. False: it is provably gone. None: can't be told from here (only a heartbeat can)."""
    if who.pid is None or who.host is None or who.host != here.host:
        return None
    if who.boot and here.boot and who.boot != here.boot:
        return False
    if who.boot != here.boot or who.pid_ns != here.pid_ns:
        return None
    start = _look(who.pid)
    if start is GONE:
        return False
    if who.start is None or start is None:
        return None
    return start == who.start


def start_of(pid: int) -> str | None:
    """The start of a running process, or ``None`` if it is gone or can't be read."""
    return _look(pid) or None


def parent_of(pid: int) -> int | None:
    """The parent's pid, or ``None``."""
    if LINUX:
        fields = _stat(pid)
        return None if fields is None else int(fields[1])
    if pid == os.getpid():
        return os.getppid()
    try:
        import psutil
    except ImportError:
        return None
    try:
        return int(psutil.Process(pid).ppid())
    except psutil.Error:
        return None


def ancestors(pid: int) -> list[int]:
    """The pids above ``pid``, nearest first, bounded; 0 and 1 are left out."""
    found: list[int] = []
    current = parent_of(pid)
    while current is not None and current > 1 and current not in found and len(found) < MAX_ANCESTORS:
        found.append(current)
        current = parent_of(current)
    return found


def executable(pid: int) -> str:
    """The base name of a process's program, or an empty string. Titles can be disguised; this is the file."""
    if LINUX:
        try:
            return os.path.basename(os.readlink(f"/proc/{pid}/exe")).removesuffix(" (deleted)")
        except OSError:
            return ""
    try:
        import psutil
    except ImportError:
        return ""
    try:
        return os.path.basename(psutil.Process(pid).exe())
    except (psutil.Error, OSError):
        return ""


GONE = ""


def _look(pid: int) -> str | None:
    """A process's start; ``GONE`` if no such process runs, ``None`` if it can't be looked at.

    A zombie counts as gone: it holds nothing any more.
    """
    if not LINUX:
        return _psutil_look(pid)
    fields = _stat(pid)
    if fields is None:
        return GONE if _absent(pid) else None
    return GONE if fields[0] in ("Z", "X") else fields[19]


def _absent(pid: int) -> bool:
    """Is there no process of this number? ``/proc`` may hide those of other users, a signal does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def _stat(pid: int) -> list[str] | None:
    """The fields of ``/proc/PID/stat`` from the state on (the program's name may hold spaces and brackets)."""
    data = _read(f"/proc/{pid}/stat")
    return None if data is None else data[data.rfind(b")") + 2 :].decode("ascii").split()


def _boot_id() -> str | None:
    if LINUX:
        data = _read("/proc/sys/kernel/random/boot_id")
        return None if data is None else data.decode("ascii").strip()
    try:
        import psutil
    except ImportError:
        return None
    return f"{psutil.boot_time():.0f}"


def _pid_namespace() -> int | None:
    try:
        return os.stat("/proc/self/ns/pid").st_ino if LINUX else 0
    except OSError:
        return None


def _psutil_look(pid: int) -> str | None:
    try:
        import psutil
    except ImportError:
        return None
    try:
        found = psutil.Process(pid)
        return GONE if found.status() == psutil.STATUS_ZOMBIE else f"{found.create_time():.3f}"
    except psutil.NoSuchProcess:
        return GONE
    except psutil.Error:  # a process of another user is there, but can't be looked at
        return None


def _read(path: str) -> bytes | None:
    """A small file's bytes with three system calls; ``None`` if it can't be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(fd, 4096)
    except OSError:  # the process ended between the open and the read
        return None
    finally:
        os.close(fd)
