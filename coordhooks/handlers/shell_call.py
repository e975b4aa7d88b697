"""What a shell call is going to write, and what stands against it by the rules of a shared checkout."""

import os

from coordhooks.handlers.guard import Plan
from coordhooks.model import Event
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
    if verdict.nothing:
        return Plan([])
    from coordhooks.handlers import rules

    return rules.plan(event, around, verdict)


def dialect(tool: str) -> str:
    return shell.POWERSHELL if tool == POWERSHELL_TOOL else shell.POSIX
