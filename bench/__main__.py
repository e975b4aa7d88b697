"""Runs every benchmark beside this file, or those named; with ``--write`` also into docs/benchmarks.md.

    python -m bench [--write] [NAME ...]

A benchmark is a module with a ``main()`` that prints a section in Markdown, which takes the place of that section in
the page. Those in ``ASKED_FOR`` use the network and run only when they are named.
"""

import contextlib
import importlib
import io
import sys
from pathlib import Path

HERE = Path(__file__).parent
ASKED_FOR = ("peers",)
PAGE = HERE.parent / "docs" / "benchmarks.md"
HEAD = "# Benchmarks\n\nWritten by `python -m bench --write`. Ratios, not milliseconds, compare between machines.\n"


def main(words: list[str]) -> None:
    found = sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_"))
    named = [word for word in words if not word.startswith("-")]
    wanted = named or [name for name in found if name not in ASKED_FOR]
    unknown = sorted(set(wanted) - set(found))
    if unknown:
        sys.exit(f"no benchmark {', '.join(unknown)}: there are {', '.join(found)}")
    said = [section(name) for name in wanted]
    if "--write" in words:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(
            page(PAGE.read_text(encoding="utf-8") if PAGE.exists() else "", said), encoding="utf-8"
        )


def page(before: str, said: list[str]) -> str:
    """The page with the sections that were measured now in the place of those of the same title."""
    sections: dict[str, str] = {}
    for text in (*before.split("\n## ")[1:], *(text.removeprefix("## ") for text in said)):
        sections[text.partition("\n")[0]] = text.strip()
    return "\n".join([HEAD, *(f"## {sections[title]}\n" for title in sorted(sections))])


def section(name: str) -> str:
    """Run one benchmark; what it printed, printed again."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        importlib.import_module(f"bench.{name}").main()
    print(said.getvalue(), flush=True)
    return said.getvalue()


if __name__ == "__main__":
    main(sys.argv[1:])
