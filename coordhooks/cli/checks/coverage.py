"""What no hook covers: known gaps of each harness, and how often calls went through unjudged."""

from collections.abc import Iterator

from coordhooks.cli import show
from coordhooks.cli.checks import store
from coordhooks.cli.checks.finding import Finding, note
from coordhooks.cli.session import Session
from coordhooks.install import codex
from coordhooks.install.places import Places
from coordhooks.install.wishes import HARNESSES
from coordhooks.store import health

CHECK = "not covered"
BACKGROUND = "what a shell in the background writes after its call has ended is not checked"
STDIN = "Codex: what it types into a shell that runs already (write_stdin) fires no hook at all"


def check(session: Session) -> Iterator[Finding]:
    places = Places.here(dict(session.environ), session.cwd)
    yield note(CHECK, BACKGROUND)
    if not codex.absent(places):
        yield note(CHECK, STDIN)
    if not store.readable(session):
        return
    with session.transaction(readonly=True) as tx:
        now, counted = tx.now, health.untold(tx)
    for name, what, count, at in counted:
        title = HARNESSES[name].TITLE if name in HARNESSES else name or "unknown harness"
        says = f"{title}: {_calls(what, count)}, the last one {show.span(now - at)} ago"
        yield note(CHECK, says)


def _calls(what: str, count: int) -> str:
    """What was counted, in words: what a shell command writes, or a tool whose name and keys tell nothing."""
    calls = f"{count} call{'' if count == 1 else 's'}"
    if what == "shell":
        return f"{calls} of the shell went through without it being known what they write"
    if what == "uncovered tool":
        return f"{calls} of MCP tools that name no file they write went through"
    return f"{calls} went through unjudged: {what}"
