"""The off-switch: a person lets everything through in this project, loudly, for a while or until it is on again."""

from coordhooks.cli import show, whoami
from coordhooks.cli.session import Session
from coordhooks.paths import OUTSIDE
from coordhooks.store import runtimes, settings

FOREVER = settings.FOREVER


def switch_off(session: Session, duration: float | None) -> str:
    """Switch the veto off for ``duration`` seconds, or until further notice; returns what to say."""
    with session.transaction(durable=True) as tx:
        whoami.refuse_agents(tx, session, "switch the veto off")
        until = FOREVER if duration is None else tx.now + duration
        settings.switch_off(tx, session.project, until)
        tx.audit("switched_off", runtimes.HUMAN, project=session.project, seconds=duration)
        when = "until `coord on`" if duration is None else f"until {show.clock(until, tx.now)}"
    return f"coordhooks is OFF in {place(session)} {when}: conflicting writes are NOT refused."


def switch_on(session: Session) -> str:
    """Switch the veto on; returns what to say."""
    with session.transaction(durable=True) as tx:
        whoami.refuse_agents(tx, session, "switch the veto on")
        was_off = settings.switch_on(tx, session.project)
        tx.audit("switched_on", runtimes.HUMAN, project=session.project)
        disabled = settings.get(tx, session.project, "enabled", 1) == 0
    if disabled:
        return f"coordhooks stays off in {place(session)}: its settings say enabled = false."
    return f"coordhooks is on in {place(session)}{'' if was_off else ' (it was before)'}: conflicting writes are refused."


def place(session: Session) -> str:
    return "all files outside repositories" if session.project == OUTSIDE else session.tree
