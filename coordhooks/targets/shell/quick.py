"""A cheap look at a command before any grammar is loaded: does it plainly write nothing, or can nothing be told?

Only plain words, simple quotes and the separators between commands are understood here; anything else is left to the
parser. What is cleared here must be cleared by the parser too (a test holds that).
"""

from coordhooks.targets.shell.table import PROGRAMS, RUNNERS
from coordhooks.targets.shell.verdict import OWN_TESTS, Verdict

MAX_TEXT = 4000

# Anything of the shell's grammar beyond words: redirections, substitutions, groups, escapes, comments, history.
SPECIAL = "<>(){}\\`*?[]#!\r\0"
HARMLESS = (
    "2>/dev/null", ">/dev/null", "1>/dev/null", "&>/dev/null", "2>&1", ">&2", "1>&2", "</dev/null", "2>>/dev/null",
)  # fmt: skip
PLAIN_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
KEYWORDS = (
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "in", "function",
    "select", "time", "coproc", "{", "}", "[[", "]]", "!",
)  # fmt: skip

# Subcommands of git that write nothing, and letters of options of theirs that could.
GIT = (
    "status", "log", "diff", "show", "blame", "grep", "rev-parse", "ls-files", "ls-tree", "cat-file", "describe",
    "shortlog", "rev-list", "merge-base", "for-each-ref", "show-ref", "fetch", "branch", "tag", "remote", "reflog",
)  # fmt: skip
GIT_WRITING = ("--out", "--ext-diff", "-O", "--help")

# Lines of the table under which a command is cleared, or is known to be beyond telling.
TESTS = "tests="  # what operands begin with that make a difference
READS, OPAQUE, CHECKS = "reads", "opaque", "checks"
CHANGES_DIRECTORY = ("cd",)

# Programs with a function of their own that only read without options (or expansions) that begin like this.
ONLY_READ = {
    "find": ("-exec", "-ok", "-delete", "-fprint", "-fls"),
    "rg": ("--pre", "--hostname"),
    "printf": ("-v",),
}
UNTOLD = "what it writes can't be told"
TELLING = (["--help"], ["--version"], ["-h"], ["help"])


def look(command: str) -> Verdict | None:
    """The verdict, or ``None`` if only the grammar can say."""
    if len(command) > MAX_TEXT:
        return None
    commands = _split(command)
    if commands is None:
        return None
    verdict = Verdict()
    verdict.plain = True
    for words in commands:
        answer = _judged(words)
        if answer is None:
            return None
        if answer:
            verdict.doubt(answer)
    return verdict


def _judged(words: list[str]) -> str | None:
    """Empty: it writes nothing; a reason: it can't be told; ``None``: ask the grammar."""
    name, rest = words[0], words[1:]
    answer: str | None = None
    if name in KEYWORDS or any(char in name for char in "=$/") or not name:
        pass
    elif name == "git":
        answer = "" if _git_reads(rest) else None
    elif name in ONLY_READ:
        answer = None if any(word.startswith(ONLY_READ[name]) or "$" in word for word in rest) else ""
    elif name == "sed":
        answer = (
            ""
            if len(rest) > 1 and rest[0] == "-n" and _prints(rest[1]) and not _has_option(rest[2:])
            else None
        )
    elif name in CHANGES_DIRECTORY:
        answer = "" if len(rest) == 1 and not rest[0].startswith("-") else None
    else:
        answer = _by_table(name, PROGRAMS.get(name, "").split(), rest)
    return answer


def _by_table(name: str, line: list[str], rest: list[str]) -> str | None:
    """What the program's line says, where that is simple."""
    if line[:1] == ["sub"] and rest and not rest[0].startswith("-"):
        if name in RUNNERS and rest[0] in PROGRAMS:
            return None
        name = f"{name} {rest[0]}"
        line = PROGRAMS.get(name, OPAQUE).split()
        rest = rest[1:]
    what, limits = (line or [""])[0], line[1:]
    if what == READS and (not limits or not any(word.startswith("-") or "$" in word for word in rest)):
        return ""
    if (
        what in (OPAQUE, CHECKS)
        and not any(word.startswith(_tests(limits)) for word in rest)
        and not any(word in limit for limit in limits for word in rest)
        and rest[-1:] not in TELLING
    ):
        return f"{name}: {OWN_TESTS if what == CHECKS else UNTOLD}"
    return None


def _tests(limits: list[str]) -> tuple[str, ...]:
    found = [limit.removeprefix(TESTS) for limit in limits if limit.startswith(TESTS)]
    return tuple(",".join(found).split(",")) if found else ()


def _prints(script: str) -> bool:
    """Is it a sed script that only prints lines, such as ``10,20p``?"""
    return script.endswith("p") and all(char in "0123456789,$" for char in script[:-1])


def _has_option(rest: list[str]) -> bool:
    return any(word.startswith("-") or "$" in word for word in rest)


def _git_reads(rest: list[str]) -> bool:
    while rest[:1] == ["--no-pager"] or (rest[:1] == ["-C"] and len(rest) > 1 and "$" not in rest[1]):
        rest = rest[1:] if rest[0] == "--no-pager" else rest[2:]
    return (
        bool(rest)
        and rest[0] in GIT
        and not any(word.startswith(GIT_WRITING) or "$" in word for word in rest)
        and not (rest[0] == "branch" and any(_renames(word) for word in rest))
    )


def _renames(word: str) -> bool:
    """Is it ``git branch``'s option to give a branch another name?"""
    return word.startswith("--mo") or (word[:1] == "-" != word[1:2] and "m" in word.lower())


def _split(command: str) -> list[list[str]] | None:
    """The simple commands of a text as words; ``None`` if it holds more than that."""
    commands: list[list[str]] = []
    words: list[str] = []
    at, open_end = 0, False  # must another command follow?
    while at < len(command):
        char = command[at]
        if char in " \t":
            at += 1
        elif char == "\n" or (char in ";|&" and _redirection(command, at) is None):
            operator = command[at : at + 2] if command[at : at + 2] in ("&&", "||") else char
            at += len(operator)
            if words:
                commands.append(words)
                words, open_end = [], operator in ("&&", "||", "|")
            elif operator != "\n":
                return None
        else:
            word, at = _word(command, at)
            if word is None or (word in HARMLESS and not words):
                return None
            if word not in HARMLESS:
                words.append(word)
    if words:
        commands.append(words)
    return commands if commands and (words or not open_end) else None


def _redirection(command: str, at: int) -> str | None:
    """One of the redirections that write no file, at the beginning of a word."""
    if at and command[at - 1] not in " \t":
        return None
    for known in HARMLESS:
        if command.startswith(known, at) and command[at + len(known) : at + len(known) + 1] in (
            "",
            " ",
            "\t",
            "\n",
            ";",
            "|",
        ):
            return known
    return None


def _word(command: str, at: int) -> tuple[str | None, int]:
    """One word with its quotes taken off."""
    known = _redirection(command, at)
    if known:
        return known, at + len(known)
    word = ""
    while at < len(command) and command[at] not in " \t\n;|&":
        char = command[at]
        if char in "'\"":
            end = command.find(char, at + 1)
            inside = command[at + 1 : end]
            if end < 0 or (char == '"' and not _is_plain(inside)) or "\0" in inside:
                return None, at
            word += inside
            at = end + 1
        elif (
            char in SPECIAL
            or (char == "~" and not word)
            or (char == "$" and command[at + 1 : at + 2] not in PLAIN_NAME)
            or char.isspace()
        ):
            return None, at
        else:
            word += char
            at += 1
    return word if command[at - 1 : at] != "$" else None, at


def _is_plain(inside: str) -> bool:
    """Text in double quotes without substitutions and escapes."""
    if "`" in inside or "\\" in inside or "!" in inside:
        return False
    return all(part[:1] in PLAIN_NAME and part for part in inside.split("$")[1:])
