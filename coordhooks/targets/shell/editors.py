"""Programs that edit files in place: sed, ed, vi, patch, apply_patch, sd, and what awk writes."""

# ruff: noqa: ARG001 - all programs have one signature

from coordhooks.targets import patch
from coordhooks.targets.shell import awk, diffs, sed
from coordhooks.targets.shell.places import backup, elsewhere, kind_of
from coordhooks.targets.shell.rules import Rule, arguments
from coordhooks.targets.shell.scope import EMPTY, UNKNOWN, Scope, Stream, Word
from coordhooks.targets.shell.verdict import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.targets.shell.walk import Shell

AWK = Rule(
    "=awk takes=-f,-F,-v,-i,-e,-E,-l,--file,--field-separator,--assign,--include,--source,--exec,-W stop"
)
VI = Rule("=vi takes=-c,-S,-u,-U,-i,-T,-w,-W,--cmd")
ED = Rule("=ed takes=-p,--prompt")
XXD = Rule("=xxd takes=-c,-g,-l,-s,-o,-n")


# -- sed ----------------------------------------------------------------------------------------------------


def _sed(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    words, in_place, suffix = _in_place(argv[1:])
    found = arguments(words, rule)
    scripts = found.values("-e", "--expression")
    operands = found.operands
    if not scripts and not found.values("-f", "--file"):
        scripts, operands = operands[:1], operands[1:]
    if found.values("-f", "--file"):
        shell.verdict.doubt("sed -f: its script can't be followed")
    for script in scripts:
        _sed_script(shell, script, scope)
    for word in operands if in_place else []:
        shell.write(word, scope, f"sed -i {word.head}", follow=found.has("--follow-symlinks"))
        if suffix:
            shell.write(backup(word, suffix), scope, f"sed -i{suffix}", follow=False)
    if scope.stdin.roots and not operands:
        return Stream(None, scope.stdin.roots)
    return UNKNOWN


def _in_place(words: list[Word]) -> tuple[list[Word], bool, str]:
    """The words without ``-i`` (anywhere in a bundle, with or without a suffix; ``-i ''`` is how BSD spells it)."""
    kept: list[Word] = []
    in_place, suffix, skip = False, "", False
    for at, word in enumerate(words):
        text = word.head
        if skip:
            skip = False
            if text == "" and word.text is not None:
                continue
        if text.startswith("--in-place"):
            in_place, suffix = True, text.partition("=")[2]
        elif _bundle(text) >= 0 and not any(each.text == "--" for each in words[:at]):
            cut = _bundle(text)
            in_place, suffix, skip = True, text[cut + 1 :], text[cut + 1 :] == ""
            if cut > 1:
                kept.append(Word(text[:cut]))
        else:
            kept.append(word)
    return kept, in_place, suffix


def _bundle(text: str) -> int:
    """Where ``i`` stands in a bundle of short options, or -1."""
    if not text.startswith("-") or text.startswith("--"):
        return -1
    for at, letter in enumerate(text):
        if letter in "efl":
            return -1
        if letter in "iI":
            return at
    return -1


def _sed_script(shell: "Shell", script: Word, scope: Scope) -> None:
    """Files that the script writes. With variables in it only its commands are known, which is enough."""
    if script.text is None:
        if not script.head:
            shell.verdict.doubt("sed: its script can't be told")
        return
    names = sed.written(script.text)
    if names is None:
        shell.verdict.doubt("sed: its script can't be followed")
    for name in names or []:
        shell.write(Word(name), scope, f"sed w {name}", overwrite=True)


# -- awk ----------------------------------------------------------------------------------------------------


def _awk(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], AWK)
    programs = found.values("-e", "--source") or found.operands[:1]
    files = found.operands if found.values("-e", "--source") else found.operands[1:]
    if found.values("-f", "--file", "-E", "--exec"):
        shell.verdict.doubt("awk -f: its program can't be followed")
        programs, files = [], found.operands
    if any(value.text == "inplace" for value in found.values("-i", "--include")):
        for word in files:
            if "=" not in word.head:
                shell.write(word, scope, f"awk -i inplace {word.head}", follow=False)
    variables = dict(
        word.head.split("=", 1) for word in found.values("-v", "--assign") if word.text and "=" in word.text
    )
    for program in programs:
        _awk_program(shell, program, variables, scope)
    return UNKNOWN


def _awk_program(shell: "Shell", program: Word, variables: dict[str, str], scope: Scope) -> None:
    if program.text is None:
        shell.verdict.doubt("awk: its program can't be told")
        return
    found = awk.written(program.text, variables)
    if not found.told:
        shell.verdict.doubt("awk: where its output goes can't be told")
    for name in found.files:
        shell.write(Word(name), scope, f"awk print > {name}", overwrite=True)
    for command in found.commands:
        shell.script(command, scope.copy())


# -- ed and vi ----------------------------------------------------------------------------------------------


def _ed(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    """ed writes when it is told to; its commands come from standard input."""
    operands = arguments(argv[1:], ED).operands
    text = scope.stdin.text
    if text is None:
        shell.verdict.doubt("ed: its commands can't be told")
        return UNKNOWN
    for line in text.split("\n"):
        _ed_line(shell, line, operands, scope)
    return UNKNOWN


def _ed_line(shell: "Shell", line: str, operands: list[Word], scope: Scope) -> None:
    """``w``, ``wq``, ``1,5w name``; ``!`` runs a program."""
    command = line.lstrip("0123456789,$.;%+- ")
    if command.startswith(("!", "w !", "r !", "e !")):
        shell.verdict.doubt("ed: the command that it runs can't be followed")
    if not command.startswith(("w", "W", "x")):
        return
    name = command.lstrip("wWxq!").strip()
    if name and not name.startswith("!"):
        shell.write(Word(name), scope, f"ed w {name}")
    else:
        for word in operands[:1]:
            shell.write(word, scope, f"ed {word.head}")


def _vi(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    """ex and vim without a person: commands from ``-c``, ``+`` or standard input."""
    found = arguments(argv[1:], VI)
    commands = found.values("-c", "--cmd") + [word for word in found.operands if word.head.startswith("+")]
    files = [word for word in found.operands if not word.head.startswith("+")]
    texts = [word.text or "!" for word in commands]
    texts += (scope.stdin.text or "").split("\n") if scope.stdin.text is not None else []
    if found.values("-S", "-w", "-W") or any(_risky(text) for text in texts):
        shell.verdict.doubt("vi: its commands can't be followed")
    if found.has("-R", "-M"):
        return UNKNOWN
    for word in files:
        shell.write(word, scope, f"vi {word.head}")
    return UNKNOWN


def _risky(text: str) -> bool:
    """Does an ex command run a program, or write to another file?"""
    parts = text.replace("|", "\n").split("\n")
    for part in parts:
        command = part.lstrip("+:%0123456789,$. ")
        if command.startswith(
            ("!", "so", "cal", "exe", "py", "lua", "perl", "ruby", "sav", "r!", "r !", "arg", "bufdo")
        ):
            return True
        if command.startswith(("w ", "w!", "wq ", "x ", "up ", "wri")) and command.rstrip("! ") not in (
            "w",
            "wri",
            "write",
        ):
            return True
    return False


# -- patches ------------------------------------------------------------------------------------------------


def _patch(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], rule)
    for value in found.values(*rule.out):
        if value.text != "-":
            shell.write(value, scope, "patch", overwrite=True)
    if found.has(*rule.unless) or found.values("-o", "--output"):
        return UNKNOWN
    folder = found.values("-d", "--directory")
    scope_there = elsewhere(scope, folder[-1] if folder else None)
    if found.operands:
        shell.write(found.operands[0], scope_there, f"patch {found.operands[0].head}", follow=False)
        return UNKNOWN
    level = (found.values("-p", "--strip") or [Word("")])[-1].text or ""
    names = None
    if scope.stdin.text is not None and not found.values("-i", "--input"):
        names = diffs.names(scope.stdin.text, int(level) if level.isdecimal() and len(level) < 4 else None)
    for name in names or []:
        shell.write(Word(name), scope_there, f"patch {name}", follow=False)
    if names is None:
        shell.write(Word("."), scope_there, "patch", FOLDER)
    return UNKNOWN


def _apply_patch(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    text = argv[1].text if len(argv) > 1 else scope.stdin.text
    if text is None:
        shell.verdict.doubt("apply_patch: the patch can't be told")
        return UNKNOWN
    for header in patch.headers(text):
        why = f"apply_patch {header.action} {header.path}"
        shell.write(Word(header.path), scope, why, follow=header.action != patch.DELETE)
    return UNKNOWN


# -- others -------------------------------------------------------------------------------------------------


def _sd(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], rule)
    if not found.has("-p", "--preview"):
        for word in found.operands[2:]:
            shell.write(word, scope, f"sd {word.head}", follow=False)
    return UNKNOWN


def _rename(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    """Both programs of that name take files last; what they become can't be told."""
    if any(word.text in ("-n", "--no-act", "--nono") for word in argv):
        return UNKNOWN
    for word in [word for word in argv[2:] if not word.is_option]:
        shell.write(word, scope, f"rename {word.head}", kind_of(shell, word, scope), follow=False)
    shell.verdict.doubt("rename: the new names can't be told")
    return EMPTY


def _xxd(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    for word in arguments(argv[1:], XXD).operands[1:2]:
        shell.write(word, scope, f"xxd {word.head}")
    return UNKNOWN


HANDLERS = {
    "sed": _sed,
    "awk": _awk,
    "ed": _ed,
    "vi": _vi,
    "patch": _patch,
    "apply_patch": _apply_patch,
    "sd": _sd,
    "opaque_names": _rename,
    "xxd": _xxd,
}
