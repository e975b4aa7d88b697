"""What was changed, or would be: for the user to read."""

import difflib
import os
from dataclasses import dataclass, field

LINE = 100  # characters of a line in a diff: the command of a hook is several times as long

Told = tuple[list[str], list[str]]  # what was, or would be, done; what the user should know


@dataclass(slots=True)
class Report:
    """What was changed (or, in a dry run, would be), a line each, and what the user should know besides."""

    changes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    diff: str = ""

    def add(self, told: Told) -> None:
        self.changes += told[0]
        self.warnings += told[1]

    def __str__(self) -> str:
        lines = [*self.changes, *(f"note: {warning}" for warning in self.warnings)]
        return (f"{self.diff}\n" if self.diff else "") + "\n".join(lines or ["nothing to change"])


def named(path: str, real: str) -> str:
    """A file as its user knows it, and where it really is if that is elsewhere."""
    same = os.path.realpath(os.path.dirname(path)) == os.path.dirname(real)
    return path if same else f"{path} (a link to {real})"


def diff(path: str, before: bytes | None, after: bytes | None) -> str:
    """A unified diff to look at, with long lines cut."""
    source, result = (path if content is not None else "/dev/null" for content in (before, after))
    old, new = (
        (content or b"").decode(errors="replace").splitlines(keepends=True) for content in (before, after)
    )
    return "".join(map(_shown, difflib.unified_diff(old, new, source, result)))


def _shown(line: str) -> str:
    text = line.rstrip("\r\n")
    cut = text if len(text) <= LINE or text.startswith(("--- ", "+++ ")) else f"{text[:LINE]} [...]"
    return f"{cut}\n" if line.endswith("\n") else f"{cut}\n\\ No newline at end of file\n"
