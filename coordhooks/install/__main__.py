"""``python -m coordhooks.install install|uninstall``: the last step of install.sh, by the new environment itself."""

import argparse
import sys

from coordhooks.errors import CoordError
from coordhooks.install import install, uninstall


def main(argv: list[str] | None = None) -> int:
    """Run one command; 0, or 1 with the reason on stderr."""
    parser = argparse.ArgumentParser("install.sh")
    parser.add_argument("command", choices=("install", "uninstall"))
    for flag in ("--project", "--dry-run", "--purge", "--allow-coord", "--trust-codex"):
        parser.add_argument(flag, action="store_true")
    options = parser.parse_args(argv)
    scope = "project" if options.project else "user"
    try:
        if options.command == "install":
            print(
                install(
                    scope,
                    dry_run=options.dry_run,
                    allow_coord=options.allow_coord,
                    trust_codex=options.trust_codex,
                    ask=_ask if sys.stdin.isatty() and sys.stdout.isatty() else None,
                )
            )
        else:
            print(uninstall(scope, purge=options.purge, dry_run=options.dry_run))
    except (CoordError, OSError) as error:  # OSError: a full disk, say; every write is whole or not done
        print(f"install.sh: {error}", file=sys.stderr)
        return 1
    return 0


def _ask(question: str) -> bool:
    return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")


if __name__ == "__main__":
    sys.exit(main())
