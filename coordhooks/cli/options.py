"""Options that many commands share."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from coordhooks.cli.session import Session

Command = Callable[..., Any]

as_json = click.option("--json", "as_json", is_flag=True, help="JSON; times are epoch seconds.")


def acting(function: Command) -> Command:
    """The command's first argument is its ``Session``; ``--as`` says who acts, where that is not plain."""

    @click.option(
        "--as", "said", metavar="HANDLE", default="", help="Act as this agent: for persons, and subagents."
    )
    @wraps(function)
    def wrapped(said: str, **values: Any) -> Any:
        return function(Session.here(said), **values)

    return wrapped


def here(function: Command) -> Command:
    """The command's first argument is its ``Session``; it makes no difference who calls."""

    @wraps(function)
    def wrapped(**values: Any) -> Any:
        return function(Session.here(), **values)

    return wrapped


class Duration(click.ParamType[float]):
    """``90s``, ``10m``, ``2h`` or a number of seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        from coordhooks.configuration import seconds

        try:
            found = seconds(value)
        except ValueError:
            self.fail(f"{value!r} is no duration: use 90s, 10m or 2h", param, ctx)
        return found


class Moment(click.ParamType[float]):
    """A duration before now, or a time in ISO 8601 (UTC unless it says otherwise), as epoch seconds."""

    name = "moment"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        import time

        from coordhooks.configuration import seconds
        from coordhooks.errors import Invalid
        from coordhooks.ledger.times import moment

        try:
            return time.time() - seconds(value)
        except ValueError:
            pass
        try:
            return moment(str(value)).timestamp()
        except Invalid:
            self.fail(f"{value!r} is no time: use 2h for two hours ago, or 2026-01-31T12:00:00Z", param, ctx)


DURATION, MOMENT = Duration(), Moment()
