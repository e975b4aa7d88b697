"""Which files a unified diff (of ``diff -u`` or ``git diff``) names. Lines of its hunks are counted, not guessed."""

NOBODY = "/dev/null"
RENAMES = ("rename from ", "rename to ", "copy to ")


def names(text: str, strip: int | None) -> list[str] | None:
    """The files, ``strip`` leading folders taken off (``None``: all). ``None`` if the text is no such diff."""
    found: list[str] = []
    left = 0  # lines that the hunk still has
    lines = text.split("\n")
    for line in lines:
        if left > 0:
            left -= _weight(line)
        elif line.startswith("@@ "):
            left = _hunk(line)
        elif line.startswith(("--- ", "+++ ")):
            _add(found, line[4:].split("\t")[0].strip(), strip)
        elif line.startswith(RENAMES):
            _add(found, "x/" * (strip or 0) + line.partition(" ")[2].partition(" ")[2].strip(), strip)
        elif line.startswith(("*** ", "diff --git ")) and "Binary" in text:
            return None
        if line.startswith(("***************", "GIT binary patch")):
            return None  # another format
    return found or None


def _add(found: list[str], name: str, strip: int | None) -> None:
    if name == NOBODY or not name:
        return
    parts = name.split("/")
    name = parts[-1] if strip is None else "/".join(parts[strip:])
    if name and name not in found:
        found.append(name)


def _hunk(line: str) -> int:
    """Old and new lines that ``@@ -1,2 +3,4 @@`` promises, added up."""
    total = 0
    for part in line.split("@@")[1].split():
        count = part.partition(",")[2]
        total += int(count) if count.isdecimal() and len(count) < 8 else 1
    return total


def _weight(line: str) -> int:
    """A line of context is in both files."""
    return {"+": 1, "-": 1, "\\": 0}.get(line[:1], 2)
