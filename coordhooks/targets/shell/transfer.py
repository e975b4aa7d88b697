"""Programs that carry files from one place to another: cp, mv, ln, install, rsync, dd, rm, split, curl, wget."""

# ruff: noqa: ARG001 - all programs have one signature

from coordhooks.targets.shell.places import absolute, elsewhere, inside, is_folder, kind_of, with_suffix
from coordhooks.targets.shell.rules import Args, Rule, arguments
from coordhooks.targets.shell.scope import EMPTY, UNKNOWN, Scope, Stream, Word
from coordhooks.targets.shell.verdict import FILE, FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.targets.shell.walk import Shell

RECURSIVE = ("-r", "-R", "-a", "--recursive", "--archive")
BACKUP = ("-b", "--backup", "-S", "--suffix")


def _destinations(
    shell: "Shell", found: Args, scope: Scope, *, plain: bool = False
) -> list[tuple[Word, Word]]:
    """Pairs of source and destination, as cp, mv, ln and install understand their operands."""
    into = found.values("-t", "--target-directory")
    if into:
        return [(word, inside(into[-1], word)) for word in found.operands]
    if len(found.operands) < 2:
        return []
    *sources, last = found.operands
    folder = (last.text or "").endswith("/") or is_folder(shell, last, scope) or len(sources) > 1
    if folder and not plain:
        return [(word, inside(last, word)) for word in sources]
    return [(word, last) for word in sources]


def _backed_up(shell: "Shell", found: Args, target: Word, scope: Scope, why: str) -> None:
    if found.has(*BACKUP):
        suffix = (found.values("-S", "--suffix") or [Word("~")])[-1].text or "~"
        shell.write(with_suffix(target, suffix), scope, why)


def _copy(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], rule)
    if found.has("--parents"):
        shell.write((found.operands or [Word()])[-1], scope, "cp --parents", FOLDER)
        return EMPTY
    for source, named in _destinations(shell, found, scope, plain=found.has("-T", "--no-target-directory")):
        unnamed = named.text is None and bool(source.roots) and len(found.operands) > 1
        target = (
            Word(found.operands[-1].text) if unnamed else named
        )  # names that can't be told, but surely in there
        why = f"cp to {target.head}"
        whole = unnamed or (found.has(*RECURSIVE) and kind_of(shell, source, scope) == FOLDER)
        links = found.has(
            "-a", "-d", "-P", "--archive", "--no-dereference", "-l", "-s", "--remove-destination"
        )
        shell.write(target, scope, why, FOLDER if whole else FILE, follow=not links, overwrite=not whole)
        _backed_up(shell, found, target, scope, why)
        if whole and absolute(target, scope) is not None:
            shell.world.folders.add(absolute(target, scope) or "")
    return EMPTY


def _move(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], rule)
    for source, target in _destinations(shell, found, scope, plain=found.has("-T", "--no-target-directory")):
        kind = kind_of(shell, source, scope)
        shell.write(source, scope, f"mv {source.head}", kind, follow=False)
        if source.text is None and target.text is None and source.roots:
            shell.write(found.operands[-1], scope, f"mv to {found.operands[-1].head}", FOLDER)
            continue
        shell.write(target, scope, f"mv to {target.head}", kind, follow=False, overwrite=True)
        _backed_up(shell, found, target, scope, f"mv to {target.head}")
        if kind == FOLDER and absolute(target, scope) is not None:
            shell.world.folders.add(absolute(target, scope) or "")
    return EMPTY


def _install(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], rule)
    if found.has("-d", "--directory"):
        for word in found.operands:
            if not is_folder(shell, word, scope):
                shell.write(word, scope, f"install -d {word.head}")
        return EMPTY
    plain = found.has("-T", "--no-target-directory")
    for _, target in _destinations(shell, found, scope, plain=plain):
        shell.write(target, scope, f"install to {target.head}", follow=False, overwrite=True)
        _backed_up(shell, found, target, scope, f"install to {target.head}")
    return EMPTY


def _link(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], rule)
    plain = found.has("-T", "--no-target-directory", "-n", "--no-dereference")
    if len(found.operands) == 1 and not found.values("-t", "--target-directory"):
        shell.write(inside(Word("."), found.operands[0]), scope, "ln", follow=False)
    for _, target in _destinations(shell, found, scope, plain=plain):
        shell.write(target, scope, f"ln {target.head}", follow=False)
        _backed_up(shell, found, target, scope, f"ln {target.head}")
    return EMPTY


def _remove(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], rule)
    whole = found.has("-r", "-R", "--recursive")
    for word in found.operands:
        kind = kind_of(shell, word, scope) if whole else FILE
        shell.write(word, scope, f"rm {word.head}", kind, follow=False)
    return EMPTY


def _dd(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    known = [word.head for word in argv[1:]]
    for word in argv[1:]:
        if word.head.startswith("of="):
            target = Word(word.text[3:]) if word.text is not None else Word()
            cut = not any("notrunc" in each for each in known)
            shell.write(target, scope, f"dd {word.head}", overwrite=cut)
        elif word.loose:
            shell.verdict.doubt("dd: its operands can't be told")
    return UNKNOWN


def _rsync(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], rule)
    for value in found.values(*rule.out):
        shell.write(value, scope, "rsync", overwrite=True)
    if found.has("-n", "--dry-run", "--list-only") or len(found.operands) < 2:
        return UNKNOWN
    *sources, last = found.operands
    if found.has("--remove-source-files"):
        for source in sources:
            shell.write(
                source, scope, f"rsync from {source.head}", kind_of(shell, source, scope), follow=False
            )
    if ":" in last.head.partition("/")[0]:
        return UNKNOWN  # another machine
    single = len(sources) == 1 and not found.has(*RECURSIVE) and not is_folder(shell, sources[0], scope)
    if single and is_folder(shell, last, scope):
        last = inside(last, sources[0])
    lone = single and not last.head.endswith("/")
    shell.write(
        last, scope, f"rsync to {last.head}", FILE if lone else FOLDER, follow=not lone, overwrite=lone
    )
    return UNKNOWN


def _split(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], rule)
    if found.has("--filter"):
        shell.verdict.doubt("split --filter: its command can't be followed")
    prefix = (found.operands[1:2] or [Word("x")])[0]
    _beginning(shell, prefix, scope, "split")
    return EMPTY


def _csplit(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], rule)
    prefix = (found.values("-f", "--prefix") or [Word("xx")])[-1]
    _beginning(shell, prefix, scope, "csplit")
    return UNKNOWN


def _beginning(shell: "Shell", prefix: Word, scope: Scope, why: str) -> None:
    """Files whose names begin with ``prefix``: those that are there may be replaced, and nobody has the others."""
    shell.verdict.doubt(f"{why}: how many files it makes can't be told")
    folder, slash, begin = (prefix.text or "").rpartition("/")
    path = absolute(Word(folder + slash or "."), scope)
    for name in shell.world.names(path) or [] if path is not None and prefix.text is not None else []:
        if name.startswith(begin) and name[len(begin) :].isalnum():
            shell.write(Word(folder + slash + name), scope, why, overwrite=True)


def _url_name(url: Word) -> Word:
    """The file name that a download takes from its address."""
    text = (url.text or "").split("?")[0].split("#")[0]
    path = text.partition("://")[2] or text
    name = path.rpartition("/")[2]
    return Word(name or "index.html") if url.text is not None else Word()


def _curl(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], rule)
    folder = found.values("--output-dir")
    there = elsewhere(scope, folder[-1] if folder else None)
    for option, value in found.options:
        if option in ("-J", "--remote-header-name", "-K", "--config"):
            shell.verdict.doubt(f"curl {option}: the name can't be told")
        if option in rule.out and value is not None and value.text != "-":
            where = there if option in ("-o", "--output") else scope
            shell.write(value, where, f"curl {option} {value.head}", overwrite=True)
    if found.has("-O", "--remote-name", "--remote-name-all"):
        for url in [*found.operands, *found.values("--url")]:
            shell.write(_url_name(url), there, "curl -O", overwrite=True)
    if found.loose:
        shell.verdict.doubt("curl: its options can't be told")
    return UNKNOWN


def _wget(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], rule)
    for value in found.values(*rule.out):
        if value.text != "-":
            shell.write(value, scope, f"wget to {value.head}", overwrite=True)
    if found.has("-O", "--output-document", "--spider"):
        return UNKNOWN
    folder = found.values("-P", "--directory-prefix")
    there = elsewhere(scope, folder[-1] if folder else None)
    if found.has(
        "-r", "--recursive", "-m", "--mirror", "-p", "--page-requisites", "-i", "--input-file", "-x"
    ):
        shell.write(Word("."), there, "wget", FOLDER)
        return UNKNOWN
    for url in found.operands:
        shell.write(_url_name(url), there, f"wget {url.head}")
    return UNKNOWN


HANDLERS = {
    "copy": _copy,
    "move": _move,
    "install": _install,
    "link": _link,
    "rm": _remove,
    "dd": _dd,
    "rsync": _rsync,
    "split": _split,
    "csplit": _csplit,
    "curl": _curl,
    "wget": _wget,
}
