"""``$name`` and ``${name...}``: what a variable stands for, as far as the command itself tells."""

from coordhooks.targets.glob import matches
from coordhooks.targets.shell.grammar import Node
from coordhooks.targets.shell.scope import Scope, Value, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.targets.shell.walk import Shell

PLAIN = (
    "#", "?", "$", "!", "-", "RANDOM", "SECONDS", "UID", "EUID", "PPID", "BASHPID", "EPOCHSECONDS",
    "LINENO", "HOSTNAME", "USER", "LOGNAME", "SHLVL",
)  # fmt: skip
DEFAULTS = (":-", "-", ":=", "=", ":+", "+", ":?", "?")
MAX_TEXT = 1000  # of a text that a pattern is tried on at every place
OPERATORS = (*DEFAULTS, "%%", "%", "##", "#", "//", "/#", "/%", "/", "^^", "^", ",,", ",", ":")


def simple(shell: "Shell", scope: Scope, node: Node) -> Value:
    """``$name``."""
    return lookup(scope, shell.text(node)[1:])


def full(shell: "Shell", scope: Scope, node: Node) -> Value:
    """``${name...}``, with the forms that work on known text."""
    inside = shell.text(node)[2:-1]
    if inside.startswith("!") or not inside:
        shell.look_into(node, scope)
        return [Word(loose=True)]
    if inside.startswith("#") and len(inside) > 1:
        return [Word(plain=True)]
    name, rest = _name(inside)
    found = _element(scope, name, rest.partition("]")[0][1:]) if rest.startswith("[") else lookup(scope, name)
    rest = rest.partition("]")[2] if rest.startswith("[") else rest
    if not rest:
        return found
    operator = next((each for each in OPERATORS if rest.startswith(each)), "")
    if operator in DEFAULTS:
        return _default(shell, scope, node, operator, found)
    operands = _operands(shell, scope, node, rest.removeprefix(operator), operator)
    if operator == ":" and name in ("@", "*"):
        return _slice(found, operands)
    return [_edited(word, operator, operands) for word in found]


def lookup(scope: Scope, name: str) -> Value:
    """The value of a variable: known from the command, or from every shell, or not at all."""
    if name in scope.variables:
        return scope.variables[name]
    if name in ("@", "*"):
        return scope.args
    if name.isdecimal() and name != "0":
        if any(word.loose for word in scope.args):
            return [Word(loose=True)]
        return [scope.args[int(name) - 1]] if int(name) <= len(scope.args) else [Word("")]
    if name in PLAIN:
        return [Word(plain=True)]
    known = {"HOME": scope.home, "PWD": scope.cwd, "TMPDIR": "/tmp"}.get(name)
    return [Word(known, loose=known is None)]


def text_of(scope: Scope, name: str) -> str | None:
    """A variable's text, if it is one known word."""
    found = scope.variables.get(name, [])
    return found[0].text if len(found) == 1 else None


def name_of(text: str) -> tuple[str, str]:
    """The name that a text begins with (empty: none), and the rest."""
    end = 0
    while end < len(text) and (text[end].isalnum() or text[end] == "_") and (end or not text[0].isdecimal()):
        end += 1
    return text[:end], text[end:]


def _name(inside: str) -> tuple[str, str]:
    name, rest = name_of(inside)
    digits = len(inside) - len(inside.lstrip("0123456789"))
    return (name, rest) if name else (inside[: digits or 1], inside[digits or 1 :])


def _element(scope: Scope, name: str, index: str) -> Value:
    values = scope.variables.get(name)
    if values is None:
        return [Word(loose=True)]
    if index in ("@", "*"):
        return values
    if index.isdecimal() and len(index) < 6 and not any(word.loose for word in values):
        return [values[int(index)]] if int(index) < len(values) else [Word("")]
    return [Word(loose=True)]


def _default(shell: "Shell", scope: Scope, node: Node, operator: str, found: Value) -> Value:
    operands = [child for child in node.children if child.is_named][1:]
    other = shell.value(operands, scope) if operands else Word("")
    own = scope.variables.get(shell.text(node.children[1]), found)
    text = own[0].text if len(own) == 1 else None
    if operator in (":?", "?"):
        return found
    if operator in (":+", "+"):
        return [other] if text else ([Word("")] if text == "" else [_unsure(other)])
    if text or len(own) > 1:
        return own
    chosen = other if text == "" or not own else _unsure(other)
    if operator.endswith("=") and node.child_count > 1:
        scope.variables[shell.text(node.children[1])] = [chosen]
    return [chosen]


def _unsure(word: Word) -> Word:
    return word if word.text is None else Word(word.text, unsure=True)


def _operands(shell: "Shell", scope: Scope, node: Node, rest: str, operator: str) -> list[str | None]:
    """The known texts behind the operator; ``None`` for what can't be told."""
    if not any(sign in rest for sign in "$`'\""):
        parts = _cut(rest) if operator.startswith("/") else [rest]
        return list[str | None](parts) if rest else []
    named = [child for child in node.children if child.is_named][1:]
    if operator in ("/", "//", "/#", "/%", ":"):
        return [shell.value([child], scope).text for child in named]
    return [shell.value(named, scope).text]


def _cut(rest: str) -> list[str]:
    """Pattern and replacement, cut at the first slash that no backslash protects; backslashes taken off."""
    at = 0
    while at < len(rest) and rest[at] != "/":
        at += 2 if rest[at] == "\\" else 1
    return [part.replace("\\/", "/") for part in (rest[:at], rest[at + 1 :])]


def _slice(found: Value, operands: list[str | None]) -> Value:
    if len(operands) != 1 or not (operands[0] or "").isdecimal() or any(word.loose for word in found):
        return [Word(loose=True)]
    return found[max(0, int(operands[0] or "0") - 1) :]


def _edited(word: Word, operator: str, operands: list[str | None]) -> Word:
    text = word.text
    if text is None or None in operands or not operator:
        return Word(loose=word.loose, roots=())
    known = [each or "" for each in operands]
    if operator in ("^^", ",,") and not known:
        return Word(text.upper() if operator == "^^" else text.lower())
    if operator in ("%", "%%", "#", "##") and len(known) == 1 and len(text) <= MAX_TEXT:
        return Word(_stripped(text, operator, known[0]))
    if operator in ("/", "//") and known and known[0] and not any(char in known[0] for char in "*?[\\"):
        return Word(text.replace(known[0], [*known, ""][1], 1 if operator == "/" else -1))
    return Word()


def _stripped(text: str, operator: str, pattern: str) -> str:
    """Text without the shortest or longest end (``%``) or beginning (``#``) that matches."""
    cuts = range(len(text), -1, -1) if operator in ("%", "##") else range(len(text) + 1)
    for cut in cuts:
        part, rest = (text[cut:], text[:cut]) if operator[0] == "%" else (text[:cut], text[cut:])
        if matches(part, pattern):
            return rest
    return text
