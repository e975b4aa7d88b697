"""Interpreters: code in the command is judged, a script file is not known; and some compilers and their like."""

# ruff: noqa: ARG001 - all programs have one signature

import os
from itertools import pairwise

from coordhooks.targets.shell import scripts
from coordhooks.targets.shell import table_scripts as table
from coordhooks.targets.shell.places import backup
from coordhooks.targets.shell.rules import Rule, arguments
from coordhooks.targets.shell.scope import UNKNOWN, Scope, Stream, Word
from coordhooks.targets.shell.table_python import READING_MODULES
from coordhooks.targets.shell.verdict import FOLDER, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.targets.shell.walk import Shell

NODE = scripts.Language(
    table.NODE_WRITES, (), table.NODE_OPAQUE, table.NODE_MODULES, ("require", "import"), "//", joined=False
)
RUBY = scripts.Language(
    table.RUBY_WRITES,
    table.RUBY_OPENERS,
    table.RUBY_OPAQUE,
    table.RUBY_MODULES,
    ("require",),
    "#",
    joined=True,
)
PERL = scripts.Language(
    table.PERL_WRITES,
    table.PERL_OPENERS,
    table.PERL_OPAQUE,
    table.PERL_MODULES,
    ("use", "require", "no"),
    "#",
    joined=False,
)

PYTHON_RULE = Rule("=python takes=-c,-m,-W,-X,--check-hash-based-pycs stop")
NODE_RULE = Rule("=node takes=-e,--eval,-p,--print,-r,--require,--import,--input-type,-C,--conditions stop")
TELLING = ("-V", "--version", "-v", "-h", "--help", "-vV", "--check")


# -- python -------------------------------------------------------------------------------------------------


def _python(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    words = argv[1:]
    kept: list[Word] = []
    while words:  # what follows -c CODE and -m MODULE belongs to these
        word = words.pop(0)
        bundle = word.head if word.is_option and not word.head.startswith("--") else ""
        if bundle and bundle[-1] in "cm" and words:
            return _python_given(shell, bundle[-1], words, scope)
        kept.append(word)
        if not word.is_option:
            break
        if word.text in ("-W", "-X") and words:
            words.pop(0)
    operands = [word for word in kept if not word.is_option]
    if not operands and kept and any(word.text in TELLING for word in kept):
        return UNKNOWN
    _code(shell, operands, words, scope, "python")
    return UNKNOWN


def _python_given(shell: "Shell", how: str, words: list[Word], scope: Scope) -> Stream:
    from coordhooks.targets.shell import python

    first, rest = words[0], words[1:]
    if first.text is None:
        shell.verdict.doubt("python: what it runs can't be told")
    elif how == "c":
        python.judge(shell, first.text, scope, rest)
    elif first.text == "json.tool":
        for word in [word for word in rest if not word.is_option][1:2]:
            shell.write(word, scope, "python -m json.tool", overwrite=True)
    elif first.text in ("py_compile", "compileall"):
        for word in rest or [Word(".")]:
            where = (
                word
                if first.text == "compileall" or word.text is None
                else Word(os.path.dirname(word.text) or ".")
            )
            shell.write(where, scope, f"python -m {first.text}", FOLDER)
    elif first.text in ("venv", "virtualenv"):
        return shell.call([Word("virtualenv"), *rest], scope)
    elif first.text not in READING_MODULES:
        return shell.call([first, *rest], scope)
    return UNKNOWN


def _code(shell: "Shell", operands: list[Word], args: list[Word], scope: Scope, name: str) -> None:
    """Code that comes in by standard input, or a script file that is not known."""
    stream = scope.stdin
    if operands and operands[0].text not in ("-", "/dev/stdin"):
        stream = operands[0].stream or UNKNOWN
    if stream.text is None:
        shell.verdict.doubt(f"{name} {(operands or [Word('')])[0].head}: what it runs can't be told")
    elif name == "python":
        from coordhooks.targets.shell import python

        python.judge(shell, stream.text, scope, args)
    else:
        _judge(shell, stream.text, LANGUAGES[name], scope, name)


# -- node, perl, ruby ---------------------------------------------------------------------------------------


def _judge(shell: "Shell", code: str, language: scripts.Language, scope: Scope, name: str) -> None:
    found = scripts.read(code, language)
    for text in found.files:
        shell.write(Word(text), scope, f"{name} code")
    for doubt in found.doubts:
        shell.verdict.doubt(f"{name}: {doubt}")


def _node(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], NODE_RULE)
    texts = found.values("-e", "--eval", "-p", "--print", "-pe")
    if found.values("-r", "--require", "--import"):
        shell.verdict.doubt("node: what it requires can't be told")
    for word in texts:
        if word.text is None:
            shell.verdict.doubt("node: what it runs can't be told")
        else:
            _judge(shell, word.text, NODE, scope, "node")
    if not texts and not found.has("-v", "--version", "-h", "--help", "-c", "--check"):
        _code(shell, found.operands[:1], found.operands[1:], scope, "node")
    return UNKNOWN


class _Flags:
    """Perl's and Ruby's bundles of short options."""

    def __init__(self, words: list[Word], attached: str, codes: str) -> None:
        self.code: list[Word] = []
        self.in_place = False
        self.suffix = ""
        self.modules: list[str] = []
        self.tells = False
        self.rest = list(words)
        while self.rest and self.rest[0].is_option and self.rest[0].text != "--":
            self._bundle(self.rest.pop(0), attached, codes)
        if self.rest and self.rest[0].text == "--":
            self.rest.pop(0)

    def _bundle(self, word: Word, attached: str, codes: str) -> None:
        text = word.head
        self.tells = self.tells or text in ("-v", "-V", "--version", "--help", "-h", "-c", "-wc")
        for at, letter in enumerate(text[1:], 1):
            inside = text[at + 1 :]
            if letter in codes:
                if inside:
                    self.code.append(Word(inside) if word.text is not None else Word(head=inside))
                elif self.rest:
                    self.code.append(self.rest.pop(0))
                return
            if letter == "i":
                self.in_place, self.suffix = True, inside
                return
            if letter in "0l" and not inside.lstrip("01234567x"):
                return
            if letter in attached and letter not in "0l":
                if letter in "Mmr":
                    self.modules.append(
                        (inside or (self.rest.pop(0).head if letter == "r" and self.rest else "")).lstrip("-")
                    )
                elif letter == "I" and not inside and self.rest:
                    self.rest.pop(0)
                return


def _perl(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    return _in_lines(shell, _Flags(argv[1:], "MmIFxCD0l", "eE"), PERL, scope, "perl")


def _ruby(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    return _in_lines(shell, _Flags(argv[1:], "rIFxCKETW0", "e"), RUBY, scope, "ruby")


def _in_lines(shell: "Shell", flags: _Flags, language: scripts.Language, scope: Scope, name: str) -> Stream:
    """Code of ``-e``, and the operands that ``-i`` edits."""
    for word in flags.code:
        if word.text is None:
            if not flags.in_place or not word.head:
                shell.verdict.doubt(f"{name}: what it runs can't be told")
        else:
            _judge(shell, word.text, language, scope, name)
    for module in flags.modules:
        if module.partition("=")[0] not in language.modules:
            shell.verdict.doubt(f"{name}: what the module {module[:40]} does can't be told")
    files = flags.rest
    if not flags.code:
        if not flags.tells:
            _code(shell, files[:1], files[1:], scope, name)
        files = files[1:]
    for word in files if flags.in_place else []:
        shell.write(word, scope, f"{name} -i {word.head}", follow=False)
        if flags.suffix:
            shell.write(backup(word, flags.suffix), scope, f"{name} -i{flags.suffix}", follow=False)
    return UNKNOWN


LANGUAGES = {"node": NODE, "perl": PERL, "ruby": RUBY}


# -- others -------------------------------------------------------------------------------------------------


def _bun(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    sub = argv[1].text if len(argv) > 1 else ""
    if sub in ("-e", "--eval", "-p", "--print"):
        return _node(shell, argv, scope, rule)
    return shell.call([Word(f"bun {sub}"), *argv[2:]], scope)


def _compiler(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    """One output with ``-o``; else names made from the sources, in the directory reached."""
    outputs = [after for word, after in pairwise(argv) if word.text == "-o"]
    outputs += [
        Word(word.text[2:])
        for word in argv[1:]
        if word.text and word.text.startswith("-o") and len(word.text) > 2
    ]
    for word in outputs:
        shell.write(word, scope, f"{argv[0].text} -o", overwrite=True)
    only_reads = any(
        word.text in ("-fsyntax-only", "-E", "-M", "-MM", "--version", "-v", "-dumpversion") for word in argv
    )
    if not outputs and not only_reads:
        shell.write(Word("."), scope, argv[0].text or "", FOLDER)
    return UNKNOWN


def _sqlite(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    """A database that is only asked stays as it is."""
    operands = [word for word in argv[1:] if not word.is_option]
    texts = [word.text for word in operands[1:]] or [scope.stdin.text]
    text = " ".join(text or "?" for text in texts).strip().lower()
    if text.startswith(
        ("select", ".schema", ".tables", "pragma table_info", "explain")
    ) and ";" not in text.rstrip("; "):
        return UNKNOWN
    for word in operands[:1]:
        if word.text not in (":memory:", ""):
            shell.write(word, scope, f"sqlite3 {word.head}")
    if text.startswith(("?", ".")) or "\n." in text or not text:
        shell.verdict.doubt("sqlite3: its commands can't be followed")
    return UNKNOWN


def _venv(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    for word in arguments(argv[1:], rule).operands[:1] or [Word(".venv")]:
        shell.write(word, scope, "venv", FOLDER)
    return UNKNOWN


def _pip_compile(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], rule)
    outputs = found.values(*rule.out)
    if not found.has(*rule.unless):
        for word in outputs or [Word("requirements.txt")]:
            shell.write(word, scope, "pip-compile", overwrite=True)
    return UNKNOWN


def _gh(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    """GitHub's client works elsewhere, but for a few commands."""
    words = [word.text for word in argv[1:3]]
    if words in (["pr", "checkout"], ["repo", "sync"]):
        shell.git("switch", scope, (), ())
        shell.write(Word("."), scope, f"gh {words[0]} {words[1]}", TREE)
    elif words in (["repo", "clone"], ["run", "download"], ["release", "download"]):
        shell.write(Word("."), scope, f"gh {words[0]} {words[1]}", FOLDER)
    elif words[:1] in (["extension"], ["codespace"], ["alias"]):
        shell.verdict.doubt(f"gh {words[0]}: what it writes can't be told")
    return UNKNOWN


HANDLERS = {
    "python": _python,
    "node": _node,
    "perl": _perl,
    "ruby": _ruby,
    "bun": _bun,
    "compiler": _compiler,
    "sqlite": _sqlite,
    "venv": _venv,
    "pip_compile": _pip_compile,
    "gh": _gh,
}
