"""Installing and uninstalling, as far as the command can do it: the hooks; the program itself is install.sh's."""

import sys

import click

from coordhooks.cli import show
from coordhooks.cli.session import Refused

HARNESSES = ("claude-code", "codex")
PROJECT = click.option("--project", is_flag=True, help="In this folder's settings instead of the user's.")
DRY_RUN = click.option("--dry-run", is_flag=True, help="Only show what would change.")


@click.command()
@PROJECT
@DRY_RUN
@click.option(
    "--allow-coord", is_flag=True, help="Let agents run the harmless verbs of `coord` without asking."
)
@click.option(
    "--trust-codex", is_flag=True, help="Record in Codex that you trust the hooks; it skips them else."
)
@click.option(
    "--snippet", type=click.Choice(HARNESSES), help="Only print the hooks, to be put there by hand."
)
def install(project: bool, dry_run: bool, allow_coord: bool, trust_codex: bool, snippet: str | None) -> None:
    """Add the hooks to the settings of every harness."""
    from coordhooks import install as installer

    if snippet:
        show.say(installer.snippet(snippet).rstrip())
        return
    report = installer.install(
        _scope(project),
        dry_run=dry_run,
        allow_coord=allow_coord,
        trust_codex=trust_codex,
        ask=click.confirm if sys.stdin.isatty() and sys.stdout.isatty() else None,
    )
    show.say(str(report))


@click.command()
@PROJECT
@DRY_RUN
@click.option("--purge", is_flag=True, help="Remove the store, the settings and the backups as well.")
@click.option("--yes", is_flag=True, help="Don't ask before a purge.")
def uninstall(project: bool, dry_run: bool, purge: bool, yes: bool) -> None:
    """Take the hooks out of every settings file, then remove the program."""
    from coordhooks import install as installer

    if (
        purge
        and not yes
        and not dry_run
        and not click.confirm("Remove all leases, messages and the audit for good?")
    ):
        raise Refused("nothing was removed: leave out --purge to keep the store")
    show.say(str(installer.uninstall(_scope(project), purge=purge, dry_run=dry_run)))


def _scope(project: bool) -> str:
    return "project" if project else "user"
