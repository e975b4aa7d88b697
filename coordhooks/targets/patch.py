"""The patch grammar of Codex's ``apply_patch``: which files a patch names, and what it does to each.

Header lines are trimmed (CRLF too). A line of content that looks like a header is content: added lines start with
``+``, and inside of an update every line that starts with a space, ``+`` or ``-`` belongs to the file.
"""

ADD, UPDATE, DELETE, MOVE = "add", "update", "delete", "move"

HEADERS = {"*** Add File: ": ADD, "*** Update File: ": UPDATE, "*** Delete File: ": DELETE}
MOVE_TO = "*** Move to: "
BEGIN, END = "*** Begin Patch", "*** End Patch"


class Header:
    """One file of a patch. ``action`` is ``ADD``, ``UPDATE``, ``DELETE`` or ``MOVE`` (the new name of an update)."""

    __slots__ = ("action", "path")

    def __init__(self, action: str, path: str) -> None:
        self.action = action
        self.path = path


def headers(text: str) -> list[Header]:
    """Every file that the patch names, in order. Text outside of a patch names none."""
    found: list[Header] = []
    inside, after_update = False, False
    for line in text.split("\n"):
        bare = line.strip()
        if not inside:
            inside = bare == BEGIN
            continue
        if _is_content(line, found):
            after_update = False
            continue
        if bare == END:
            inside = False
            continue
        if after_update and bare.startswith(MOVE_TO):
            found.append(Header(MOVE, bare.removeprefix(MOVE_TO).strip()))
            after_update = False
            continue
        action = next((each for each in HEADERS if bare.startswith(each)), "")
        if action:
            found.append(Header(HEADERS[action], bare.removeprefix(action).strip()))
            after_update = HEADERS[action] == UPDATE
    return [header for header in found if header.path]


def _is_content(line: str, found: list[Header]) -> bool:
    """Does the line belong to the file whose header came last?"""
    if not found:
        return False
    if found[-1].action == ADD:
        return line.startswith("+")
    if found[-1].action == DELETE:
        return False
    if line.lstrip().startswith(MOVE_TO) and found[-1].action == UPDATE and not line.startswith(("+", "-")):
        return False
    return line.startswith((" ", "+", "-"))
