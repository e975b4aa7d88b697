"""What we want in whose file: one wish for each harness."""

from typing import Any

from coordhooks.errors import InstallError
from coordhooks.install import claude_code, codex, manifest
from coordhooks.install.places import Places
from coordhooks.install.plan import Wish

HARNESSES = {claude_code.NAME: claude_code, codex.NAME: codex}
SCOPES = ("user", "project")


def all_of(places: Places, scope: str, *, allow: bool = False) -> list[Wish]:
    """The wishes of a scope; ``allow`` adds the rules that let agents run ``coord``. Raises ``InstallError``."""
    if scope not in SCOPES:
        raise InstallError(f"unknown scope {scope!r}: use one of {', '.join(SCOPES)}")
    try:
        (places.python + places.claude_config).encode()
    except UnicodeEncodeError:
        raise InstallError(f"{places.data!r} is not UTF-8, so no JSON file can name it") from None
    return [_wish(places, harness, scope, allow) for harness in HARNESSES.values()]


def recorded(places: Places, real: str, record: manifest.Record) -> Wish:
    """The wish that a file on record was changed for."""
    wish = _wish(places, HARNESSES.get(record.harness, claude_code), "user", False)
    wish.path = real
    return wish


def snippet(harness: str, places: Places | None = None) -> str:
    """The entries for the hooks file of a harness, one of ``HARNESSES``, as JSON text to paste by hand."""
    return _wish(places or Places.here(), HARNESSES[harness], "user", False).snippet()


def _wish(places: Places, harness: Any, scope: str, allow: bool) -> Wish:
    path = harness.settings_path(places, project=scope == "project")
    rules = harness.ALLOW_RULES if allow else ()
    return Wish(path, harness.NAME, harness.TITLE, harness.groups(places.python, places.root), rules)
