"""The doctor's findings on a screen: what is to be done comes first, what is in order last."""

import shutil
import sys
import textwrap

import click

from coordhooks import quoting
from coordhooks.cli.checks.finding import Finding
from coordhooks.cli.checks.settings import SWITCHED_OFF

# Which findings, under which heading, in which colour.
SECTIONS: tuple[tuple[bool | None, str, str], ...] = (
    (False, "TO DO", "red"),
    (None, "TO KNOW", "yellow"),
    (True, "IN ORDER", "green"),
)
INDENT = 15  # columns: the names of checks, and a space
UNBOUNDED = 1 << 20  # columns, where no terminal reads it
NARROWEST = 50
GLUE = "\N{NO-BREAK SPACE}"
MAX_TEXT = 2000


def text(findings: list[Finding]) -> str:
    """The whole screen, with the colours of a terminal."""
    width = max(NARROWEST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else UNBOUNDED
    parts = [_verdict(findings)]
    for ok, heading, colour in SECTIONS:
        if some := [finding for finding in findings if finding.ok is ok]:
            parts.append("\n".join([click.style(heading, fg=colour, bold=True), *_rows(some, width)]))
    return "\n\n".join(parts)


def _verdict(findings: list[Finding]) -> str:
    count = sum(finding.ok is False for finding in findings)
    if not count:
        off = any(finding.check == SWITCHED_OFF for finding in findings)
        says = "coordhooks is healthy, and guards NOTHING in this project: its settings say enabled = false."
        return click.style(says if off else "coordhooks is healthy.", bold=True)
    return click.style(f"coordhooks: {count} thing{'s' if count > 1 else ''} to do.", fg="red", bold=True)


def _rows(findings: list[Finding], width: int) -> list[str]:
    rows, before = [], ""
    for finding in findings:
        name = finding.check if finding.check != before else ""
        before = finding.check
        rows += _row(name, finding, width)
    return rows


def _row(name: str, finding: Finding, width: int) -> list[str]:
    """One finding: what, where and what to do. Where nothing is to be done, the file is part of the sentence."""
    short = finding.ok is True and bool(finding.file)
    said = f"{finding.says} ({finding.file})" if short else finding.says
    lines = _wrapped(said, width, f"  {name}".ljust(INDENT))
    if finding.file and not short:
        lines += _wrapped(f"in {finding.file}", width)
    if finding.remedy:
        lines += [click.style(line, bold=True) for line in _wrapped(f"-> {finding.remedy}", width)]
    return lines


def _wrapped(said: str, width: int, first: str = " " * INDENT) -> list[str]:
    """Lines that leave paths and commands whole, so that they can be copied."""
    pieces = quoting.line(said, MAX_TEXT).split("`")
    glued = "`".join(piece.replace(" ", GLUE) if i % 2 else piece for i, piece in enumerate(pieces))
    lines = textwrap.wrap(
        glued, width - 1, initial_indent=first, subsequent_indent=" " * INDENT, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
    return [line.replace(GLUE, " ") for line in lines]
