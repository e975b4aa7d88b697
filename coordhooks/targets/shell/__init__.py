"""What a shell command would write. ``judge`` reads it, ``targets_of`` turns its answer into targets.

Most commands are cleared by ``quick`` without loading a grammar; the rest is parsed.
"""

from coordhooks.model import Target
from coordhooks.targets.shell import quick
from coordhooks.targets.shell.verdict import Untellable, Verdict, Write

POSIX, POWERSHELL = "posix", "powershell"
EFFORT = 8000  # nodes, words and calls looked at for one command


def judge(command: str, cwd: str, *, home: str, dialect: str = POSIX) -> Verdict:
    """What ``command`` would write when it runs in ``cwd`` (absolute; empty if unknown). Never raises.

    ``home`` is what ``~`` stands for. Files are not opened; folders are looked into where a pattern of the command
    is matched against them.
    """
    if dialect == POWERSHELL:
        from coordhooks.targets.shell import powershell

        return powershell.judge(command, cwd, home, Verdict())
    return quick.look(command) or parsed(command, cwd, home=home)


def parsed(command: str, cwd: str, *, home: str) -> Verdict:
    """The same, by the grammar alone."""
    verdict = Verdict()
    try:
        from coordhooks.targets.shell.scope import Scope
        from coordhooks.targets.shell.walk import Shell
        from coordhooks.targets.shell.world import World

        Shell(verdict, World(), [EFFORT], 0).script(command, Scope(cwd or None, home))
    except Untellable as reason:
        verdict.doubt(str(reason))
    except RecursionError:
        verdict.doubt("the command is nested too deeply to be followed")
    except ImportError as missing:
        if not str(missing.name).startswith("tree_sitter"):
            raise
        verdict.doubt("tree-sitter, which reads shell commands, is not installed")
    return verdict


def targets_of(verdict: Verdict) -> list[tuple[Target, Write]]:
    """The targets of a verdict, each with the write that names it; see ``resolve``."""
    from coordhooks.targets.shell.resolve import targets_of as resolved

    return resolved(verdict)
