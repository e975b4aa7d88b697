"""Hooks in the settings of a home folder: ours, and tiny ones that record or refuse."""

import importlib.util
import json
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coordhooks.install import claude_code, interpreter

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]
PACKAGES = (
    "tree_sitter",
    "tree_sitter_bash",
)  # what hooks use beyond the standard library, where it is installed

# A payload appears under its final name only when it is whole.
RECORD = 'f=$(mktemp "$1/new.XXXXXXXX"); cat > "$f"; mv "$f" "$1/payload.${f##*.}"'


COORD = """#!/bin/sh
exec {python} -c 'import sys; sys.argv[0] = "coord"; from coordhooks.cli import main; sys.exit(main())' "$@"
"""


def program(site: Path) -> Path:
    """A folder that holds the program and its packages side by side, as installing makes it."""
    if not site.exists():
        site.mkdir(parents=True)
        for part in ("coordhooks", "hooks", "schemas"):
            (site / part).symlink_to(ROOT / part)
        for name in PACKAGES:
            found = importlib.util.find_spec(name)
            assert found is not None
            (site / name).symlink_to(Path(str(found.origin)).parent)
    return site


def install(home: Path) -> None:
    """Install our hooks for Claude Code and the ``coord`` command."""
    coord = home / ".local" / "bin" / "coord"
    coord.parent.mkdir(parents=True)
    coord.write_text(COORD.format(python=shlex.quote(sys.executable)), encoding="utf-8")
    coord.chmod(0o755)
    add(home, claude_code.groups(interpreter.stable(), str(program(home.parent / "site"))))


def shell(script: str, *arguments: str, **more: Any) -> Json:
    """A hook entry that runs a piece of sh; ``$1`` and so on are the arguments."""
    return {"type": "command", "command": "/bin/sh", "args": ["-c", script, "sh", *arguments], **more}


def add(home: Path, groups: Mapping[str, list[Json]]) -> None:
    """Append matcher groups, by event, to the hooks in the user's settings."""
    path = home / ".claude" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    settings = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    hooks = settings.setdefault("hooks", {})
    for event, more in groups.items():
        hooks.setdefault(event, []).extend(more)
    path.write_text(json.dumps(settings), encoding="utf-8")


@dataclass(frozen=True)
class Seen:
    """One event that a hook was told of, and when (seconds since 1970)."""

    event: str
    payload: Json
    time: float


class HookLog:
    """Records the payloads of ``events`` as the harness sends them, beside whatever other hooks there are."""

    def __init__(self, home: Path, *events: str) -> None:
        self.folder = home / "hook-log"
        self.folder.mkdir(exist_ok=True)
        add(home, {event: [{"hooks": [shell(RECORD, str(self.folder))]}] for event in events})

    def seen(self, *events: str) -> list[Seen]:
        """What came so far, of all events or these, oldest first."""
        files = sorted(self.folder.glob("payload.*"), key=lambda file: file.stat().st_mtime_ns)
        found = (_seen(file) for file in files)
        return [one for one in found if not events or one.event in events]


def _seen(file: Path) -> Seen:
    payload = json.loads(file.read_text(encoding="utf-8"))
    return Seen(payload["hook_event_name"], payload, file.stat().st_mtime)
