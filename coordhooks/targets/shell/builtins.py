"""The shell's own commands that change its state: the directory, variables, options, the end of a run."""

# ruff: noqa: ARG001 - all programs have one signature

from coordhooks.targets.shell.places import absolute
from coordhooks.targets.shell.rules import Rule
from coordhooks.targets.shell.scope import EMPTY, UNKNOWN, Scope, Stream, Word, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.targets.shell.walk import Shell


def _cd(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    options = [word.text for word in argv[1:] if word.is_option]
    operands = [word for word in argv[1:] if not word.is_option]
    physical = "-P" in options
    _enter(shell, operands[0] if operands else Word(scope.home), scope, physical=physical)
    return EMPTY if not operands or operands[0].text != "-" else Stream(f"{scope.cwd}\n")


def _enter(shell: "Shell", where: Word, scope: Scope, *, physical: bool = False) -> None:
    """Change directory. One that is not there is not entered, and what follows is then uncertain."""
    if where.text == "-":
        old = scope.variables.get("OLDPWD", [Word()])[0].text
        scope.go(old)
        return
    path = None if where.text is None else resolve(where.text, scope.cwd, physical=physical)
    if path is None and where.roots and len(where.roots) == 1:
        scope.go(None)
    elif path is None or shell.world.is_folder(path) or where.text == "":
        scope.go(path if where.text else scope.cwd if where.text == "" else None)
    else:
        scope.go(None)


def _pushd(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    operands = [word for word in argv[1:] if word.text != "-n"]
    if not operands:  # swaps the two topmost
        top = scope.stack.pop() if scope.stack else None
        scope.stack.append(scope.cwd)
        scope.go(top)
    elif operands[0].head.startswith(("+", "-")):
        scope.go(None)
    else:
        scope.stack.append(scope.cwd)
        _enter(shell, operands[0], scope)
    return UNKNOWN


def _popd(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    scope.go(scope.stack.pop() if scope.stack and len(argv) == 1 else None)
    return UNKNOWN


def _read(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    """``read name``: one line, or one of many names of files."""
    names = [word.text for word in argv[1:] if word.text and not word.is_option and word.text.isidentifier()]
    lines = (scope.stdin.text or "").split("\n")
    for name in names or ["REPLY"]:
        if scope.stdin.text is not None and len(names) == 1 and len([line for line in lines if line]) == 1:
            scope.variables[name] = [Word(lines[0].strip())]
        elif scope.stdin.text is not None and len(names) == 1:
            scope.variables[name] = [_any_of(lines)]
        else:
            scope.variables[name] = [Word(roots=scope.stdin.roots, loose=True)]
    return EMPTY


def _any_of(lines: list[str]) -> Word:
    """One of several known lines. As names of files they may all be meant."""
    return Word(loose=True, roots=tuple(line for line in lines if line) if len(lines) < 100 else ())


def _set(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    words = argv[1:]
    while words and words[0].head[:1] in ("-", "+") and words[0].text != "--":
        letters = words[0].head
        words = words[2:] if letters.endswith("o") else words[1:]
        if "f" in letters:
            scope.globs = False
    if words:
        scope.args = words[1:] if words[0].text == "--" else words
    return EMPTY


def _shift(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    count = argv[1].text if len(argv) > 1 else "1"
    if (
        count is not None
        and count.isdecimal()
        and len(count) < 6
        and not any(word.loose for word in scope.args)
    ):
        scope.args = scope.args[int(count) :]
    else:
        scope.args = [Word(loose=True)]
    return EMPTY


def _shopt(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    if any("glob" in word.head for word in argv[1:]):
        scope.globs = False
    return UNKNOWN


def _alias(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    """A script does not expand aliases unless it is told to: whoever defines one may do that."""
    if any("=" in word.head for word in argv[1:]):
        shell.verdict.doubt("alias: what it stands for can't be followed")
    return UNKNOWN


def _local(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    """Declarations that the grammar took for a plain program."""
    for word in argv[1:]:
        name, equals, text = word.head.partition("=")
        if equals and name.isidentifier():
            scope.variables[name] = [Word(text) if word.text is not None else Word(loose=True)]
    return UNKNOWN


def _let(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    for word in argv[1:]:
        name = word.head.rstrip("+-").partition("=")[0].rstrip("+-*/% ")
        scope.variables[name] = [Word(plain=True)]
    return EMPTY


def _exit(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    scope.ended = "exit"
    return EMPTY


def _return(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    scope.ended = "return"
    return EMPTY


def _loop(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    scope.ended = argv[0].text or ""
    return EMPTY


def _printf(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    """``printf -v name`` sets a variable."""
    if len(argv) > 3 and argv[1].text == "-v" and argv[2].text:
        scope.variables[argv[2].text] = [Word(loose=True)]
        return EMPTY
    from coordhooks.targets.shell.outputs import printf

    return printf(argv[1:])


def _less(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    for word in argv[1:]:
        if word.head[:2] in ("-o", "-O"):
            shell.verdict.doubt("less: it logs to a file")
    return UNKNOWN


def _mktemp(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    """A new file of a name that nobody has. In the temporary folder it is nobody's business."""
    from coordhooks.targets.shell.rules import arguments

    found = arguments(argv[1:], rule)
    folder = next(iter(found.values("-p", "--tmpdir")[-1:]), None)
    template = found.operands[0] if found.operands else Word("tmp.XXXXXXXXXX")
    if template.text is None or (folder is not None and folder.text is None):
        return UNKNOWN
    home = folder.text if folder else "/tmp" if not found.operands or found.has("-t", "--tmpdir") else ""
    name = Word(f"{home}/{template.text}" if home else template.text)
    path = absolute(name, scope)
    if found.has("-d", "--directory") and path is not None:
        shell.world.folders.add(path)
    if path is None or not path.startswith(("/tmp/", "/var/tmp/")):
        shell.verdict.doubt("mktemp: the name can't be told")
        return UNKNOWN
    return Stream(f"{name.text}\n")


HANDLERS = {
    "cd": _cd,
    "pushd": _pushd,
    "popd": _popd,
    "read": _read,
    "set": _set,
    "shift": _shift,
    "shopt": _shopt,
    "alias": _alias,
    "local": _local,
    "let": _let,
    "exit": _exit,
    "return": _return,
    "loop": _loop,
    "printf": _printf,
    "less": _less,
    "mktemp": _mktemp,
}
