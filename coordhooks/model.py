"""What travels along the line: an ``Event`` goes in, a ``Decision`` comes out. Neither knows a harness.

Imports nothing. Plain slotted classes, because ``dataclasses`` costs 25 ms of every hook.
"""

# Classes of tools, named by the hook entry's own arguments.
FILE, SHELL, MCP, OTHER = "file", "shell", "mcp", ""

Json = dict[str, object]


class Identity:
    """Which process a runtime lives in. Every field may be unknown (``None``): unknown is never guessed.

    ``pid`` and ``pid_ns`` (the inode of the pid namespace) are numbers, ``start`` is what the system calls
    the process's start (opaque text, equal only for the same process), ``boot`` names the boot, ``host`` is
    the host's name.
    """

    __slots__ = ("boot", "host", "pid", "pid_ns", "start")

    def __init__(
        self,
        pid: int | None = None,
        start: str | None = None,
        boot: str | None = None,
        pid_ns: int | None = None,
        host: str | None = None,
    ) -> None:
        self.pid = pid
        self.start = start
        self.boot = boot
        self.pid_ns = pid_ns
        self.host = host


class Target:
    """One file or folder that a call writes.

    ``path`` is the absolute real path, ``project`` the repository's common folder (or ``outside``), ``tree``
    the root of its working tree, ``name`` the path relative to that root with ``/`` (for ``outside`` the
    absolute path). ``key`` and ``rel`` are path and name in the form in which they are compared: folded where
    the volume folds, starting with ``/``, the root being empty. ``inode`` is ``(device, inode)`` of an
    existing file, else ``None``. ``folder`` is true when the whole folder is meant; ``bounded`` with it, when only
    that is meant which belongs to this very working tree, and not to one that lies inside it.
    """

    __slots__ = ("bounded", "folder", "inode", "key", "name", "path", "project", "rel", "tree")

    def __init__(
        self,
        path: str,
        project: str,
        tree: str,
        name: str,
        *,
        key: str,
        rel: str,
        inode: tuple[int, int] | None = None,
        folder: bool = False,
    ) -> None:
        self.path = path
        self.project = project
        self.tree = tree
        self.name = name
        self.key = key
        self.rel = rel
        self.inode = inode
        self.folder = folder
        self.bounded = False


class Event:
    """One hook call, after it has been parsed and validated. Absent text fields are empty strings."""

    __slots__ = (
        "agent_id",
        "agent_type",
        "attended",
        "background",
        "call_id",
        "confined",
        "cwd",
        "env_file",
        "facts",
        "harness",
        "kind",
        "prompt",
        "scripted",
        "session_id",
        "tool",
        "tool_class",
        "tool_input",
        "transcript",
        "turn_id",
    )

    def __init__(self, kind: str, harness: str, session_id: str) -> None:
        self.kind = kind  # our own name of the moment: "pre_tool_use", "stop", ...
        self.harness = harness
        self.session_id = session_id
        self.agent_id = ""
        self.agent_type = ""
        self.cwd = ""
        self.transcript = ""
        self.turn_id = ""
        self.tool = ""
        self.tool_class = OTHER
        self.tool_input: Json = {}
        self.call_id = ""
        self.prompt = ""
        self.env_file = ""  # where a session-start hook may export variables for later shell calls
        self.attended = False
        self.confined = False  # shell commands may run where the store and the process are out of sight
        self.scripted = False  # a script of the model's makes the call, and may swallow what becomes of it
        self.background: list[Json] | None = None  # tasks still running at a stop; None = not told
        self.facts: Json = {}  # what only one kind of event has: source, reason, trigger, ...


class Decision:
    """What a handler answers.

    ``deny``: the reason for refusing the call. ``context``: text for the model. ``hold``: the reason for not
    letting the turn end, or the prompt through. ``notice``: text for the person. ``rewrite``: the shell command
    to run in the call's place. ``shown``: the deliveries whose text is in ``context``, marked as delivered only
    after it was written out whole.
    """

    __slots__ = ("context", "deny", "hold", "notice", "rewrite", "runtime_id", "shown")

    def __init__(self, *, deny: str = "", context: str = "", hold: str = "", notice: str = "") -> None:
        self.deny = deny
        self.context = context
        self.hold = hold
        self.notice = notice
        self.rewrite = ""
        self.runtime_id = ""
        self.shown: list[str] = []

    @property
    def silent(self) -> bool:
        """Nothing to say: empty stdout, exit 0."""
        return not (self.deny or self.context or self.hold or self.notice or self.rewrite)
