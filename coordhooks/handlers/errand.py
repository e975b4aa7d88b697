"""A plain ``coord …`` call of an agent whose shell is sandboxed, carried out here, outside of the sandbox.

In there our state folder can't be written and the harness's process is out of sight. So the very command runs as a
child of this hook, and the agent's shell gets one that only prints what it said: the model sees an ordinary
call of ``coord`` with an ordinary result.

Nothing of the payload reaches a shell: the words go to the command as a list, and the output comes back as
octal escapes. Only verbs that start no other program are carried out: ``git`` in a repository that the agent made
could run the agent's own code out here.
"""

import os
import re
import shlex
import string
import subprocess
import sys

from coordhooks.handlers.attendance import attend
from coordhooks.model import Decision, Event
from coordhooks.process import CALLER_VARIABLE
from coordhooks.store.db import Transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings

VERBS = (
    "status",
    "who",
    "leases",
    "claim",
    "release",
    "renew",
    "wait",
    "blame",
    "send",
    "reply",
    "inbox",
    "ack",
    "name",
    "task",
)
TASKS = ("list", "show", "lease", "renew", "done", "fail", "block", "release")
FILES = ("--report", "--handoff")  # options that read a file, which the sandbox may keep from the agent

# One simple command: words without a meaning for any shell, quoted ones without expansions.
WORD = r"""(?:[\w@%+=:,./-]|'[^'\0]*'|"[^"$`\\\0]*")+"""
PLAIN = re.compile(rf"\s*coord[ \t]+(?:{'|'.join(VERBS)})(?:[ \t]+{WORD})*\s*")

SECONDS = 3.5  # for the command; the hook itself has 5
WAIT = "--timeout=2"  # as much of a wait as a hook can do; a later hook tells when the name is free
STILL_HELD, PAUSE = (
    3,
    8,
)  # exit code of a wait in vain, and seconds before its answer: nobody is to ask in a loop
NOT_RUN = 125
MAX_OUTPUT = 20_000  # bytes
LITERAL = frozenset(
    string.ascii_letters + string.digits + " .,:/_-=+@()?"
)  # between single quotes, in any shell

# The installation's own interpreter and package; neither PATH nor working folder has a say.
RUN = f"""
import sys
sys.path.insert(0, sys.argv.pop(1))
sys.argv[0] = "coord"
try:
    import click
except ImportError:
    sys.exit({NOT_RUN})
from coordhooks.cli import main
sys.exit(main())
"""


def run(event: Event, around: "Surroundings", decision: Decision) -> None:
    """Carry out the call if it is one of ours, and have its answer printed in its place."""
    command = event.tool_input.get("command")
    words = plain(command) if isinstance(command, str) else []
    done = _carry_out(words, event, around) if words else None
    if done is not None and done.returncode != NOT_RUN:
        decision.rewrite = printing(done.stdout[:MAX_OUTPUT], done.returncode)


def plain(command: str) -> list[str]:
    """The words after ``coord`` in a single simple call of one of ``VERBS``; empty for anything else."""
    words = shlex.split(command)[1:] if PLAIN.fullmatch(command) else []
    if words[:1] == ["task"] and (
        words[1:2] == [] or words[1] not in TASKS or any(w.startswith(FILES) for w in words)
    ):
        return []
    return words


def printing(output: bytes, code: int) -> str:
    """A command that prints these bytes in any shell and ends with this code.

    All but plain characters are octal escapes, so there is no quoting to get wrong.
    """
    text = "".join(chr(b) if chr(b) in LITERAL else f"\\0{b:03o}" for b in output)
    pause = f"sleep {PAUSE}; " if code == STILL_HELD else ""
    return f"{pause}printf %b '{text}'" + (f"; exit {code}" if code else "")


def _carry_out(
    words: list[str], event: Event, around: "Surroundings"
) -> "subprocess.CompletedProcess[bytes] | None":
    if words[0] == "wait":
        at = words.index("--") if "--" in words else len(words)
        words = [*words[:at], WAIT, *words[at:]]
    with Transaction(around.db) as tx:
        caller = str(attend(tx, event, around)["runtime_id"])
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    try:
        return subprocess.run(
            [sys.executable, "-I", "-B", "-c", RUN, root, *words],
            cwd=event.cwd,
            env={**around.environ, CALLER_VARIABLE: caller},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):  # then the agent's own shell says what it can
        return None
