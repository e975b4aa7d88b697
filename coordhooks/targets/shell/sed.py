"""A sed script read far enough to know the files that it writes (``w``) and whether it runs programs (``e``)."""

SPACE = " \t\r\n;{}"
TEXT_COMMANDS, FILE_COMMANDS, LABEL_COMMANDS = "aic", "rRwW", "btT:"
BARE_COMMANDS = "dDgGhHnNpPxqQlLzF=!0123456789,$~+ "
FLAGS = "gpiImM0123456789"


def written(script: str) -> list[str] | None:
    """The files that the script writes; ``None`` if that can't be told."""
    found: list[str] = []
    at = 0
    while at < len(script):
        char = script[at]
        if char in SPACE or char in BARE_COMMANDS:
            at += 1
        elif char == "#" or char in LABEL_COMMANDS:
            at = _end_of(script, at, "\n" if char == "#" else "\n;}")
        elif char in "/\\":
            at = _address(script, at)
        elif char in "sy":
            at, name = _substitution(script, at, char)
            if name is None:
                return None
            found += [name] if name else []
        elif char in TEXT_COMMANDS:
            at = _text(script, at + 1)
        elif char in FILE_COMMANDS:
            end = _end_of(script, at, "\n")
            if char in "wW":
                found.append(script[at + 1 : end].strip())
            at = end
        elif char == "v":
            at = _end_of(script, at, "\n;")
        else:
            return None
    return [name for name in found if name]


def _end_of(script: str, at: int, ends: str) -> int:
    while at < len(script) and script[at] not in ends:
        at += 1
    return at


def _delimited(script: str, at: int, mark: str) -> int:
    """Where the part that starts at ``at`` is closed by ``mark``; what follows it."""
    while at < len(script) and script[at] != mark:
        at += 2 if script[at] == "\\" else 1
    return at + 1


def _address(script: str, at: int) -> int:
    if script[at] == "\\":
        mark, at = script[at + 1 : at + 2] or "/", at + 2
    else:
        mark, at = "/", at + 1
    at = _delimited(script, at, mark)
    while at < len(script) and script[at] in "IM":
        at += 1
    return at


def _substitution(script: str, at: int, kind: str) -> tuple[int, str | None]:
    """``s/a/b/flags``: where it ends, and the file of its ``w`` (empty: none; ``None``: it runs a program)."""
    mark = script[at + 1 : at + 2]
    at = _delimited(script, _delimited(script, at + 2, mark), mark)
    while kind == "s" and at < len(script) and script[at] not in SPACE:
        if script[at] == "w":
            end = _end_of(script, at, "\n")
            return end, script[at + 1 : end].strip()
        if script[at] not in FLAGS:
            return at, None
        at += 1
    return at, ""


def _text(script: str, at: int) -> int:
    """The text of ``a``, ``i`` and ``c``: to the end of the line, and on where a backslash ends it."""
    while at < len(script) and script[at] != "\n":
        at += 2 if script[at] == "\\" else 1
    return at
