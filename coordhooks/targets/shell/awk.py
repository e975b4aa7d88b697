"""An awk program read far enough to know where its output goes: ``print > "file"``, ``print | "command"``.

A real lexer, because ``>`` is a comparison elsewhere, and ``|`` and ``>`` stand in patterns and strings too.
"""

Token = tuple[str, str]  # kind ("name", "string", "regex", "mark") and text

MARKS = (">>", "&&", "||", "==", "!=", "<=", ">=", "++", "--", "+=", "-=", "|&", "!~")
VALUES = ("name", "string", "number")
PRINTING = ("print", "printf")
ENDS = (";", "\n", "}", "")


class Writes:
    """``files`` written, ``commands`` run, and ``told``: is that all?"""

    __slots__ = ("commands", "files", "told")

    def __init__(self) -> None:
        self.files: list[str] = []
        self.commands: list[str] = []
        self.told = True


def written(program: str, variables: dict[str, str]) -> Writes:
    """What the program writes; ``variables`` are those of ``-v``."""
    found = Writes()
    tokens = _tokens(program)
    printing, depth = False, 0
    for at, (kind, text) in enumerate(tokens):
        if kind == "name" and text in PRINTING:
            printing, depth = True, 0
        elif kind == "name" and text == "system":
            _command(tokens[at + 1 :], found, opened=True)
        elif kind == "name" and text == "getline" and tokens[at - 1][1] in ("|", "|&"):
            _previous(tokens, at - 2, found)
        elif kind == "mark":
            depth += (text in "([") - (text in ")]") if text in ("(", "[", ")", "]") else 0
            if text in ENDS:
                printing = False
            elif printing and depth == 0 and text in (">", ">>"):
                _file(tokens[at + 1 :], variables, found)
            elif printing and depth == 0 and text in ("|", "|&"):
                _command(tokens[at + 1 :], found, opened=False)
    return found


def _file(rest: list[Token], variables: dict[str, str], found: Writes) -> None:
    """The target behind ``>``: one literal, or one variable whose value was given."""
    wrapped = rest[:1] == [("mark", "(")]
    rest = rest[1:] if wrapped else rest
    (kind, text), after = rest[0], rest[1]
    if after[1] not in (*ENDS, ")"):
        found.told = False
    elif kind == "string":
        found.files.append(text)
    elif kind == "name" and text in variables:
        found.files.append(variables[text])
    else:
        found.told = False


def _command(rest: list[Token], found: Writes, *, opened: bool) -> None:
    rest = rest[1:] if opened and rest[0][1] == "(" else rest
    (kind, text), after = rest[0], rest[1] if len(rest) > 1 else ("mark", "")
    if kind == "string" and after[1] in (*ENDS, ")"):
        found.commands.append(text)
    else:
        found.told = False


def _previous(tokens: list[Token], at: int, found: Writes) -> None:
    """``"command" | getline``: the command stands before."""
    if at >= 0 and tokens[at][0] == "string" and (at == 0 or tokens[at - 1][0] == "mark"):
        found.commands.append(tokens[at][1])
    else:
        found.told = False


def _tokens(program: str) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(program):
        char = program[at]
        if char in " \t\r":
            at += 1
        elif program.startswith("\\\n", at):
            at += 2
        elif char == "#":
            while at < len(program) and program[at] != "\n":
                at += 1
        elif char == '"':
            text, at = _quoted(program, at + 1, '"')
            found.append(("string", text))
        elif char == "/" and not _is_value(found):
            text, at = _quoted(program, at + 1, "/")
            found.append(("regex", text))
        elif char.isalnum() or char == "_":
            end = at
            while end < len(program) and (program[end].isalnum() or program[end] in "_."):
                end += 1
            found.append(("number" if char.isdecimal() else "name", program[at:end]))
            at = end
        else:
            mark = program[at : at + 2] if program[at : at + 2] in MARKS else char
            found.append(("mark", mark))
            at += len(mark)
    return [*found, ("mark", ""), ("mark", "")]


def _is_value(found: list[Token]) -> bool:
    """Can ``/`` be a division here?"""
    return bool(found) and (found[-1][0] in VALUES or found[-1][1] in (")", "]", "$", "++", "--"))


def _quoted(program: str, at: int, mark: str) -> tuple[str, int]:
    text, bracket = "", False
    while at < len(program) and (program[at] != mark or bracket):
        if program[at] == "\\" and at + 1 < len(program):
            text += program[at : at + 2] if mark == "/" else program[at + 1]
            at += 2
            continue
        if mark == "/" and program[at] in "[]":
            bracket = program[at] == "["
        if program[at] == "\n" and mark == "/":
            break
        text += program[at]
        at += 1
    return text, at + 1
