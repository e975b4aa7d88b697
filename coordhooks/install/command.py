"""The command of a hook entry: how it starts us, and how we know it again."""

import os
import re
import shlex
from typing import Any

MARK = "coordhooks"

# A constant text without quotes, so that it fits in the script and in JSON as it is. Short and calm, because Claude
# Code repeats the whole command to the model whenever a hook holds a stop.
_GONE = "coordhooks: program not found, so NOTHING guards writes; install.sh repairs or removes it"

# What sh runs, one line in the end; the rest is in hooks/launch.sh. $1 is the pinned interpreter, $2 the folder that holds the package.
_LINES = (
    f"""m='{{"systemMessage": "{_GONE}"}}';""",
    # However this ends without becoming Python: warn, never lock the user out.
    # bash leaves a failed exec without the trap, unless told to go on; other shells don't know `shopt`.
    """trap 'printf "%s\\n" "$m"; exit 0' 0; shopt -s execfail 2>/dev/null;""",
    # The rest is in a file that an upgrade replaces: of an installed package, else of a checkout.
    """for l in "$2/coordhooks/_hooks" "$2/hooks"; do [ -f "$l/launch.sh" ] && . "$l/launch.sh"; done""",
)
SCRIPT = " ".join(_LINES)


def handler(python: str, root: str, *arguments: str) -> dict[str, Any]:
    """The part of a hook entry that says what to run, in exec form: /bin/sh is always there."""
    return {"type": "command", "command": "/bin/sh", "args": ["-c", SCRIPT, MARK, python, root, *arguments]}


def one_string(python: str, root: str, *arguments: str) -> dict[str, Any]:
    """The same for a harness that hands one string to the user's shell, whichever that is."""
    entry = handler(python, root, *arguments)
    return {"type": "command", "command": shlex.join([entry["command"], *entry["args"]])}


def is_ours(entry: object) -> bool:
    """Whether a hook entry was written by us, in this layout or an older one.

    What is run decides, so an entry of somebody else that mentions our name is not ours.
    """
    return _is_current(entry) or _is_old(entry)


def tool_class(entry: object) -> str | None:
    """The ``--class`` argument of an entry of the current layout."""
    arguments = words(entry) if _is_current(entry) else []
    return arguments[arguments.index("--class") + 1] if "--class" in arguments[:-1] else None


def words(entry: object) -> list[Any]:
    """The command of an entry as a list of words, in exec form or as one string; empty if it has none."""
    if not isinstance(entry, dict) or not isinstance(entry.get("command"), str):
        return []
    if isinstance(entry.get("args"), list):
        return [entry["command"], *entry["args"]]
    try:
        return shlex.split(entry["command"])
    except ValueError:  # an unclosed quote: not a command of ours
        return []


def program(entry: object) -> tuple[str, str] | None:
    """The interpreter that an entry pins, and the folder that holds the package; None in an older layout."""
    found = words(entry)
    return (str(found[4]), str(found[5])) if _is_current(entry) else None


def _is_current(entry: object) -> bool:
    found = words(entry)
    shell = os.path.basename(str(found[0])) if found else ""
    return shell == "sh" and found[1:2] == ["-c"] and found[3:4] == [MARK] and "--harness" in found[6:]


_INTERPRETER = re.compile(r"(python[\d.]*|sh|bash|dash|zsh|env|exec|uv|uvx|pipx|run)")
_OLD_PROGRAM = re.compile(
    r"(^|/)coordhooks$"
    r"|(^|/)coordhooks([-_][\w-]+)?(\.py|\.sh)$"  # ~/.claude/hooks/coordhooks_pre_tool_use.py
    r"|(^|/)coordhooks/hook\.py$"
    r"|(^|/)coordhooks/hooks/[\w-]+(\.py|\.sh)?$"
)


def _is_old(entry: object) -> bool:
    if not isinstance(entry, dict) or not isinstance(entry.get("command"), str):
        return False
    arguments = entry.get("args", [])
    try:
        line = [*shlex.split(entry["command"]), *(arguments if isinstance(arguments, list) else [])]
    except ValueError:  # an unclosed quote: not a command of ours
        return False
    return _program(line) is not None


def _program(line: list[object]) -> str | None:
    """The program of ours that a command line runs, past interpreters, their options and assignments."""
    module = False
    for word in line:
        if not isinstance(word, str):
            return None
        if module:
            return word if word.split(".")[0] == MARK else None
        if word == "-m":
            module = True
        elif not (
            word.startswith("-") or _INTERPRETER.fullmatch(os.path.basename(word)) or _is_assignment(word)
        ):
            return word if _OLD_PROGRAM.search(word) else None
    return None


def _is_assignment(word: str) -> bool:
    return re.match(r"[A-Za-z_]\w*=", word) is not None
