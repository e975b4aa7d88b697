"""What install.sh runs, with a bare interpreter: no package but the standard library is there yet."""

import argparse
import os
import subprocess
import sys

from coordhooks.errors import CoordError
from coordhooks.install import environment, home, install, interpreter, program, snippet, uninstall, wrapper
from coordhooks.install.places import Places
from coordhooks.install.wishes import HARNESSES


def main(checkout: str, argv: list[str]) -> int:
    """Run the installer on the source in ``checkout``; the exit code."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.purge and not options.uninstall:
        parser.error("--purge goes with --uninstall; nothing was changed")
    try:
        home.check(os.environ)
        places = Places.here()
        if options.snippet:
            print(snippet(options.snippet, places), end="")
            return 0
        if options.uninstall:
            print(uninstall(_scope(options), purge=options.purge, dry_run=options.dry_run))
            return 0
        return _install(checkout, options, places)
    except (CoordError, OSError) as error:  # OSError: a full disk, say; every write is whole or not done
        print(f"install.sh: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("install.sh: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "install.sh", description="Install coordhooks for this user, or remove it."
    )
    parser.add_argument("--uninstall", action="store_true", help="take the hooks out and remove the program")
    parser.add_argument(
        "--purge", action="store_true", help="with --uninstall: the store, settings and backups, too"
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would change; write nothing")
    parser.add_argument(
        "--project", action="store_true", help="hooks in ./.claude/settings.json, not the user's"
    )
    parser.add_argument(
        "--allow-coord", action="store_true", help="let agents run `coord` without asking each time"
    )
    parser.add_argument(
        "--trust-codex", action="store_true", help="tell Codex that you trust these hooks; it skips them else"
    )
    parser.add_argument(
        "--snippet",
        choices=tuple(HARNESSES),
        help="only print the hooks, to be put into the settings by hand",
    )
    parser.add_argument("--python", metavar="PATH", help="the Python 3.11 or newer to build on")
    return parser


def _scope(options: argparse.Namespace) -> str:
    return "project" if options.project else "user"


def _install(checkout: str, options: argparse.Namespace, places: Places) -> int:
    # Everything that can refuse does so before anything is written.
    preview = install(
        _scope(options),
        dry_run=True,
        allow_coord=options.allow_coord,
        trust_codex=options.trust_codex,
        places=places,
    )
    program.check(places)
    python = interpreter.stable()
    if options.dry_run:
        name = environment.version_name(checkout, python)
        print(preview)
        print(f"would build {os.path.join(places.versions, name)} with {python}, and write {places.coord}")
        return 0
    done = program.put(checkout, python, places, _say)
    _say("\n".join([*done, *wrapper.path_note(places, os.environ.get("PATH", ""))]))
    # By the new environment itself: that it can do this much shows that it works.
    command = [places.python, "-I", "-m", "coordhooks.install", "install"]
    known = ("--project", "--allow-coord", "--trust-codex")
    flags = [flag for flag in known if getattr(options, flag[2:].replace("-", "_"))]
    return subprocess.run([*command, *flags], check=False).returncode


def _say(line: str) -> None:
    if line:
        print(line, flush=True)
