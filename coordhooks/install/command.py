"""The command of a hook entry: how it starts us, and how we know it again."""

import os
import re
import shlex
from typing import Any

MARK = "coordhooks"

# Constant texts without quotes, so that they fit in the script and in JSON as they are.
_GONE = (
    "coordhooks is not where its hooks expect it, so NOTHING guards writes now."
    " Run install.sh again to repair it, or install.sh --uninstall to remove the hooks."
)
_NO_PYTHON = (
    "coordhooks found no Python 3.11 or newer, so NOTHING guards writes now."
    " Install one, then run install.sh again; or remove the hooks: install.sh --uninstall."
)

# What Python runs. Arguments: the folder that holds the package, the warning, then those of coordhooks.hook.
# What can't be imported is a half removed installation: warn and let the call pass, for a failure here would
# block every write, that of the repair included. Later failures belong to coordhooks.hook.main.
# `exec` only because a `try` does not fit in one line.
_BOOT = (
    "import sys; r, m = sys.argv[1:3]; del sys.argv[1:3]; sys.path.insert(0, r); "
    r'exec("try: from coordhooks.hook import main\nexcept Exception: main = lambda: print(m)"); '
    "sys.exit(main())"
)

# What sh runs, one line in the end. $1 is the pinned interpreter, $2 the folder that holds the package.
# Nothing here reads stdin or needs a PATH, and the usual case starts no process: sh becomes Python.
# -I -S: nothing of the project, the environment or site-packages is imported; -B: nothing is written.
_LINES = (
    "p=$1 r=$2; shift 2;",
    f"""m='{{"systemMessage": "{_GONE}"}}' n='{{"systemMessage": "{_NO_PYTHON}"}}';""",
    f"b='{_BOOT}';",
    # However this ends without becoming Python, an `exec` that fails included: warn, never lock the user out.
    # bash leaves a failed exec without the trap, unless told to go on; other shells don't know `shopt`.
    """trap 'printf "%s\\n" "$m"; exit 0' 0; shopt -s execfail 2>/dev/null;""",
    """[ -f "$r/coordhooks/hook.py" ] || exit 0;""",
    """[ -x "$p" ] && exec "$p" -I -S -B -c "$b" "$r" "$m" "$@";""",
    # The interpreter was upgraded away: any other will do, the hot path needs the standard library only.
    # /usr/bin comes after its like because on a bare macOS python3 there opens a dialog.
    "for p in python3 /opt/homebrew/bin/python3 /usr/local/bin/python3 /usr/bin/python3",
    "python3.14 python3.13 python3.12 python3.11;",
    # Stubs, shims and old ones show only when run; </dev/null keeps the payload for ours.
    """do "$p" -I -S -c 'import sys; sys.exit(sys.version_info < (3, 11))' </dev/null >/dev/null 2>&1""",
    """&& exec "$p" -I -S -B -c "$b" "$r" "$m" "$@"; done;""",
    "m=$n",
)
SCRIPT = " ".join(_LINES)


def handler(python: str, root: str, *arguments: str) -> dict[str, Any]:
    """The part of a hook entry that says what to run, in exec form: /bin/sh is always there."""
    return {"type": "command", "command": "/bin/sh", "args": ["-c", SCRIPT, MARK, python, root, *arguments]}


def is_ours(entry: object) -> bool:
    """Whether a hook entry was written by us, in this layout or an older one.

    What is run decides, so an entry of somebody else that mentions our name is not ours.
    """
    return _is_current(entry) or _is_old(entry)


def tool_class(entry: object) -> str | None:
    """The ``--class`` argument of an entry of the current layout."""
    arguments = entry["args"] if _is_current(entry) and isinstance(entry, dict) else []
    return arguments[arguments.index("--class") + 1] if "--class" in arguments[:-1] else None


def _is_current(entry: object) -> bool:
    if not isinstance(entry, dict) or not isinstance(entry.get("args"), list):
        return False
    arguments = entry["args"]
    shell = os.path.basename(str(entry.get("command", "")))
    return shell == "sh" and arguments[:1] == ["-c"] and arguments[2:3] == [MARK] and "--harness" in arguments


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
        words = [*shlex.split(entry["command"]), *(arguments if isinstance(arguments, list) else [])]
    except ValueError:  # an unclosed quote: not a command of ours
        return False
    return _program(words) is not None


def _program(words: list[object]) -> str | None:
    """The program of ours that a command line runs, past interpreters, their options and assignments."""
    module = False
    for word in words:
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
