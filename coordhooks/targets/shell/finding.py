"""find, xargs, parallel, fd, rg: commands whose operands are found, not written in the text."""

# ruff: noqa: ARG001 - all programs have one signature

import os

from coordhooks.targets.glob import matches
from coordhooks.targets.shell.places import absolute
from coordhooks.targets.shell.rules import Rule, arguments
from coordhooks.targets.shell.scope import EMPTY, UNKNOWN, Scope, Stream, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.targets.shell.walk import Shell

XARGS = Rule(
    "=xargs stop takes=-I,-n,-P,-L,-s,-d,-a,-E,--replace,--max-args,--max-procs,--max-lines,--delimiter,--arg-file"
)
PARALLEL = Rule(
    "=parallel stop takes=-j,-I,-a,-d,-n,-N,--jobs,--arg-file,--colsep,--delay,--retries,--timeout"
)
FD = Rule("=fd takes=-e,-t,-E,-d,-S,--extension,--type,--exclude,--max-depth,--size,-c,--color,--min-depth")
SEPARATORS = (":::", "::::", ":::+", "::::+")

EXECUTING = ("-exec", "-execdir", "-ok", "-okdir")
PRINTING = ("-fprint", "-fprint0", "-fprintf", "-fls")
MAX_FOUND = 200


def _find(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    words = argv[1:]
    while words and words[0].text in ("-H", "-L", "-P", "-D", "-O"):
        words = words[1:]
    start = next((at for at, word in enumerate(words) if word.head[:1] in ("-", "(", "!", "\\")), len(words))
    roots, tests = words[:start] or [Word(".")], words[start:]
    found = _matches(shell, roots, tests, scope)
    at = 0
    while at < len(tests):
        name = tests[at].text
        if name == "-delete":
            for word in found:
                shell.write(word, scope, "find -delete", follow=False)
        elif name in PRINTING and at + 1 < len(tests):
            shell.write(tests[at + 1], scope, f"find {name}", overwrite=True)
            at += 1
        elif name in EXECUTING:
            at = _execute(shell, tests, at, found, scope)
        at += 1
    return _listing(found)


def _execute(shell: "Shell", tests: list[Word], at: int, found: list[Word], scope: Scope) -> int:
    """Run the command of ``-exec`` on what was found; where it ends."""
    end = next((each for each in range(at + 1, len(tests)) if tests[each].text in (";", "+")), len(tests))
    command = tests[at + 1 : end]
    scope = scope.copy()
    scope.stdin = UNKNOWN
    if command:
        _substituted(shell, command, found, "{}", scope, append=False)
    return end


def _listing(found: list[Word]) -> Stream:
    texts = [word.text for word in found]
    if None not in texts:
        return Stream("".join(f"{text}\n" for text in texts))
    return Stream(None, tuple(root for word in found for root in word.roots))


def _matches(shell: "Shell", roots: list[Word], tests: list[Word], scope: Scope) -> list[Word]:
    """What find finds, at most: the names where the tests are simple and the folders small, else their roots."""
    if not all(word.text is not None for word in roots):
        return [Word(loose=True)]
    names = [word.text or "" for word in roots]
    simple = not any(
        word.text in ("-o", "-or", ",", "(", ")", "\\(", "-regex", "-L", "-follow") for word in tests
    )
    if simple and scope.cwd is not None:
        wanted = _Wanted(tests)
        found: list[str] = []
        if all(_below(shell, name, 0, wanted, scope.cwd, found) for name in names):
            return [Word(name) for name in found]
    whole = [absolute(word, scope) for word in roots]
    return (
        [Word(roots=tuple(path for path in whole if path), loose=True)] if all(whole) else [Word(loose=True)]
    )


class _Wanted:
    """The tests of a find expression that narrow by name, kind and depth. Others are taken as passed."""

    def __init__(self, tests: list[Word]) -> None:
        self.deepest, self.least = 100, 0
        self.patterns: list[tuple[str, str]] = []
        self.refused: list[tuple[str, str]] = []  # behind a `!`
        self.kind = ""
        for word, value, before in zip(tests, [*tests[1:], Word()], [Word(), *tests[:-1]], strict=False):
            if value.text is None:
                continue
            refused = before.text in ("!", "-not")
            if word.text in ("-name", "-iname", "-path", "-wholename"):
                (self.refused if refused else self.patterns).append((word.text, value.text))
            elif refused:
                continue
            elif word.text == "-type":
                self.kind = value.text
            elif word.text in ("-maxdepth", "-mindepth") and value.text.isdecimal():
                self._depth(word.text, min(100, int(value.text[:3])))

    def _depth(self, name: str, number: int) -> None:
        if name == "-maxdepth":
            self.deepest = number
        else:
            self.least = number

    def matches(self, path: str, depth: int, *, folder: bool, link: bool) -> bool:
        """Would find act on this one?"""
        kind = "l" if link else "d" if folder else "f"
        return (
            self.least <= depth <= self.deepest
            and (not self.kind or kind in self.kind or self.kind not in ("f", "d", "l"))
            and all(_fits(path, test, pattern) for test, pattern in self.patterns)
            and not any(_fits(path, test, pattern) for test, pattern in self.refused)
        )


def _fits(path: str, test: str, pattern: str) -> bool:
    if test in ("-path", "-wholename"):
        return matches(path, pattern)
    name = path.rstrip("/").rpartition("/")[2]
    if test == "-iname":
        return matches(name.lower(), pattern.lower())
    return matches(name, pattern)


def _below(shell: "Shell", path: str, depth: int, wanted: _Wanted, cwd: str, found: list[str]) -> bool:
    """Collect what matches at and below ``path``; false if there is too much of it."""
    whole = os.path.join(cwd, path)
    link = os.path.islink(whole)
    folder = shell.world.is_folder(whole) and not link
    if wanted.matches(path, depth, folder=folder, link=link) and (depth or shell.world.exists(whole)):
        found.append(path)
    if not folder or depth >= wanted.deepest:
        return len(found) <= MAX_FOUND
    names = shell.world.names(whole)
    if names is None or depth > 50:
        return False
    prefix = path if path.endswith("/") else path + "/"
    return len(found) <= MAX_FOUND and all(
        _below(shell, prefix + name, depth + 1, wanted, cwd, found) for name in names
    )


def _substituted(
    shell: "Shell", command: list[Word], found: list[Word], mark: str, scope: Scope, *, append: bool
) -> Stream:
    """Run ``command`` with ``mark`` replaced by what was found, or with it appended."""
    if append and not any(mark and mark in word.head for word in command):
        return shell.call([*command, *found], scope)
    if any(word.text == mark for word in command) and not any(
        word.text != mark and mark in word.head for word in command
    ):
        argv = [each for word in command for each in (found if word.text == mark else [word])]
        if argv and len(found) <= 1:
            return shell.call(argv, scope)
    streams = [shell.call([_filled(word, one, mark) for word in command], scope) for one in found]
    return streams[0] if len(streams) == 1 else (UNKNOWN if streams else EMPTY)


def _filled(word: Word, one: Word, mark: str) -> Word:
    if mark not in word.head:
        return word
    if word.text == mark:
        return one
    if one.text is None or word.text is None:
        return Word(head=word.head.partition(mark)[0], loose=True)
    return Word(word.text.replace(mark, one.text))


def _xargs(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], XARGS)
    command = found.operands or [Word("echo")]
    words = _given(scope.stdin, lines=found.has("-I", "--replace", "-d", "-L", "-0", "--null"))
    if found.has("-a", "--arg-file"):
        words = [Word(loose=True)]
    mark = next(
        (value.text or "" for value in found.values("-I", "--replace")), "{}" if found.has("-i") else ""
    )
    inside = scope.copy()
    inside.stdin = UNKNOWN
    if not words:
        return EMPTY
    return _substituted(shell, command, words, mark, inside, append=not mark)


def _given(stream: Stream, *, lines: bool) -> list[Word]:
    """What comes in, as words."""
    if stream.text is None:
        return [Word(roots=stream.roots, loose=True)]
    text = stream.text
    if "\0" in text:
        return [Word(part) for part in text.split("\0") if part.strip("\n")]
    if lines:
        return [Word(part) for part in text.split("\n") if part]
    if any(char in text for char in "'\"\\"):
        return [Word(loose=True)]
    return [Word(part) for part in text.split()]


def _parallel(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    at = next((at for at, word in enumerate(argv) if word.text in SEPARATORS), len(argv))
    found = arguments(argv[1:at], PARALLEL)
    words = argv[at + 1 :] if at < len(argv) else _given(scope.stdin, lines=True)
    if at < len(argv) and argv[at].text != ":::":
        words = [Word(loose=True)]
    inside = scope.copy()
    inside.stdin = UNKNOWN
    joined = found.operands
    if any(" " in word.head for word in joined):  # a whole command in quotes
        texts = [word.text for word in joined]
        for word in words:
            if None in texts or word.text is None:
                shell.verdict.doubt("parallel: what it runs can't be told")
                return UNKNOWN
            line = " ".join(text or "" for text in texts)
            shell.script(line.replace("{}", word.text) if "{}" in line else f"{line} {word.text}", inside)
        return UNKNOWN
    for word in words:
        marked = any("{" in each.head for each in joined)
        shell.call([_filled(each, word, "{}") for each in joined] + ([] if marked else [word]), inside)
    return UNKNOWN


def _fd(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    """fd: its names lie below the folders behind the pattern, and ``-x`` runs a command on each."""
    at = next(
        (at for at, word in enumerate(argv) if word.text in ("-x", "-X", "--exec", "--exec-batch")), len(argv)
    )
    found = arguments(argv[1:at], FD)
    folders = [absolute(word, scope) for word in found.operands[1:]] or [scope.cwd]
    roots = tuple(folder for folder in folders if folder)
    word = Word(roots=roots if len(roots) == len(folders) else (), loose=True)
    command = argv[at + 1 :]
    if command:
        _substituted(shell, command, [word], "{}", scope.copy(), append=True)
    return Stream(None, word.roots)


def _rg(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    """ripgrep reads, but ``--pre`` runs a program."""
    if any(word.head.startswith(("--pre=", "--hostname-bin")) or word.text == "--pre" for word in argv):
        shell.verdict.doubt("rg --pre: the program that it runs can't be followed")
    from coordhooks.targets.shell.outputs import names_below

    return names_below(argv, scope, ("-l", "--files-with-matches", "--files", "--files-without-match"))


HANDLERS = {
    "find": _find,
    "xargs": _xargs,
    "parallel": _parallel,
    "fd": _fd,
    "rg": _rg,
}
