"""What commands say on standard output, as far as another command's operands depend on it."""

# ruff: noqa: ARG001 - all programs have one signature

from coordhooks.targets.shell.places import absolute
from coordhooks.targets.shell.rules import Args
from coordhooks.targets.shell.scope import EMPTY, UNKNOWN, Scope, Stream, Word
from coordhooks.targets.shell.strings import ansi_c

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.targets.shell.walk import Shell

QUIET = (
    "true", "false", ":", "test", "[", "touch", "truncate", "rm", "rmdir", "mkdir", "unlink", "sleep", "kill", "chmod",
    "chown", "chgrp", "sync", "wait", "unset", "umask", "ulimit", "hash",
)  # fmt: skip
PLAIN = ("date", "nproc", "wc", "uname", "whoami", "hostname", "id", "expr", "md5sum", "sha256sum")
# Filters through which names of files pass: what comes out is a part of what went in.
FILTERS = ("grep", "egrep", "fgrep", "head", "tail", "sort", "uniq", "tac", "shuf")
MAX_TEXT = 100_000


def of(shell: "Shell", argv: list[Word], found: Args, scope: Scope) -> Stream:
    """The output of a program that the table knows."""
    name = argv[0].text or ""
    if name in QUIET:
        return EMPTY
    if name in PLAIN:
        return Stream(plain=True)
    if name in FILTERS:
        return _filtered(argv, found, scope)
    teller = TELLERS.get(name)
    return teller(found, scope, argv) if teller else UNKNOWN


def _filtered(argv: list[Word], found: Args, scope: Scope) -> Stream:
    if "grep" in (argv[0].text or "") and found.has(
        "-l", "-L", "--files-with-matches", "--files-without-match"
    ):
        return names_below(argv, scope, ("-l", "-L"))
    if scope.stdin.roots:
        return Stream(None, scope.stdin.roots)
    return UNKNOWN


def names_below(argv: list[Word], scope: Scope, listing: tuple[str, ...]) -> Stream:
    """Names of files below the operands behind the first, or below the directory reached."""
    if not any(
        word.head in listing or (word.head[:1] == "-" and word.head[:2] != "--" and "l" in word.head)
        for word in argv
    ):
        return UNKNOWN
    operands = [word for word in argv[1:] if not word.is_option]
    first = (
        0 if any(word.head in ("-e", "--files") or word.head.startswith("--regexp") for word in argv) else 1
    )
    folders = [absolute(word, scope) for word in operands[first:]] or [scope.cwd]
    return Stream(None, tuple(folder for folder in folders if folder)) if all(folders) else UNKNOWN


def _echo(found: Args, scope: Scope, argv: list[Word]) -> Stream:
    words, end, escapes = argv[1:], "\n", False
    while words and words[0].text in ("-n", "-e", "-E", "-ne", "-en"):
        end = "" if "n" in (words[0].text or "") else end
        escapes = escapes or "e" in (words[0].text or "")
        words = words[1:]
    texts = [word.text for word in words]
    if len(words) == 1 and words[0].roots:
        return Stream(None, words[0].roots)
    if None in texts:
        return Stream(plain=all(word.plain for word in words if word.text is None) and len(words) == 1)
    text = " ".join(text or "" for text in texts)
    return Stream((ansi_c(text) if escapes else text) + end)


def printf(words: list[Word]) -> Stream:
    """``printf`` with ``%s`` and ``%d`` only."""
    words = words[1:] if words and words[0].text == "--" else words
    texts = [word.text for word in words]
    if len(words) == 2 and words[1].roots and (words[0].text or "").startswith("%s"):
        return Stream(None, words[1].roots)
    if not words or None in texts:
        return UNKNOWN
    form, args = (
        ansi_c((texts[0] or "").replace("\\0", "\\x00")) if "\\0" not in (texts[0] or "") else texts[0] or "",
        texts[1:],
    )
    parts = form.replace("%d", "%s").replace("%q", "%s").replace("%%", "\0").split("%s")
    if any("%" in part for part in parts):
        return UNKNOWN
    found = ""
    while True:
        found += parts[0] + "".join(f"{args.pop(0) if args else ''}{part}" for part in parts[1:])
        if not args or len(parts) == 1 or len(found) > MAX_TEXT:
            break
    text = found.replace("\0", "%")
    return Stream(text.replace("\\0", "\0"))


def _cat(found: Args, scope: Scope, argv: list[Word]) -> Stream:
    if not found.operands or all(word.text == "-" for word in found.operands):
        return scope.stdin
    streams = [word.stream for word in found.operands]
    return streams[0] or UNKNOWN if len(streams) == 1 else UNKNOWN


def _pwd(found: Args, scope: Scope, argv: list[Word]) -> Stream:
    return Stream(f"{scope.cwd}\n") if scope.cwd is not None and not found.has("-P") else UNKNOWN


def _basename(found: Args, scope: Scope, argv: list[Word]) -> Stream:
    texts = [word.text for word in argv[1:]]
    if not texts or texts[0] is None or texts[0].startswith("-") or len(texts) > 2 or None in texts:
        return Stream(plain=True)
    name = texts[0].rstrip("/").rpartition("/")[2]
    suffix = texts[1] if len(texts) == 2 else ""
    return Stream((name.removesuffix(suffix or "") or name) + "\n")


def _dirname(found: Args, scope: Scope, argv: list[Word]) -> Stream:
    if len(found.operands) != 1 or found.operands[0].text is None or found.options:
        return UNKNOWN
    text = found.operands[0].text.rstrip("/")
    return Stream((text.rpartition("/")[0] or ("/" if text.startswith("/") else ".")) + "\n")


def _realpath(found: Args, scope: Scope, argv: list[Word]) -> Stream:
    path = absolute(found.operands[0], scope) if len(found.operands) == 1 else None
    if path is None or any(option.startswith("--rel") for option, _ in found.options):
        return UNKNOWN
    return Stream(f"{path}\n")  # links in it are resolved where the target is


def _seq(found: Args, scope: Scope, argv: list[Word]) -> Stream:
    try:
        values = [int(word.text or "") for word in argv[1:]]
    except ValueError:
        return UNKNOWN
    if not 1 <= len(values) <= 3:
        return UNKNOWN
    first, step, last = values[0] if len(values) > 1 else 1, values[1] if len(values) > 2 else 1, values[-1]
    if not step or abs(last - first) // abs(step) > 1000:
        return UNKNOWN
    return Stream("".join(f"{number}\n" for number in range(first, last + (1 if step > 0 else -1), step)))


def _ls(found: Args, scope: Scope, argv: list[Word]) -> Stream:
    """Names: the operands themselves if they are files, else what lies in the folders."""
    if found.has("-l", "-R", "-C", "-m", "-x", "-i", "-s"):
        return UNKNOWN
    folders = [absolute(word, scope) for word in found.operands] or [scope.cwd]
    roots = tuple(folder for folder in folders if folder)
    return Stream(None, roots if found.operands else (scope.cwd,)) if roots and scope.cwd else UNKNOWN


TELLERS = {
    "echo": _echo,
    "cat": _cat,
    "pwd": _pwd,
    "basename": _basename,
    "dirname": _dirname,
    "realpath": _realpath,
    "readlink": _realpath,
    "seq": _seq,
    "ls": _ls,
}
