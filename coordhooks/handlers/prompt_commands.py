"""A person's own `coord …` prompt, answered here at no cost: it never reaches the model.

Only in an attended session, never for a subagent or for a harness that another agent started.
"""

from coordhooks import quoting
from coordhooks.errors import CoordError
from coordhooks.model import Event
from coordhooks.process import ancestors
from coordhooks.store import runtimes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.cli.session import Session
    from coordhooks.hook import Surroundings


def answer(event: Event, around: "Surroundings") -> str:
    """The answer as plain text, or an empty string for a prompt that is the model's."""
    words = event.prompt.strip().split(" ")
    command = COMMANDS.get(" ".join(words[:2]))
    if command is None or "\n" in event.prompt.strip() or event.agent_id or not event.attended:
        return ""
    session = _session(event, around)
    if session is None:
        return ""
    try:
        return quoting.clean(command(session, " ".join(words[2:]).strip()))
    except CoordError as error:
        return quoting.clean(str(error))


def _session(event: Event, around: "Surroundings") -> "Session | None":
    """The person's session, or ``None`` where the harness is unknown or an agent is among its ancestors."""
    from coordhooks.cli import whoami
    from coordhooks.cli.session import Session

    if around.process.pid is None:
        return None
    session = Session(around.environ, event.cwd, db=around.db)
    session.above = ancestors(around.process.pid)
    with session.transaction() as tx:
        if whoami.is_agent_by_tree(tx, session.above):
            return None
        me = runtimes.attached(tx, event.session_id, "", around.process)
    if me is not None:  # the hooks judge a session by the project in which it began
        session.tree, session.project = me["tree"], me["project"]
    session.person = True
    return session


def _status(session: "Session", rest: str) -> str:
    from coordhooks.cli import screen

    return "" if rest else screen.text(session, screen.gather(session))


def _who(session: "Session", rest: str) -> str:
    from coordhooks.cli import agents, show

    if rest:
        return ""
    with session.transaction() as tx:
        cells = agents.cells(tx, agents.listing(tx, session, False))
    return show.text_table(agents.HEADERS, cells) if cells else "no live agents here"


def _off(session: "Session", rest: str) -> str:
    from coordhooks.cli import switch
    from coordhooks.configuration import seconds

    try:
        duration = seconds(rest) if rest else None
    except ValueError:
        return ""
    return switch.switch_off(session, duration)


def _on(session: "Session", rest: str) -> str:
    from coordhooks.cli import switch

    return "" if rest else switch.switch_on(session)


def _revoke(session: "Session", rest: str) -> str:
    from coordhooks.cli import revoking

    return revoking.take_away(session, [rest], None) if rest else ""


COMMANDS = {
    "coord status": _status,
    "coord who": _who,
    "coord off": _off,
    "coord on": _on,
    "coord revoke": _revoke,
}
