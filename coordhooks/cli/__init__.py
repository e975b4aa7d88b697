"""The ``coord`` command, for agents (from their shell tool) and for people: one noun a file.

``click`` is all that a call loads at first; each noun, and ``rich`` for a terminal, comes only when it is used.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns its exit code: 0 done, 1 refused or not found, 2 wrong use, 3 still held."""
    from coordhooks.cli.group import coord, run

    return run(coord, arguments)
