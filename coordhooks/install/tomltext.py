"""Small edits of a TOML text that leave everybody else's bytes alone: tables of one key, added and taken out.

Every result is read back and compared with what was wanted; where the text is written in another way than ours
(inline tables, dotted keys), the answer is ``None`` and nothing is changed.
"""

import json
import re
import tomllib
from typing import Any

Path = tuple[str, ...]
HEADER = re.compile(r"[ \t]*\[")
# Without a comment.
BARE_HEADER = re.compile(r"""[ \t]*\[(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'\]#])*\][ \t]*\r?""")


def put(text: str, path: Path, values: dict[str, str], name: str) -> str | None:
    """Set ``name = value`` in the table ``path.key`` of every key; a table that is missing goes last."""
    wanted = _loads(text)
    table = _dig(wanted, path)
    if table is None or any(_dig(table, (key,)) is None for key in values):
        return None
    result = text
    for key, value in values.items():
        line = f"{name} = {_quoted(value)}"
        found = _section(result, (*path, key))
        result = _append(result, (*path, key), line) if found is None else _set(result, found, name, line)
        table[key][name] = value
    return _checked(result, wanted)


def drop(text: str, path: Path, keys: list[str], name: str) -> str | None:
    """Take ``name`` out of the tables ``path.key`` that are there, and those tables that say nothing then."""
    wanted = _loads(text)
    tables = _dig(wanted, path) or {}
    result = text
    for key in [key for key in keys if name in _table(tables.get(key))]:
        found = _section(result, (*path, key))
        if found is None:
            return None
        del tables[key][name]
        result = _cut(result, found, name, whole=not tables[key])
    return _checked(result, wanted)


def drop_tables(text: str, path: Path, keys: list[str]) -> str | None:
    """Take out the tables ``path.key`` that are there, with all that they say."""
    wanted = _loads(text)
    tables = _dig(wanted, path) or {}
    result = text
    for key in set(keys) & set(tables):
        found = _section(result, (*path, key))
        if found is None:
            return None
        del tables[key]
        result = _join(result[: found[0]], result[found[1] :])
    return _checked(result, wanted)


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _cut(text: str, found: tuple[int, int], name: str, *, whole: bool) -> str:
    """Without the line of a name and, if ``whole``, the header; what its writer has noted there stays."""
    start, end = found
    head, newline, rest = text[start:end].partition("\n")
    rest = re.sub(rf"(?m)^[ \t]*{name}[ \t]*=.*(\n|\Z)", "", rest, count=1)
    if whole and not rest.strip() and BARE_HEADER.fullmatch(head):
        return _join(text[:start], text[end:])
    return text[:start] + ("" if whole else head + newline) + rest + text[end:]


def _join(before: str, after: str) -> str:
    # The line end that we put before a table goes with it; before another one the empty line that follows does.
    return (before if after else re.sub(r"\r?\n\Z", "", before)) + after


def _checked(text: str, wanted: dict[str, Any]) -> str | None:
    """The text, if it says what was wanted and nothing else."""
    try:
        return text if _without_empty(_loads(text)) == _without_empty(wanted) else None
    except tomllib.TOMLDecodeError:
        return None


def _loads(text: str) -> dict[str, Any]:
    """What the text says, numbers as they are written: what is not a number does not equal itself."""
    return tomllib.loads(text, parse_float=str)


def _without_empty(value: Any) -> Any:
    """An empty table says nothing."""
    if not isinstance(value, dict):
        return value
    inner = {key: _without_empty(item) for key, item in value.items()}
    return {key: item for key, item in inner.items() if item != {}}


def _dig(value: dict[str, Any], path: Path) -> dict[str, Any] | None:
    for key in path:
        value = value.setdefault(key, {})
        if not isinstance(value, dict):
            return None
    return value


def _section(text: str, path: Path) -> tuple[int, int] | None:
    """Where a table stands, from its header to the next one; ``None`` if no header of that name is found."""
    start, at = None, 0
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):  # a line of TOML ends with nothing else
        if HEADER.match(line):
            if start is not None:
                return start, at
            if _header(line) == path:
                start = at
        at += len(line)
    return None if start is None else (start, at)


def _header(line: str) -> Path:
    """The name in a line like a table's header; empty if it is another thing."""
    try:
        value = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return ()
    path: list[str] = []
    while isinstance(value, dict) and len(value) == 1:
        ((key, value),) = value.items()
        path.append(key)
    return tuple(path)


def _append(text: str, path: Path, line: str) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    # One line end, whether it ends the last line or leaves an empty one: taking it back restores the text.
    gap = end if text else ""
    header = ".".join(key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _quoted(key) for key in path)
    return f"{text}{gap}[{header}]{end}{line}{end}"


def _set(text: str, found: tuple[int, int], name: str, line: str) -> str:
    """Replace the value of a name in a table, or put it right below the header."""
    start, end = found
    head, newline, rest = text[start:end].partition("\n")
    line_end = "\r\n" if head.endswith("\r") else "\n"
    body, count = re.subn(rf"(?m)^[ \t]*{name}[ \t]*=.*?(?=\r?$)", lambda _: line, rest, count=1)
    return (
        text[:start] + head + (newline or "\n") + (body if count else f"{line}{line_end}{rest}") + text[end:]
    )


def _quoted(value: str) -> str:
    """A basic string of TOML: what JSON escapes, it escapes alike (and DEL besides)."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
