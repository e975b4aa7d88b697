"""How one line of the writers table is read, and how a program's arguments are taken apart by it.

A line is: what the operands are, then flags and ``key=option,option``.

    reads    nothing is written            opaque   can't be told
    checks   can't be told either: it runs the project's own tests or build, which strict mode lets through
    all      each operand is a file        names    each operand's own name is removed or replaced
    first, second, last                    that operand
    below    each operand, or all below it if it is a folder
    here     the same; without operands all below the directory reached
    folder   all below the directory reached      tree   the whole working tree
    makes    folders that are not there yet
    at       the files of ``path`` (with a slash at the end: all below), the nearest from here upwards
    wrap     the operands are another command
    sub      the first operand is a subcommand with a line of its own ("cargo fmt")
    =module.name  a function of its own, in the ``HANDLERS`` of that module, which is loaded only then

    takes    options that have a value     out      options whose value is a file that is written
    outdir   options whose value is a folder below which is written (``*_out``: all that end so)
    only     it writes only with one of these options      unless   it only reads with one of these
    path     files that are written whatever the operands are     named    the same, if there are operands
    files    behind this option stand the files, below which alone is written
    tests    operands that begin so make of ``opaque`` ``checks``
    skip=N   the first N operands are something else
    dash     options are words with one dash (``-write``)  stop     options end at the first operand
"""

from coordhooks.targets.shell.scope import Word


class Rule:
    """One line of the table."""

    __slots__ = (
        "dash", "files", "known", "named", "only", "out", "outdir", "path", "skip", "stop", "takes", "tests", "unless", "what",
    )  # fmt: skip

    def __init__(self, line: str) -> None:
        self.what, *rest = line.split()
        keys = dict(part.split("=", 1) for part in rest if "=" in part)
        self.takes = _options(keys, "takes")
        self.out = _options(keys, "out")
        self.outdir = _options(keys, "outdir")
        self.path = keys["path"].split(",") if "path" in keys else []
        self.named = keys["named"].split(",") if "named" in keys else []
        self.files = _options(keys, "files")
        self.tests = tuple(keys["tests"].split(",")) if "tests" in keys else ()
        self.only = _options(keys, "only")
        self.unless = _options(keys, "unless")
        self.skip = int(keys.get("skip", "0"))
        self.dash = "dash" in rest
        self.stop = "stop" in rest or self.what in ("wrap", "sub")
        self.takes |= self.out | self.outdir
        self.known = self.takes | self.only | self.unless


def _options(keys: dict[str, str], key: str) -> set[str]:
    return set(keys[key].split(",")) if key in keys else set()


class Args:
    """A program's arguments: operands, and options with their values (``None``: it has none)."""

    __slots__ = ("dashes", "operands", "options")

    def __init__(self) -> None:
        self.dashes: int | None = None  # how many operands stand before `--`
        self.operands: list[Word] = []
        self.options: list[tuple[str, Word | None]] = []

    def has(self, *names: str) -> bool:
        """Is one of these options given?"""
        return any(name in names for name, _ in self.options)

    def values(self, *names: str) -> list[Word]:
        """The values of these options."""
        return [value for name, value in self.options if name in names and value is not None]

    @property
    def loose(self) -> bool:
        """Is there a word that can't be told and may be an option?"""
        return any(word.loose and not word.head and not word.roots for word in self.operands)


def arguments(words: list[Word], rule: Rule) -> Args:
    """Tell options, their values and operands apart."""
    found = Args()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word.text == "--":
            found.dashes = len(found.operands)
            found.operands += rest
            break
        if not word.is_option:
            found.operands.append(word)
            if rule.stop:
                found.operands += rest
                break
        elif word.head.startswith("--") or rule.dash:
            _long(word, rest, rule, found)
        else:
            _short(word, rest, rule, found)
    return found


def _long(word: Word, rest: list[Word], rule: Rule, found: Args) -> None:
    name, equals, value = word.head.partition("=")
    name = _whole(name, rule)
    if equals:
        known = word.text is not None
        found.options.append((name, Word(value) if known else Word(head=value)))
    elif name in rule.takes:
        found.options.append((name, rest.pop(0) if rest else None))
    else:
        found.options.append((name, None))


def _whole(name: str, rule: Rule) -> str:
    """Long options may be cut short."""
    if name in rule.known or len(name) < 4 or rule.dash:
        return name
    meant = [option for option in rule.known if option.startswith(name)]
    return meant[0] if len(meant) == 1 else name


def _short(word: Word, rest: list[Word], rule: Rule, found: Args) -> None:
    letters = word.head[1:]
    for at, letter in enumerate(letters):
        option = "-" + letter
        if option not in rule.takes:
            found.options.append((option, None))
            continue
        inside = letters[at + 1 :]
        if word.text is None:
            found.options.append((option, Word(head=inside)))
        elif inside:
            found.options.append((option, Word(inside)))
        else:
            found.options.append((option, rest.pop(0) if rest else None))
        return
