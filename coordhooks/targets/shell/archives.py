"""Archivers: what they unpack goes below a folder; what they pack goes to one file."""

# ruff: noqa: ARG001 - all programs have one signature

from coordhooks.targets.shell.places import elsewhere, kind_of, with_suffix
from coordhooks.targets.shell.rules import Rule, arguments
from coordhooks.targets.shell.scope import EMPTY, UNKNOWN, Scope, Stream, Word
from coordhooks.targets.shell.verdict import FILE, FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.targets.shell.walk import Shell

TAR = Rule(
    "=tar takes=-f,-C,-T,-X,-b,-I,-g,-H,-N,-V,-L,-K,--file,--directory,--files-from,--exclude,--exclude-from,--transform,"
    "--xform,--use-compress-program,--owner,--group,--mode,--mtime,--sort,--format,--strip-components,--listed-incremental"
)
TAR_MODES = {
    "-x": "x", "--extract": "x", "--get": "x", "-c": "c", "--create": "c", "-r": "c", "--append": "c", "-u": "c",
    "--update": "c", "-A": "c", "--catenate": "c", "--delete": "c", "-t": "t", "--list": "t", "-d": "t", "--diff": "t",
}  # fmt: skip
ZIP = Rule("=zip takes=-x,-i,-n,-b,-t,-tt,-P,-s out=-O,--out,--output-file")
UNZIP = Rule("=unzip takes=-d,-P,-x")
SQUEEZE = Rule("=squeeze takes=-S,-T,--suffix,--threads,-o,--format,-b,-F,-M,-D")
CPIO = Rule("=cpio takes=-F,-I,-H,-R,-D,-E out=-O,--file")

SUFFIXES = {
    "gzip": ".gz", "gunzip": ".gz", "pigz": ".gz", "bzip2": ".bz2", "bunzip2": ".bz2", "xz": ".xz", "unxz": ".xz",
    "lzma": ".lzma", "unlzma": ".lzma", "zstd": ".zst", "unzstd": ".zst", "lz4": ".lz4", "compress": ".Z",
    "uncompress": ".Z", "lzip": ".lz",
}  # fmt: skip
SHORT = {".tgz": ".tar", ".tbz": ".tar", ".tbz2": ".tar", ".txz": ".tar", ".taz": ".tar"}
UNPACKERS = ("gunzip", "bunzip2", "unxz", "unlzma", "unzstd", "uncompress")
KEEPERS = ("zstd", "unzstd", "lz4")


def _tar(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    words = argv[1:]
    if words and words[0].text and not words[0].text.startswith("-"):
        words = _old_style(words)
    found = arguments(words, TAR)
    modes = {TAR_MODES[name] for name, _ in found.options if name in TAR_MODES}
    if not modes:
        shell.verdict.doubt("tar: what it does can't be told")
        return UNKNOWN
    where = scope
    for folder in found.values("-C", "--directory"):
        where = elsewhere(where, folder)
    if found.has("--to-command", "--checkpoint-action", "-I", "--use-compress-program", "-g"):
        shell.verdict.doubt("tar: the command that it runs can't be followed")
    if "x" in modes and not found.has("-O", "--to-stdout"):
        shell.write(Word("."), where, "tar -x", FOLDER)
    if "c" in modes:
        for value in found.values("-f", "--file")[-1:]:
            if value.text != "-":
                shell.write(value, scope, f"tar -f {value.head}", overwrite=True)
        if found.has("--remove-files"):
            for word in found.operands:
                shell.write(word, where, f"tar {word.head}", kind_of(shell, word, where), follow=False)
    return UNKNOWN


def _old_style(words: list[Word]) -> list[Word]:
    """``tar xfC a.tar folder``: letters without a dash, their values in order behind them."""
    letters, rest = words[0].text or "", words[1:]
    found: list[Word] = []
    for letter in letters:
        found.append(Word("-" + letter))
        if "-" + letter in TAR.takes and rest:
            found.append(rest.pop(0))
    return [*found, *rest]


def _zip(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], ZIP)
    if not found.operands or found.has("-T", "--test", "-sf"):
        return UNKNOWN
    archive = (found.values("-O", "--out", "--output-file") or found.operands)[0]
    if archive.text is not None and "." not in archive.text.rpartition("/")[2]:
        archive = with_suffix(archive, ".zip")
    if archive.text != "-":
        shell.write(archive, scope, f"zip {archive.head}", follow=False)
    if found.has("-m", "--move"):
        for word in found.operands[1:]:
            shell.write(word, scope, f"zip -m {word.head}", kind_of(shell, word, scope), follow=False)
    return UNKNOWN


def _unzip(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], UNZIP)
    if found.has("-l", "-t", "-p", "-c", "-v", "-Z", "-z"):
        return UNKNOWN
    folder = found.values("-d")
    shell.write(folder[-1] if folder else Word("."), scope, "unzip", FOLDER)
    return UNKNOWN


def _squeeze(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    """gzip and its like: each file is replaced by its other form."""
    name = argv[0].text or ""
    found = arguments(argv[1:], SQUEEZE)
    if found.has("-c", "--stdout", "--to-stdout", "-t", "--test", "-l", "--list"):
        return UNKNOWN
    if name in KEEPERS and found.values("-o"):
        shell.write(found.values("-o")[-1], scope, f"{name} -o", overwrite=True)
        return UNKNOWN
    suffix = SUFFIXES[name]
    unpack = name in UNPACKERS or found.has("-d", "--decompress", "--uncompress")
    keep = found.has("-k", "--keep") or (name in KEEPERS and not found.has("--rm"))
    for word in found.operands:
        if found.has("-r", "--recursive") and kind_of(shell, word, scope) == FOLDER:
            shell.write(word, scope, f"{name} -r {word.head}", FOLDER)
            continue
        if not keep:
            shell.write(word, scope, f"{name} {word.head}", follow=False)
        shell.write(_other_form(word, suffix, unpack=unpack), scope, f"{name} {word.head}", follow=False)
    return UNKNOWN


def _other_form(word: Word, suffix: str, *, unpack: bool) -> Word:
    if not unpack or word.text is None:
        return with_suffix(word, suffix)
    for short, long in SHORT.items():
        if word.text.endswith(short):
            return Word(word.text.removesuffix(short) + long)
    return Word(word.text.removesuffix(suffix) if word.text.endswith(suffix) else word.text)


def _cpio(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], CPIO)
    for value in found.values(*CPIO.out):
        shell.write(value, scope, "cpio", overwrite=True)
    if found.has("-t", "--list", "-o", "--create", "--to-stdout"):
        return UNKNOWN
    into = found.values("-D") or (found.operands[-1:] if found.has("-p", "--pass-through") else [])
    shell.write(into[-1] if into else Word("."), scope, "cpio", FOLDER)
    return UNKNOWN


def _ar(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    if len(argv) < 3:
        return UNKNOWN
    mode = argv[1].head.lstrip("-")[:1]
    if mode == "x":
        shell.write(Word("."), scope, "ar x", FOLDER)
    elif mode not in ("t", "p"):
        shell.write(argv[2], scope, f"ar {argv[2].head}")
    return EMPTY


def _seven(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    mode = argv[1].text if len(argv) > 1 else ""
    operands = [word for word in argv[2:] if not word.is_option]
    if mode in ("x", "e"):
        folder = [word.head[2:] for word in argv[2:] if word.head.startswith("-o")]
        shell.write(Word(folder[-1]) if folder else Word("."), scope, "7z", FOLDER)
    elif mode in ("a", "u", "d", "rn") and operands:
        shell.write(operands[0], scope, f"7z {operands[0].head}", FILE)
    return UNKNOWN


HANDLERS = {
    "tar": _tar,
    "zip": _zip,
    "unzip": _unzip,
    "squeeze": _squeeze,
    "cpio": _cpio,
    "ar": _ar,
    "seven": _seven,
}
