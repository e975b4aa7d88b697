"""PowerShell: the literal paths of common cmdlets and redirections. Everything else can't be told.

There is no grammar here, only words, quotes and separators; a text with more than that is not followed.
"""

from coordhooks.targets.shell.verdict import FILE, FOLDER, Untellable, Verdict, Write

MAX_TEXT = 100_000

# Cmdlets and their aliases: which parameters (and positions) are written. An asterisk: the name itself goes.
WRITERS = {
    "set-content": ("path", "literalpath", "0"), "sc": ("path", "literalpath", "0"),
    "add-content": ("path", "literalpath", "0"), "ac": ("path", "literalpath", "0"),
    "clear-content": ("path", "literalpath", "0"), "clc": ("path", "literalpath", "0"),
    "out-file": ("filepath", "literalpath", "0"), "tee-object": ("filepath", "literalpath", "0"), "tee": ("filepath", "literalpath", "0"),
    "export-csv": ("path", "literalpath", "0"), "export-clixml": ("path", "literalpath", "0"),
    "new-item": ("path", "0"), "ni": ("path", "0"), "mkdir": ("path", "0"), "md": ("path", "0"),
    "remove-item": ("path", "literalpath", "0"), "rm": ("path", "literalpath", "0"), "del": ("path", "literalpath", "0"),
    "ri": ("path", "literalpath", "0"), "erase": ("path", "literalpath", "0"), "rd": ("path", "literalpath", "0"),
    "rmdir": ("path", "literalpath", "0"),
    "copy-item": ("destination", "1"), "cp": ("destination", "1"), "copy": ("destination", "1"), "cpi": ("destination", "1"),
    "move-item": ("path", "literalpath", "destination", "0", "1"), "mv": ("path", "literalpath", "destination", "0", "1"),
    "move": ("path", "literalpath", "destination", "0", "1"), "mi": ("path", "literalpath", "destination", "0", "1"),
    "rename-item": ("path", "literalpath", "newname", "0", "1"), "ren": ("path", "literalpath", "newname", "0", "1"),
    "rni": ("path", "literalpath", "newname", "0", "1"),
    "invoke-webrequest": ("outfile",), "iwr": ("outfile",), "invoke-restmethod": ("outfile",), "irm": ("outfile",),
    "expand-archive": ("destinationpath", "1"), "compress-archive": ("destinationpath", "1"),
}  # fmt: skip
RECURSIVE = (
    "remove-item",
    "rm",
    "del",
    "ri",
    "rd",
    "rmdir",
    "copy-item",
    "cp",
    "copy",
    "move-item",
    "mv",
    "expand-archive",
)
REMOVING = (
    "remove-item",
    "rm",
    "del",
    "ri",
    "erase",
    "rd",
    "rmdir",
    "move-item",
    "mv",
    "move",
    "rename-item",
    "ren",
    "rni",
)
SWITCHES = (
    "force",
    "recurse",
    "append",
    "passthru",
    "nonewline",
    "whatif",
    "confirm",
    "verbose",
    "noclobber",
    "notypeinformation",
    "raw",
    "directory",
    "file",
    "name",
    "asbytestream",
)
READERS = (
    "get-content", "gc", "type", "cat", "get-childitem", "gci", "ls", "dir", "select-string", "sls", "write-output", "echo",
    "write-host", "get-location", "pwd", "gl", "test-path", "get-item", "gi", "measure-object", "select-object", "select",
    "where-object", "sort-object", "sort", "format-table", "ft", "format-list", "fl", "out-null", "out-string", "out-host",
    "get-process", "ps", "gps", "get-command", "gcm", "get-help", "help", "get-date", "resolve-path", "split-path",
    "join-path", "compare-object", "convertfrom-json", "convertto-json", "get-filehash", "get-variable", "get-member", "gm", "group-object",
)  # fmt: skip
LOCATIONS = ("set-location", "cd", "sl", "chdir", "push-location", "pushd")
EXPANDING = "$`@(){}*?["

# Programs that are no cmdlets: judged as in any shell, when their words are plain.
PROGRAMS = (
    "git",
    "python",
    "python3",
    "py",
    "node",
    "npm",
    "npx",
    "cargo",
    "go",
    "jj",
    "uv",
    "ruff",
    "black",
    "prettier",
)


def judge(command: str, cwd: str, home: str, verdict: Verdict) -> Verdict:
    """Add what a PowerShell text writes to the verdict."""
    if len(command) > MAX_TEXT:
        verdict.doubt("the command is too long to be read")
        return verdict
    reader = _Reader(cwd, home, verdict)
    for words in _statements(command):
        reader.statement(words)
    return verdict


class _Word:
    """One word: ``text`` without quotes, ``plain`` if nothing in it is expanded, ``bare`` if it was not quoted."""

    __slots__ = ("bare", "plain", "text")

    def __init__(self) -> None:
        self.text = ""
        self.plain = True
        self.bare = True


class _Reader:
    def __init__(self, cwd: str, home: str, verdict: Verdict) -> None:
        self.cwd: str | None = cwd or None
        self.home = home
        self.verdict = verdict

    def statement(self, words: list[_Word]) -> None:
        """One command with its redirections."""
        words = self._redirected(words)
        if not words:
            return
        name = words[0].text.lower().removesuffix(".exe")
        if not words[0].plain or (not words[0].bare and name not in WRITERS):
            if words[0].text:
                self.verdict.doubt("a part of the command can't be followed")
        elif name in LOCATIONS:
            self._go(words[1:])
        elif name in WRITERS:
            self._writer(name, words[1:])
        elif name in PROGRAMS:
            self._program(name, words[1:])
        elif name not in READERS or any(not word.plain and "(" in word.text for word in words):
            self.verdict.doubt(f"{name[:60]}: what it writes can't be told")

    def _redirected(self, words: list[_Word]) -> list[_Word]:
        kept: list[_Word] = []
        rest = list(words)
        while rest:
            word = rest.pop(0)
            mark = word.text.lstrip("123456*") if word.bare else ""
            if not mark.startswith(">"):
                kept.append(word)
                continue
            target = mark.lstrip(">")
            if target.startswith("&"):
                continue
            if target:
                word.text = target
            elif rest:
                word = rest.pop(0)
            if word.text.lower() != "$null":
                self._write(
                    word,
                    f"redirection {mark[:2].rstrip(target[:1])}",
                    FILE,
                    overwrite=not mark.startswith(">>"),
                )
        return kept

    def _go(self, words: list[_Word]) -> None:
        operands = [word for word in words if not (word.bare and word.text.startswith("-"))]
        if len(operands) == 1 and operands[0].plain and self.cwd is not None:
            self.cwd = self._path(operands[0].text)
        else:
            self.cwd = None

    def _writer(self, name: str, words: list[_Word]) -> None:
        """Named and positional parameters, and lists of paths."""
        if any(word.text.lower() == "-whatif" for word in words):
            return
        wanted = WRITERS[name]
        positions: list[_Word] = []
        found: list[_Word] = []
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if not (word.bare and word.text.startswith("-") and word.text[1:2].isalpha()):
                positions.append(word)
                continue
            parameter, colon, value = word.text[1:].partition(":")
            if any(switch.startswith(parameter.lower()) for switch in SWITCHES) and parameter.lower() not in (
                "path",
                "name",
            ):
                continue
            if not colon and rest:
                after = rest.pop(0)
            else:
                after = _Word()
                after.text, after.plain = value, not any(char in value for char in EXPANDING)
            if any(each.startswith(parameter.lower()) for each in wanted if each.isalpha()):
                found.append(after)
        named = len(found)
        found += [word for at, word in enumerate(positions) if str(at) in wanted and named == 0]
        if named and "destination" in wanted and len(found) == 1 and positions:
            found += positions[:1]
        if not found and wanted != ("outfile",):
            self.verdict.doubt(f"{name}: the path can't be told")
        kind = FOLDER if name in RECURSIVE and any("-r" in word.text.lower() for word in words) else FILE
        if name == "expand-archive":
            kind = FOLDER
        for word in found:
            self._write(word, name, kind, follow=name not in REMOVING)

    def _write(
        self, word: _Word, why: str, kind: str, *, follow: bool = True, overwrite: bool = False
    ) -> None:
        for part in word.text.split(",") if word.bare else [word.text]:
            if not word.plain or not part or self.cwd is None:
                self.verdict.doubt(f"{why}: the path can't be told")
                return
            self.verdict.targets.append(
                Write(self._path(part), self.cwd, kind, why, follow=follow, overwrite=overwrite)
            )

    def _path(self, text: str) -> str:
        """PowerShell takes both slashes, on every system."""
        text = text.replace("\\", "/")
        if text == "~" or text.startswith("~/"):
            return self.home + text[1:]
        return (
            text
            if text.startswith("/") or text[1:2] == ":"
            else (self.cwd or "").rstrip("/") + "/" + text.removeprefix("./")
        )

    def _program(self, name: str, words: list[_Word]) -> None:
        from coordhooks.targets.shell.scope import Scope, Word
        from coordhooks.targets.shell.walk import Shell
        from coordhooks.targets.shell.world import World

        scope = Scope(self.cwd, self.home)
        argv = [
            Word(name),
            *(Word(word.text) if word.plain or not word.bare else Word(loose=True) for word in words),
        ]
        try:
            Shell(self.verdict, World(), [8000], 0).call(argv, scope)
        except (Untellable, RecursionError) as error:
            self.verdict.doubt(str(error))


def _statements(command: str) -> list[list[_Word]]:
    """Commands as words, cut at ``;``, ``|``, ``&&``, ``||`` and line ends."""
    statements: list[list[_Word]] = [[]]
    word: _Word | None = None
    at = 0
    while at < len(command):
        char = command[at]
        if char in "'\"":
            word = word or _Word()
            text, at = _quoted(command, at)
            word.text += text
            word.bare = False
            word.plain = word.plain and (char == "'" or not any(sign in text for sign in "$`"))
            continue
        if char in " \t" and word is not None and word.bare and word.text.endswith(","):
            pass  # a list goes on
        elif char in " \t\r\n;|" or command.startswith("&&", at):
            if word is not None:
                statements[-1].append(word)
                word = None
            if char not in " \t\r":
                statements.append([])
        elif char == "#" and word is None:
            at = command.find("\n", at)
            if at < 0:
                break
            continue
        else:
            word = word or _Word()
            word.text += char
            word.plain = word.plain and char not in EXPANDING
        at += 2 if command.startswith("&&", at) else 1
    if word is not None:
        statements[-1].append(word)
    return [statement for statement in statements if statement]


def _quoted(command: str, at: int) -> tuple[str, int]:
    """The inside of quotes, and where the text goes on; a doubled quote is one."""
    mark, text = command[at], ""
    at += 1
    while at < len(command):
        if command[at] == mark:
            if command[at + 1 : at + 2] != mark:
                return text, at + 1
            at += 1
        elif command[at] == "`" and mark == '"' and command[at + 1 : at + 2] in ('"', "$", "`"):
            at += 1
        text += command[at]
        at += 1
    return text, at
