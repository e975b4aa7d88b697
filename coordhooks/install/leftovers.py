"""What is of use only with our hooks, but was not written by the installer: listed when they go, removed on request."""

import glob
import json
import os
import re

from coordhooks.install import codex_trust, safefile
from coordhooks.install.places import Places
from coordhooks.install.report import Told

# As handlers/session_start.py writes them for the later shell calls of a session; resuming it reads them again.
_EXPORT = re.compile(r"export COORD_RUNTIME=.*\n(?:export PATH=\"\$PATH\":.*\n)?")
_OWN_RULE = re.compile(r"Bash\(coord[ :)]")


def exporting(places: Places) -> list[str]:
    """The files that set our variable for a session of Claude Code when it is resumed."""
    pattern = os.path.join(glob.escape(_folder(places)), "*", "*.sh")
    return [path for path in glob.glob(pattern) if _exports(path)]


def exports(places: Places, *, purge: bool, dry_run: bool) -> Told:
    """Our variable in what Claude Code keeps for each session."""
    found = exporting(places)
    if not found:
        return [], []
    what = f"{len(found)} session exports of COORD_RUNTIME in {_folder(places)}"
    if not purge:
        return [], [f"{what} stay; they do nothing without the hooks (--purge removes them)"]
    if dry_run:
        return [f"would remove {what}"], []
    for path in found:
        safefile.change(path, lambda content: _without(content or b"") or None, backup=False)
    return [f"removed {what}"], []


def trust(places: Places, keys: list[str], *, purge: bool) -> Told:
    """What the user has told Codex of our hooks; ``keys`` are the places where they were. Raises ConfigRefused."""
    path = codex_trust.config_path(places)
    if not keys:
        return [], []
    if not purge:
        return [], [f"{len(keys)} entries of trust for our hooks stay in {path} (--purge removes them)"]
    codex_trust.purge(path, keys)
    return [f"took {len(keys)} entries of trust out of {path}"], []


def rules(path: str) -> list[str]:
    """The rules that let agents run ``coord``, in a settings file that the user has written them into."""
    try:
        found = json.loads((safefile.read(path) or b"{}").decode("utf-8-sig"))
        allowed = found["permissions"]["allow"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    return [rule for rule in allowed if isinstance(rule, str) and _OWN_RULE.match(rule)]


def _folder(places: Places) -> str:
    return os.path.join(places.claude_config, "session-env")


def _exports(path: str) -> bool:
    content = safefile.read(path) or b""
    return _without(content) != content


def _without(content: bytes) -> bytes:
    return _EXPORT.sub("", content.decode(errors="surrogateescape")).encode(errors="surrogateescape")
