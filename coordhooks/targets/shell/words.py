"""From the grammar's word nodes to the words that a program gets: quotes, braces, tildes, splitting, patterns.

A word is read into pieces first: ``raw`` text (outside of quotes: braces, tildes and patterns are alive in it),
``quoted`` text, ``value`` (an expansion outside of quotes: it is split and its patterns are alive) and ``list``
(one inside of quotes: ``"$@"`` makes several words).
"""

from coordhooks.targets.shell import parameters, world
from coordhooks.targets.shell.grammar import Node
from coordhooks.targets.shell.scope import Scope, Stream, Value, Word
from coordhooks.targets.shell.strings import ansi_c, double_quoted, raw_tokens
from coordhooks.targets.shell.verdict import Untellable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.targets.shell.walk import Shell

RAW, QUOTED, VALUE, LIST = "raw", "quoted", "value", "list"
Piece = tuple[str, str | Value]

TEMPORARY = ("/tmp/", "/var/tmp/", "/dev/shm/")
MAX_WORDS = 1000
MAX_BRACES = 300_000  # opening ones, times characters: what it takes to match them
MAX_LENGTH = 100_000  # of one word: doubled variables grow fast


def expand_all(shell: "Shell", scope: Scope, nodes: list[Node]) -> list[Word]:
    """The words of many nodes."""
    found: list[Word] = []
    for group in grouped(shell, nodes):
        whole = _mended(scope, [piece for node in group for piece in pieces(shell, scope, node)])
        for sequence in _braces(whole):
            found += _fields(shell, scope, sequence)
    return found


def grouped(shell: "Shell", nodes: list[Node]) -> list[list[Node]]:
    """Nodes that make one word: the grammar cuts it at a continued line, and behind the last ``$`` of ``$a/$b.c``."""
    groups: list[list[Node]] = []
    for node in nodes:
        if groups and shell.source[groups[-1][-1].end_byte : node.start_byte] in (b"", b"\\\n"):
            groups[-1].append(node)
        else:
            groups.append([node])
    return groups


def _mended(scope: Scope, sequence: list[Piece]) -> list[Piece]:
    """``$`` cut off from its name is put together with it again."""
    found: list[Piece] = []
    for kind, content in sequence:
        before = found[-1] if found else (QUOTED, "")
        if kind == RAW and before[0] == RAW and str(before[1]).endswith("$") and isinstance(content, str):
            name, rest = parameters.name_of(content)
            if name:
                found[-1] = (RAW, str(before[1])[:-1])
                found += [(VALUE, parameters.lookup(scope, name)), (RAW, rest)]
                continue
        found.append((kind, content))
    return found


def value(shell: "Shell", scope: Scope, nodes: list[Node]) -> Word:
    """The nodes as one word, neither split nor matched, as in an assignment."""
    field = _Field()
    sequence = _mended(scope, [piece for node in nodes for piece in pieces(shell, scope, node)])
    for at, (kind, content) in enumerate(_tilde(scope, sequence)):
        if isinstance(content, str):
            field.add(content, alive=False)
        else:
            for word in content:
                if at == 0 and len(sequence) == 1 and len(content) == 1 and word.text is None:
                    return word
                field.take(word, alive=False, loose=kind == VALUE)
    return field.word()


def pieces(shell: "Shell", scope: Scope, node: Node) -> list[Piece]:
    """What a node is made of, expansions carried out."""
    kind = node.type
    if kind in ("concatenation", "command_name"):
        return [piece for child in node.children for piece in pieces(shell, scope, child)]
    if kind in ("string", "translated_string"):
        return _double(shell, scope, node)
    if kind == "raw_string":
        return [(QUOTED, shell.text(node)[1:-1])]
    if kind == "ansi_c_string":
        return [(QUOTED, ansi_c(shell.text(node)[2:-1]))]
    if kind in EXPANSIONS:
        return [(VALUE, EXPANSIONS[kind](shell, scope, node))]
    return [(RAW if alive else QUOTED, text) for text, alive in raw_tokens(shell.text(node))]


def _double(shell: "Shell", scope: Scope, node: Node) -> list[Piece]:
    """A string in double quotes: everything between its expansions is text."""
    found: list[Piece] = [(QUOTED, "")]
    start, end = node.start_byte, node.end_byte - 1
    at = start + (2 if node.type == "translated_string" and node.child_count < 2 else 1)
    for child in node.children:
        if child.type == "string":  # inside of $"..."
            return _double(shell, scope, child)
        if child.type in EXPANSIONS:
            found.append((QUOTED, double_quoted(shell.slice(at, child.start_byte))))
            found.append((LIST, EXPANSIONS[child.type](shell, scope, child)))
            at = child.end_byte
    found.append((QUOTED, double_quoted(shell.slice(at, end))))
    return found


# -- expansions -------------------------------------------------------------------------------------------


def _command(shell: "Shell", scope: Scope, node: Node) -> Value:
    return [from_stream(shell.inner(node, scope))]


def _process(shell: "Shell", scope: Scope, node: Node) -> Value:
    return [Word("/dev/fd/63", stream=shell.inner(node, scope))]


def _arithmetic(shell: "Shell", scope: Scope, node: Node) -> Value:
    shell.look_into(node, scope)
    return [Word(plain=True)]


def from_stream(stream: Stream) -> Word:
    """A command's output as one word."""
    if stream.text is not None:
        return Word(stream.text.rstrip("\n"))
    return Word(roots=stream.roots, plain=stream.plain, loose=not stream.plain)


EXPANSIONS = {
    "simple_expansion": parameters.simple,
    "expansion": parameters.full,
    "command_substitution": _command,
    "process_substitution": _process,
    "arithmetic_expansion": _arithmetic,
}


# -- fields -----------------------------------------------------------------------------------------------


class _Field:
    """One word in the making."""

    __slots__ = ("alive", "head", "known", "loose", "plain", "roots", "started", "stream", "text", "unsure")

    def __init__(self) -> None:
        self.text = ""
        self.alive = ""  # the same as a pattern
        self.head = ""
        self.known = True
        self.plain = True
        self.loose = self.unsure = self.started = False
        self.roots: tuple[str, ...] = ()
        self.stream: Stream | None = None

    def add(self, text: str, *, alive: bool) -> None:
        """Known text; ``alive`` if patterns count in it."""
        self.started = True
        if len(self.text) + len(text) > MAX_LENGTH:
            raise Untellable("a word of the command is too long to be followed")
        self.text += text
        self.alive += text if alive else world.escape(text)
        if self.known:
            self.head += text

    def take(self, word: Word, *, alive: bool, loose: bool = False) -> None:
        """The whole of another word."""
        self.started = True
        self.unsure = self.unsure or word.unsure
        self.stream = self.stream or word.stream
        if word.text is not None:
            self.add(word.text, alive=alive)
            return
        if self.known:
            self.head += word.head
        self.roots = word.roots if self.text == "" else ()
        self.text += "?" + word.head
        self.plain = self.plain and word.plain
        self.loose = self.loose or (loose and word.loose)
        self.known = False

    def word(self) -> Word:
        """The word, patterns left alone."""
        if self.known:
            return Word(self.text, unsure=self.unsure, stream=self.stream)
        if self.plain and self.head.startswith(TEMPORARY):
            return Word(self.text)  # an unknown name, but surely a temporary one
        whole = self.roots and len(self.text) <= 1
        return Word(head=self.head, roots=self.roots if whole else (), loose=self.loose, plain=self.plain)


def _fields(shell: "Shell", scope: Scope, sequence: list[Piece]) -> list[Word]:
    """Split what is outside of quotes, then match patterns."""
    done: list[_Field] = []
    field = _Field()
    for kind, content in _tilde(scope, sequence):
        if isinstance(content, str):
            if content or kind == QUOTED:
                field.add(content, alive=kind == RAW)
            continue
        for at, word in enumerate(content):
            if at:
                done.append(field)
                field = _Field()
            if kind == VALUE and word.text is not None:
                field = _split(scope, word, field, done)
            else:
                field.take(word, alive=False, loose=kind == VALUE)
    return [word for each in (*done, field) if each.started for word in _matched(shell, scope, each)]


def _split(scope: Scope, word: Word, field: _Field, done: list[_Field]) -> _Field:
    text = word.text or ""
    if "IFS" in scope.variables:
        field.take(Word(loose=True), alive=False, loose=True)
        return field
    parts = text.split()
    if text[:1].isspace() and field.started:
        done.append(field)
        field = _Field()
    for at, part in enumerate(parts):
        if at:
            done.append(field)
            field = _Field()
        field.take(Word(part, unsure=word.unsure, stream=word.stream), alive=True)
    if parts and text[-1:].isspace():
        done.append(field)
        field = _Field()
    return field


def _matched(shell: "Shell", scope: Scope, field: _Field) -> list[Word]:
    if not field.known or field.unsure or not world.is_pattern(field.alive):
        return [field.word()]
    if not scope.globs or (scope.cwd is None and not field.text.startswith("/")):
        return [Word(loose=True)]
    names = world.expand(field.alive, scope.cwd or "/", shell.world)
    if names is None or len(names) > MAX_WORDS:
        return [Word(loose=True)]
    return [Word(name) for name in names] or [field.word()]


def _tilde(scope: Scope, sequence: list[Piece]) -> list[Piece]:
    if not sequence or sequence[0][0] != RAW or not str(sequence[0][1]).startswith("~"):
        return sequence
    name, slash, rest = str(sequence[0][1]).partition("/")
    if not slash and len(sequence) > 1:
        return sequence  # such as ~"x", which is literal
    known = {"~": scope.home, "~+": scope.cwd, "~-": parameters.text_of(scope, "OLDPWD")}.get(name)
    return [(LIST, [Word(known)]), (RAW, slash + rest), *sequence[1:]]


# -- braces -----------------------------------------------------------------------------------------------


def _braces(sequence: list[Piece]) -> list[list[Piece]]:
    if not any(kind == RAW and "{" in str(text) for kind, text in sequence):
        return [sequence]
    raw = [str(text) for kind, text in sequence if kind == RAW]
    if sum(text.count("{") for text in raw) * sum(map(len, raw)) > MAX_BRACES:
        raise Untellable("a word of the command has too many braces")
    flat: list[Piece] = []
    for kind, content in sequence:
        flat += (
            [(RAW, char) for char in content]
            if kind == RAW and isinstance(content, str)
            else [(kind, content)]
        )
    return [_joined(each) for each in _alternatives(flat)]


def _alternatives(flat: list[Piece]) -> list[list[Piece]]:
    for start, piece in enumerate(flat):
        if piece != (RAW, "{"):
            continue
        parts, end = _inside(flat, start)
        if end < 0:
            continue
        middle = (
            [each for part in parts for each in _alternatives(part)] if len(parts) > 1 else _range(parts[0])
        )
        if not middle:
            continue
        tails = _alternatives(flat[end + 1 :])
        if len(middle) * len(tails) > MAX_WORDS:
            raise Untellable("a brace expansion makes too many words")
        return [flat[:start] + one + tail for one in middle for tail in tails]
    return [flat]


def _inside(flat: list[Piece], start: int) -> tuple[list[list[Piece]], int]:
    """What stands between the braces, cut at the commas, and where they close (-1: they do not)."""
    parts: list[list[Piece]] = [[]]
    depth = 0
    for at in range(start + 1, len(flat)):
        piece = flat[at]
        if piece == (RAW, "}") and depth == 0:
            return parts, at
        if piece == (RAW, ",") and depth == 0:
            parts.append([])
            continue
        depth += (piece == (RAW, "{")) - (piece == (RAW, "}"))
        parts[-1].append(piece)
    return parts, -1


def _range(part: list[Piece]) -> list[list[Piece]]:
    """``{1..3}`` and ``{a..e}``."""
    if not all(kind == RAW for kind, _ in part):
        return []
    ends = "".join(str(text) for _, text in part).split("..")
    if len(ends) not in (2, 3) or not all(ends):
        return []
    low, high = ends[:2]
    try:
        step = max(1, abs(int(ends[2]))) if len(ends) == 3 else 1
        if len(low) == len(high) == 1 and low.isalpha() and high.isalpha():
            return [[(RAW, chr(code))] for code in _steps(ord(low), ord(high), step)]
        width = max(len(low), len(high)) if (low.lstrip("-") + high.lstrip("-"))[:1] == "0" else 0
        return [[(RAW, str(number).zfill(width))] for number in _steps(int(low), int(high), step)]
    except ValueError:
        return []


def _steps(low: int, high: int, step: int) -> range:
    if abs(high - low) // step >= MAX_WORDS:
        raise Untellable("a brace expansion makes too many words")
    return range(low, high + 1, step) if low <= high else range(low, high - 1, -step)


def _joined(flat: list[Piece]) -> list[Piece]:
    """Neighbouring raw characters as one text again."""
    found: list[Piece] = []
    for kind, content in flat:
        if kind == RAW and found and found[-1][0] == RAW:
            found[-1] = (RAW, str(found[-1][1]) + str(content))
        else:
            found.append((kind, content))
    return found
