"""Runs every benchmark beside this file, or those named; with ``--write`` also into docs/benchmarks.md.

    python -m bench [--write] [NAME ...]

A benchmark is a module with a ``main()`` that prints a section in Markdown.
"""

import contextlib
import importlib
import io
import sys
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
HEAD = "# Benchmarks\n\nWritten by `python -m bench --write`. Ratios, not milliseconds, compare between machines.\n"


def main(words: list[str]) -> None:
    found = sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_"))
    wanted = [word for word in words if not word.startswith("-")] or found
    unknown = sorted(set(wanted) - set(found))
    if unknown:
        sys.exit(f"no benchmark {', '.join(unknown)}: there are {', '.join(found)}")
    sections = [section(name) for name in wanted]
    if "--write" in words:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text("\n".join([HEAD, *sections]), encoding="utf-8")


def section(name: str) -> str:
    """Run one benchmark; what it printed, printed again."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        importlib.import_module(f"bench.{name}").main()
    print(said.getvalue(), flush=True)
    return said.getvalue()


if __name__ == "__main__":
    main(sys.argv[1:])
