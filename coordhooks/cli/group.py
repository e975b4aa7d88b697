"""The table of commands, each loaded only when it is called, and the one error boundary around them all."""

import os
import sys
from typing import Any

import click

from coordhooks import __version__
from coordhooks.errors import CoordError, StoreUnavailable

# name: (module in `commands`, its command, what the help says). A new noun is a file and a line here.
COMMANDS = {
    "status": ("status", "status", "One screen: agents, leases, unread messages, problems."),
    "who": ("who", "who", "The live agents."),
    "leases": ("leases", "leases", "Who holds what."),
    "claim": ("leases", "claim", "Claim files, folders or @resources: all or nothing."),
    "release": ("leases", "release", "Give up one's own leases."),
    "renew": ("leases", "renew", "Give one's own leases a new expiry."),
    "revoke": ("revoke", "revoke", "A person takes leases away from their holders."),
    "wait": ("wait", "wait", "Wait until names are free."),
    "check": ("check", "check", "Would a write be refused?"),
    "files": ("files", "files", "What a conversation wrote and has not landed."),
    "blame": ("blame", "blame", "Who wrote a file, when, and in which task."),
    "send": ("send", "send", "Send a message."),
    "reply": ("send", "reply", "Answer a message."),
    "inbox": ("inbox", "inbox", "Read one's messages."),
    "ack": ("inbox", "ack", "Acknowledge messages."),
    "task": (
        "task",
        "task",
        "Tasks: add, list, show, lease, renew, done, fail, block, release, amend, correct.",
    ),
    "artifact": ("artifact", "artifact", "Keep reports and handoffs, and get them back."),
    "quota": ("quota", "quota", "The tokens that each harness has used."),
    "log": ("log", "log", "The events of the task ledger."),
    "audit": ("audit", "audit", "What changed, when and by whom."),
    "workspace": ("workspace", "workspace", "Managed working trees."),
    "name": ("who", "name", "Choose a short name of one's own."),
    "off": ("switch", "off", "A person switches the veto off in this project."),
    "on": ("switch", "on", "A person switches the veto on again."),
    "statusline": ("statusline", "statusline", "One line for Claude Code's status line."),
    "install": ("installing", "install", "Add the hooks to the harnesses' settings."),
    "uninstall": ("installing", "uninstall", "Take the hooks out again, and the program."),
    "doctor": ("doctor", "doctor", "Is everything in order? With --fix, repair the store."),
}


class LazyGroup(click.Group):
    """A group that knows its commands from the table and imports one when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module, command, _ = COMMANDS[cmd_name]
        loaded = __import__(f"coordhooks.cli.commands.{module}", fromlist=[command])
        found: click.Command = getattr(loaded, command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in COMMANDS.items()])

    def main(self, args: Any = None, *rest: Any, **extra: Any) -> Any:  # noqa: ARG002
        """The whole command, boundary included; ends the process (``click``'s test runner calls this)."""
        sys.exit(run(self, None if args is None else list(args)))


@click.group(
    cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="coord")
def coord() -> None:
    """Many coding agents, one codebase: who is here, who holds what, and messages between them.

    Names are paths from the current folder; `/` is the root of the working tree, `@NAME` a named resource.
    """


def run(group: click.Group, arguments: list[str] | None) -> int:
    """Run one command; every failure becomes a sentence on stderr and an exit code."""
    _write_anything()
    try:
        code = click.Group.main(group, arguments, prog_name="coord", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.Abort:  # Ctrl-C
        return 130
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except StoreUnavailable as error:
        from coordhooks.cli import sandbox

        advice = sandbox.advice(os.environ) or (
            "" if "doctor" in str(error) else "; `coord doctor` says what to do"
        )
        return _fail(f"{error}{advice}", 1)
    except CoordError as error:
        return _fail(str(error), getattr(error, "exit_code", 1))
    except Exception as error:  # noqa: BLE001 - this is the boundary
        return _bug(error)


def _fail(sentence: str, code: int) -> int:
    from coordhooks import quoting

    if sentence:
        click.echo(f"coord: {quoting.clean(sentence)}", err=True)
    return code


def _bug(error: Exception) -> int:
    if os.environ.get("COORD_DEBUG") == "1":
        raise error
    from coordhooks.failures import why

    return _fail(f"{why(error)}: run it again with COORD_DEBUG=1 and report what it prints", 1)


def _write_anything() -> None:
    """A terminal without UTF-8 gets an escape for what it can't show, never an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
