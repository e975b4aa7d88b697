"""What the harnesses have used up."""

import time

import click

from coordhooks.cli import show, tasks
from coordhooks.cli.options import DURATION, as_json, here
from coordhooks.cli.session import Session
from coordhooks.handlers.dispatch import Terms, exhausted
from coordhooks.handlers.texts import HARNESSES
from coordhooks.ledger import Ledger


@click.command()
@click.option("--since", type=DURATION, help="So long ago; 5h if neither this nor the settings say it.")
@as_json
@here
def quota(session: Session, since: float | None, as_json: bool) -> None:
    """Show the tokens that each harness has used, and whether all receipts could be read."""
    with session.transaction() as tx:
        terms = Terms(tx, session.project)
    terms.quota_window = since or terms.quota_window
    with Ledger(tasks.folder(session)) as ledger:
        found = [_facts(ledger, harness, terms) for harness in HARNESSES]
    if as_json:
        show.as_json(found)
        return
    rows = [
        [f["harness"], f["consumed"], "all" if f["known"] else "not all", f["exhausted"] or ""] for f in found
    ]
    show.table(("HARNESS", "TOKENS", "KNOWN", "EXHAUSTED"), rows)


def _facts(ledger: Ledger, harness: str, terms: Terms) -> dict[str, object]:
    consumed, known = ledger.quota_since(harness, time.time() - terms.quota_window)
    return {
        "harness": harness,
        "consumed": consumed,
        "known": known,
        "since": time.time() - terms.quota_window,
        "exhausted": exhausted(ledger, harness, terms),
    }
