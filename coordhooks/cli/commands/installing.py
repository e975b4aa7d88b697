"""Installing and uninstalling, as far as the command can do it: the hooks; the program itself is install.sh's."""

import click

from coordhooks.cli import show
from coordhooks.cli.session import Refused

PROJECT = click.option("--project", is_flag=True, help="In this folder's settings instead of the user's.")
DRY_RUN = click.option("--dry-run", is_flag=True, help="Only show what would change.")


@click.command()
@PROJECT
@DRY_RUN
@click.option(
    "--allow-coord", is_flag=True, help="Let agents run the harmless verbs of `coord` without asking."
)
def install(project: bool, dry_run: bool, allow_coord: bool) -> None:
    """Add the hooks to the settings of every harness."""
    from coordhooks import install as installer

    show.say(str(installer.install(_scope(project), dry_run=dry_run, allow_coord=allow_coord)))


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
