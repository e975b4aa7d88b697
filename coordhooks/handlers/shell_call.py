"""What a shell call is going to write, and what stands against it by the rules of a shared checkout."""

import os

from coordhooks.handlers.guard import Plan
from coordhooks.model import Event
from coordhooks.paths import OUTSIDE, real, repository_of
from coordhooks.store import settings
from coordhooks.store.db import Transaction
from coordhooks.targets import shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings

POWERSHELL_TOOL = "PowerShell"


def plan(event: Event, around: "Surroundings") -> Plan:
    """The plan of a shell call. A command that plainly writes nothing costs one quick look."""
    command = event.tool_input.get("command")
    if not isinstance(command, str):
        made = Plan([])
        made.untold.append("a call without a command")
        return made
    verdict = shell.judge(command, event.cwd, home=os.path.expanduser("~"), dialect=dialect(event.tool))
    if verdict.targets or verdict.git or (verdict.unexcused and _strict(event, around)):
        from coordhooks.handlers import rules

        return rules.plan(event, around, verdict)
    made = Plan([])
    made.untold = verdict.untold
    made.watched = not (verdict.plain and verdict.nothing)
    return made


def _strict(event: Event, around: "Surroundings") -> bool:
    """Is what can't be told refused in this project?"""
    project = repository_of(real(event.cwd), is_folder=True)[1] if event.cwd else OUTSIDE
    with Transaction(around.db) as tx:
        return settings.get(tx, project, "strict", 0) == 1


def dialect(tool: str) -> str:
    return shell.POWERSHELL if tool == POWERSHELL_TOOL else shell.POSIX
