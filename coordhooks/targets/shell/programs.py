"""One program with its arguments: look it up in the table, and apply its line."""

from __future__ import annotations

import os

# ruff: noqa: ARG001 - all programs have one signature
from coordhooks.targets.shell import outputs
from coordhooks.targets.shell.places import absolute, elsewhere, kind_of
from coordhooks.targets.shell.rules import Args, Rule, arguments
from coordhooks.targets.shell.scope import EMPTY, UNKNOWN, Scope, Stream, Word
from coordhooks.targets.shell.table import PROGRAMS, RUNNERS
from coordhooks.targets.shell.verdict import FILE, FOLDER, OWN_TESTS, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from coordhooks.targets.shell.walk import Shell

    Handler = Callable[[Shell, list[Word], Scope, Rule], Stream]


ONLY_TELL = ("--help", "--version")
# Names of folders whose programs are known by their last name: /usr/bin/sed, .venv/bin/black.
PROGRAM_FOLDERS = ("bin", ".bin", "sbin")


def call(shell: Shell, argv: list[Word], scope: Scope) -> Stream:
    """Run one program: what it writes goes to the verdict, its standard output is returned."""
    name = argv[0].text
    if name is None:
        shell.verdict.doubt("the program's name can't be told")
        return UNKNOWN
    if name in scope.functions:
        return _function(shell, name, argv[1:], scope)
    name = known_name(name)
    line = PROGRAMS.get(name)
    if len(argv) == 2 and argv[1].text in ONLY_TELL and (line or "/" not in name):
        return UNKNOWN
    if line is None:
        shell.verdict.doubt(f"{name[:60]}: what it writes can't be told")
        return UNKNOWN
    return apply(shell, [Word(name), *argv[1:]], scope, Rule(line))


def known_name(spelled: str) -> str:
    """The name under which the table has a program."""
    folder, slash, name = spelled.rpartition("/")
    return name if slash and folder.rpartition("/")[2] in PROGRAM_FOLDERS else spelled


def _function(shell: Shell, name: str, args: list[Word], scope: Scope) -> Stream:
    """A function of the command itself: its body runs here, with its own arguments."""
    owner, body = scope.functions[name]
    before, scope.args = scope.args, args
    outer, scope.frame = scope.frame, {}
    owner.depth, depth = shell.depth, owner.depth
    error, owner.error = owner.error, len(owner.source) if owner is not shell else owner.error
    stream: Stream = owner.block(body, scope)
    owner.depth, owner.error = depth, error
    scope.leave()
    scope.args, scope.frame = before, outer
    if scope.ended == "return":
        scope.ended = ""
    return stream


def apply(shell: Shell, argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    """Carry out one line of the table on a program's arguments."""
    name = argv[0].text or ""
    if rule.what.startswith("="):
        return handler(rule.what[1:])(shell, argv, scope, rule)
    found = arguments(argv[1:], rule)
    if rule.what == "wrap":
        return _wrapped(shell, name, found, scope, rule)
    if rule.what == "sub":
        return _subcommand(shell, name, found, scope)
    if _only_reads(found, rule):
        options_written(shell, name, found, scope, rule)
        return outputs.of(shell, argv, found, scope)
    if rule.what in ("opaque", "checks"):
        shell.verdict.doubt(_unknown(name, found, rule))
        return UNKNOWN
    options_written(shell, name, found, scope, rule)
    if found.loose and (rule.out or rule.only) and rule.what == "reads":
        shell.verdict.doubt(f"{name}: its options can't be told")
    behind = _behind(argv, rule.files)
    if behind:
        _below(shell, name, behind, scope)
    elif rule.what == "at":
        for path in rule.path + (rule.named if found.operands else []):
            _nearest(shell, name, path, scope)
    else:
        OPERANDS[rule.what](shell, name, found.operands[rule.skip :], scope)
    return outputs.of(shell, argv, found, scope)


def handler(name: str) -> Handler:
    """The function ``module.name``. A command calls few of them, and loading all would take longer than its reading."""
    module, _, name = name.partition(".")
    found: Handler = __import__(f"coordhooks.targets.shell.{module}", fromlist=["HANDLERS"]).HANDLERS[name]
    return found


def _only_reads(found: Args, rule: Rule) -> bool:
    if rule.only and not found.has(*rule.only):
        return not found.loose
    return bool(rule.unless) and (
        found.has(*rule.unless) or any(word.text in rule.unless for word in found.operands)
    )


def options_written(shell: Shell, name: str, found: Args, scope: Scope, rule: Rule) -> None:
    """Options whose value is a file or a folder that is written."""
    for option, value in found.options:
        if value is not None and option in rule.out and value.text != "-":
            shell.write(value, scope, f"{name} {option}", overwrite=True)
        elif value is not None and (option in rule.outdir or _is_output(option, rule)):
            folder = (
                value if value.text is None else Word(value.text.rpartition(":")[2])
            )  # protoc: parameters:folder
            shell.write(folder, scope, f"{name} {option}", FOLDER)


def _is_output(option: str, rule: Rule) -> bool:
    return any(known[:1] == "*" and option.endswith(known[1:]) for known in rule.outdir)


def _unknown(name: str, found: Args, rule: Rule) -> str:
    """Why it can't be told what a program writes that runs what the project says."""
    goals = [word.text or "?" for word in found.operands if "=" not in word.head]
    tests = rule.what == "checks" or (goals and all(goal.startswith(rule.tests) for goal in goals))
    return f"{name}: {OWN_TESTS}" if tests else f"{name}: what it writes can't be told"


def _behind(argv: list[Word], options: set[str]) -> list[Word]:
    """The words behind one of these options, up to the next one."""
    found: list[Word] = []
    inside = False
    for word in argv[1:]:
        if word.is_option:
            inside = word.text in options
        elif inside:
            found.append(word)
    return found


def _wrapped(shell: Shell, name: str, found: Args, scope: Scope, rule: Rule) -> Stream:
    options_written(shell, name, found, scope, rule)
    for option in ("-c", "--call"):
        for value in found.values(option):
            if value.text is not None:
                return shell.script(value.text, scope.copy())
    rest = found.operands[rule.skip :]
    if rest and rest[0].text and "@" in rest[0].text:  # such as prettier@3 and @biomejs/biome
        rest[0] = Word(_package(rest[0].text))
    while rest and rest[0].is_option:  # such as the `--` of `mise exec node@20 -- node`
        rest = rest[1:]
    for module in found.values("-m", "--module"):
        rest = [Word("python"), Word("-m"), module, *rest]
    return shell.call(rest, scope) if rest else EMPTY


def _package(spelled: str) -> str:
    """The name of a package's program, without scope and version."""
    folder, _, name = spelled.rpartition("/")
    return name.partition("@")[0] if not folder or folder.startswith("@") else spelled


def _subcommand(shell: Shell, name: str, found: Args, scope: Scope) -> Stream:
    if found.operands[:1] and found.operands[0].text == "help":
        return UNKNOWN
    if not found.operands:
        if not found.has(*ONLY_TELL, "-V", "-v", "-h"):
            shell.verdict.doubt(f"{name}: what it writes can't be told")
        return UNKNOWN
    sub, *rest = found.operands
    whole = f"{name} {sub.text}"
    line = PROGRAMS.get(whole)
    if sub.text is None or line is None:
        if name in RUNNERS and sub.text in PROGRAMS:
            return shell.call(found.operands, scope)
        shell.verdict.doubt(f"{whole if sub.text else name}: what it writes can't be told")
        return UNKNOWN
    where = found.values("-C", "--prefix", "--directory", "--dir")
    scope = elsewhere(scope, where[-1] if where else None)
    if len(rest) == 1 and rest[0].text in (*ONLY_TELL, "-h"):
        return UNKNOWN
    return apply(shell, [Word(whole), *rest], scope, Rule(line))


# -- operands -----------------------------------------------------------------------------------------------


def _files(shell: Shell, name: str, operands: list[Word], scope: Scope) -> None:
    for word in operands:
        if word.text != "-":
            shell.write(word, scope, f"{name} {word.head}")


def _names(shell: Shell, name: str, operands: list[Word], scope: Scope) -> None:
    for word in operands:
        shell.write(word, scope, f"{name} {word.head}", follow=False)


def _nearest(shell: Shell, name: str, path: str, scope: Scope) -> None:
    """A file of the project: where it is, here or above, else it is made here."""
    kind = FOLDER if path.endswith("/") else FILE
    folder = scope.cwd or ""
    while folder.rstrip("/") and not shell.world.exists(f"{folder}/{path}"):
        folder = os.path.dirname(folder)
    shell.write(Word(f"{folder}/{path}" if folder.rstrip("/") else path), scope, f"{name}: {path}", kind)


def _below(shell: Shell, name: str, operands: list[Word], scope: Scope) -> None:
    for word in operands:
        path = absolute(word, scope)
        where = word if path is not None and shell.world.exists(path) else _unmatched(word)
        if word.text != "-":
            kind = FOLDER if where is not word else kind_of(shell, word, scope)
            shell.write(where, scope, f"{name} {word.head}", kind)


def _unmatched(word: Word) -> Word:
    """A pattern that the program matches itself: no more is known than the folder that it begins with."""
    parts = (word.text or "").split("/")
    at = next(
        (at for at, part in enumerate(parts) if part == "..." or any(char in part for char in "*?[")), -1
    )
    if word.text is None or at < 0:
        return word
    known = parts[:at]
    return Word("/".join(known) or ("/" if word.text.startswith("/") else "."))


def _here(shell: Shell, name: str, operands: list[Word], scope: Scope) -> None:
    _below(shell, name, operands or [Word(".")], scope)


def _folder(shell: Shell, name: str, operands: list[Word], scope: Scope) -> None:
    shell.write(Word("."), scope, name, FOLDER)


def _tree(shell: Shell, name: str, operands: list[Word], scope: Scope) -> None:
    shell.write(Word("."), scope, name, TREE)


def _makes(shell: Shell, name: str, operands: list[Word], scope: Scope) -> None:
    for word in operands:
        path = absolute(word, scope)
        if path is None or not shell.world.is_folder(path):
            shell.write(word, scope, f"{name} {word.head}")
        if path is not None:
            shell.world.folders.add(path)


OPERANDS: dict[str, Callable[[Shell, str, list[Word], Scope], None]] = {
    "reads": lambda *_: None,
    "all": _files,
    "names": _names,
    "first": lambda shell, name, operands, scope: _files(shell, name, operands[:1], scope),
    "second": lambda shell, name, operands, scope: _files(shell, name, operands[1:2], scope),
    "last": lambda shell, name, operands, scope: _files(shell, name, operands[-1:], scope),
    "below": _below,
    "here": _here,
    "folder": _folder,
    "tree": _tree,
    "makes": _makes,
}
