"""The grammar of apply_patch: which files a patch names.

As Codex 0.171.0 reads it: a header fills a line, blanks around it do not count, and no line that begins like
content (``+`` in an added file; ``+``, ``-``, a blank, ``@@`` or nothing in an updated one) is a header. Whether the
patch would apply is not judged.
"""

ADD, DELETE, UPDATE = "*** Add File: ", "*** Delete File: ", "*** Update File: "
MOVE = "*** Move to: "

# What a line of content begins with, below each header.
CONTENT = {ADD: ("+",), UPDATE: ("+", "-", " ", "@@"), DELETE: ()}

Named = tuple[str, bool]  # the path as it is spelled, and whether the write follows a link of that name


def named(text: str) -> list[Named]:
    """Every file that a patch adds, updates, deletes or moves, both ends of a move included, in order."""
    found: list[Named] = []
    content: tuple[str, ...] = ()
    lines = text.split("\n")  # not `splitlines`, which knows more line ends than Codex
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if content and line.startswith(content):
            continue
        header = next((header for header in CONTENT if line.strip().startswith(header)), "")
        if not header:
            continue
        content = CONTENT[header]
        moved = header == UPDATE and following.strip().startswith(MOVE)
        # A removed name is only a name: where it is a link, the file behind it stays.
        found += _spelled(line, header, follow=header != DELETE and not moved)
        if moved:
            found += _spelled(following, MOVE, follow=True)
    return found


def _spelled(line: str, header: str, *, follow: bool) -> list[Named]:
    """The name after a header. Codex takes more blanks before it as part of the name, other programs do not."""
    name = line.strip().removeprefix(header)
    return [(spelled, follow) for spelled in dict.fromkeys((name, name.strip())) if spelled]
