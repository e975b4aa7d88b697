"""Output: tables for people, plain aligned text where no terminal reads it, JSON for programs."""

import sys
import time
from collections.abc import Sequence

from coordhooks import quoting
from coordhooks.fastjson import dumps

CELL = 400  # characters; longer ones are cut with an ellipsis
MINUTE, HOUR, DAY = 60, 3600, 86400
Cells = Sequence[Sequence[object]]


def say(text: str) -> None:
    """Plain text that is ours and other people's mixed: no control character gets out."""
    write(quoting.clean(text) + "\n")


def write(text: str) -> None:
    """Write out whole, before anything is marked as shown. Raises ``BrokenPipeError`` where nobody reads."""
    sys.stdout.write(text)
    sys.stdout.flush()


def as_json(value: object) -> None:
    write(dumps(value) + "\n")


def table(headers: Sequence[str], rows: Cells, *, empty: str = "") -> None:
    """One row a line. At a terminal ``rich`` draws it; elsewhere it is the same for every width."""
    if not rows:
        if empty:
            say(empty)
    elif sys.stdout.isatty():
        _drawn(headers, rows)
    else:
        write(text_table(headers, rows))


def text_table(headers: Sequence[str], rows: Cells) -> str:
    """Columns aligned with two spaces between, nothing cut to a width, no colour; ends with a line break."""
    lines = [[quoting.line(str(cell), CELL) for cell in row] for row in [headers, *rows]]
    widths = [max(len(line[i]) for line in lines) for i in range(len(headers))]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() + "\n"
        for line in lines
    )


def _drawn(headers: Sequence[str], rows: Cells) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, pad_edge=False, header_style="bold")
    for header in headers:
        drawn.add_column(header, overflow="fold")
    for row in rows:
        drawn.add_row(*[Text(quoting.line(str(cell), CELL)) for cell in row])  # Text: no markup is read
    Console(highlight=False, markup=False).print(drawn)


def clock(at: float | None, now: float) -> str:
    """A time as people say it: the hour today, else with its date."""
    if at is None:
        return ""
    near = abs(at - now) < DAY / 2
    return time.strftime("%H:%M" if near else "%Y-%m-%d %H:%M", time.localtime(at))


def span(seconds: float) -> str:
    """A duration in its largest unit: ``45 s``, ``12 min``, ``3 h``, ``2 d``."""
    for unit, size in (("d", DAY), ("h", HOUR), ("min", MINUTE)):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{max(0, int(seconds))} s"
