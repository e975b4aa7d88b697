"""Is everything in order? ``--fix`` repairs what is ours, ``--live`` proves the veto with the real harnesses."""

import click

from coordhooks.cli import checks, show
from coordhooks.cli.checks import firing, report
from coordhooks.cli.options import as_json, here
from coordhooks.cli.session import Session
from coordhooks.install.places import Places


@click.command()
@click.option(
    "--fix", is_flag=True, help="Close the state folder to others; set a damaged store or ledger aside."
)
@click.option(
    "--live", is_flag=True, help="Start the installed harnesses on a scripted model: does the veto fire?"
)
@as_json
@here
def doctor(session: Session, fix: bool, live: bool, as_json: bool) -> int:
    """Look at program, store, harnesses and hooks. Exit 0: healthy; 1: something is to be done.

    Nothing that is set aside by --fix is ever deleted. --live uses no tokens and touches no session of yours.
    """
    findings = checks.repaired(session) if fix else []
    findings += checks.everything(session)
    if live:
        from coordhooks.cli.live import trials

        findings = firing.tried([*findings, *trials(Places.here(dict(session.environ), session.cwd))])
    healthy = all(finding.ok is not False for finding in findings)
    if as_json:
        show.as_json({"healthy": healthy, "findings": [finding.public() for finding in findings]})
    else:
        click.echo(report.text(findings))
    return 0 if healthy else 1
