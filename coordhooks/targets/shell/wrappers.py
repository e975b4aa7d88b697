"""Programs that run what they are given: env, eval, source, trap, exec, shells."""

# ruff: noqa: ARG001 - all programs have one signature

from coordhooks.targets.shell.places import elsewhere
from coordhooks.targets.shell.rules import Rule, arguments
from coordhooks.targets.shell.scope import EMPTY, UNKNOWN, Scope, Stream, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.targets.shell.walk import Shell

SHELL = Rule("=shell takes=-o,-O,+o,+O,--rcfile,--init-file stop")
ACTIVATORS = ("activate", "activate.sh")


def _env(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], rule)
    folder = found.values("-C", "--chdir")
    scope = elsewhere(scope, folder[-1] if folder else None)
    rest = list(found.operands)
    for text in found.values("-S", "--split-string"):
        rest = [*map(Word, (text.text or "").split()), *rest] if text.text is not None else [text]
    while rest and "=" in rest[0].head and not rest[0].head.startswith("="):
        name = rest.pop(0).head.partition("=")[0]
        if name.startswith(("GIT_DIR", "GIT_WORK_TREE", "LD_", "BASH_ENV", "GIT_EXTERNAL")):
            shell.verdict.doubt(f"{name} is set for a program")
    return shell.call(rest, scope.copy()) if rest else UNKNOWN


def _command(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    rest = argv[1:]
    while rest and rest[0].is_option:
        if rest[0].text in ("-v", "-V"):
            return UNKNOWN
        rest = rest[1:]
    return shell.call(rest, scope) if rest else EMPTY


def _eval(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    return _nested(shell, [word for word in argv[1:] if word.text != "--"], scope, "eval")


def _nested(shell: "Shell", parts: list[Word], scope: Scope, why: str) -> Stream:
    texts = [word.text for word in parts]
    if None in texts:
        shell.verdict.doubt(f"{why}: what it runs can't be told")
        return UNKNOWN
    return shell.script(" ".join(text or "" for text in texts), scope)


def _source(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    """The text of a process substitution is followed; a file is not, but those that only activate are known."""
    if len(argv) < 2:
        return EMPTY
    stream = argv[1].stream or (scope.stdin if argv[1].text == "/dev/stdin" else None)
    if stream is not None and stream.text is not None:
        return shell.script(stream.text, scope)
    if argv[1].head.rpartition("/")[2] not in ACTIVATORS:
        shell.verdict.doubt(f"source {argv[1].head}: what it runs can't be told")
    return EMPTY


def _trap(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    code = [word for word in argv[1:] if not word.is_option][:1]
    if len(argv) > 2 and code and code[0].text not in ("-", ""):
        _nested(shell, code, scope.copy(), "trap")
    return EMPTY


def _flock(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], rule)
    if found.operands and not (found.operands[0].text or "x").isdecimal():
        shell.write(found.operands[0], scope, f"flock {found.operands[0].head}")
    rest = found.operands[1:]
    commands = found.values("-c", "--command") + (
        rest[1:2] if rest and rest[0].text in ("-c", "--command") else []
    )
    if commands:
        return _nested(shell, commands[:1], scope.copy(), "flock")
    return shell.call(rest, scope.copy()) if rest else EMPTY


def _watch(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    return _nested(shell, arguments(argv[1:], rule).operands, scope.copy(), "watch")


def _shell(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    """``bash -c text``, ``bash <<EOF``, ``bash file``."""
    name = argv[0].text or ""
    found = arguments(argv[1:], SHELL)
    if found.has("-n", "--version", "--help"):
        return UNKNOWN
    inside = _fresh(scope)
    if found.has("-c"):
        text, args = (found.operands or [Word("")])[0], found.operands[2:]
        if text.text is None:
            shell.verdict.doubt(f"{name} -c: what it runs can't be told")
            return UNKNOWN
        inside.args = args
        return shell.script(text.text, inside)
    if found.operands and not found.has("-s"):
        stream = found.operands[0].stream or (
            scope.stdin if found.operands[0].text in ("-", "/dev/stdin") else None
        )
        inside.args = found.operands[1:]
    else:
        stream = scope.stdin
        inside.args = found.operands
    if stream is None or stream.text is None:
        shell.verdict.doubt(f"{name} {(found.operands or [Word('')])[0].head}: what it runs can't be told")
        return UNKNOWN
    return shell.script(stream.text, inside)


def _fresh(scope: Scope) -> Scope:
    """A new process: no functions; the variables stay, because any may have been exported."""
    inside = scope.copy()
    inside.functions = {}
    inside.args = []
    inside.stack = []
    return inside


def _powershell(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    """Both ways to hand a text to PowerShell; a file is not followed."""
    from coordhooks.targets.shell import powershell

    options = [word.head.lower() for word in argv[1:]]
    for option in ("-command", "-c"):
        if option in options:
            parts = [word.text for word in argv[options.index(option) + 2 :]]
            if None in parts or scope.cwd is None:
                break
            powershell.judge(" ".join(part or "" for part in parts), scope.cwd, scope.home, shell.verdict)
            return UNKNOWN
    shell.verdict.doubt("pwsh: what it runs can't be told")
    return UNKNOWN


HANDLERS = {
    "env": _env,
    "command": _command,
    "eval": _eval,
    "source": _source,
    "trap": _trap,
    "flock": _flock,
    "watch": _watch,
    "shell": _shell,
    "pwsh": _powershell,
}
