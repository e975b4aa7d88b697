"""Node, Perl and Ruby code in a command: literal paths next to calls that write.

There is no full grammar here. The code is cut into tokens; a call that writes must have literal arguments (or names
given a literal once), or nothing can be told. Code without any name that writes or runs something writes nothing.
"""

import posixpath

Token = tuple[str, str]  # kind ("name", "string", "other", "mark") and text

OPENING, CLOSING = "([{", ")]}"
MAX_CODE = 50_000


class Language:
    """What a language calls things: see ``table_scripts``."""

    __slots__ = ("comment", "joined", "modules", "opaque", "openers", "requires", "writes")

    def __init__(
        self,
        writes: dict[str, tuple[int, ...]],
        openers: tuple[str, ...],
        opaque: tuple[str, ...],
        modules: tuple[str, ...],
        requires: tuple[str, ...],
        comment: str,
        *,
        joined: bool,
    ) -> None:
        self.writes = writes
        self.openers = openers
        self.opaque = opaque
        self.modules = modules
        self.requires = requires
        self.comment = comment
        self.joined = joined  # is a call known by its owner too, as in `File.write`?


class Found:
    """``files`` written, and ``doubts``: what can't be told."""

    __slots__ = ("doubts", "files")

    def __init__(self) -> None:
        self.files: list[str] = []
        self.doubts: list[str] = []


def read(code: str, language: Language) -> Found:
    """What the code writes."""
    found = Found()
    names = _names(code)
    interesting = {name.rpartition(".")[2] for name in (*language.writes, *language.openers)}
    interesting |= {*language.opaque, *language.requires}
    if not (names & interesting) and "`" not in code.replace("\\`", ""):
        return found
    if len(code) > MAX_CODE:
        found.doubts.append("the code is too long to be read")
        return found
    tokens = tokenize(code, language.comment)
    if tokens is None:
        found.doubts.append("the code can't be read")
        return found
    constants = _constants(tokens)
    for at, (kind, text) in enumerate(tokens):
        if kind == "name":
            _name(tokens, at, text, language, constants, found)
        elif kind == "backtick" and language.comment == "#":
            found.doubts.append("it runs a program")
        elif kind == "string" and tokens[at - 1 : at] == [("mark", "[")] and text in interesting:
            found.doubts.append(f"what {text} writes can't be told")
    return found


def _names(code: str) -> set[str]:
    """Every identifier in the text, in strings and comments too."""
    return set("".join(char if char.isalnum() or char == "_" else " " for char in code).split())


def _name(
    tokens: list[Token], at: int, text: str, language: Language, constants: dict[str, str], found: Found
) -> None:
    """One identifier: a call that writes, a module that is loaded, or something that can't be followed."""
    before = tokens[at - 1][1] if at else ""
    whole = f"{tokens[at - 2][1]}.{text}" if language.joined and before in (".", "::") and at > 1 else text
    if text in language.requires:
        _required(tokens[at + 1 :], language, found)
    elif whole in language.openers:
        given = _arguments(tokens, at + 1)
        if given:
            _opened(given, constants, found, whole)
        else:
            _without_arguments(tokens[at + 1 : at + 2], found, whole)
    elif whole in language.writes or (not language.joined and text in language.writes):
        places = language.writes.get(whole, language.writes.get(text, ()))
        _written(_arguments(tokens, at + 1), places, constants, found, whole, tokens[at + 1 : at + 2])
    elif text in language.opaque and not (before == "." and text == "write") and _used(tokens, at, language):
        found.doubts.append(f"what {text} does can't be told")


def _used(tokens: list[Token], at: int, language: Language) -> bool:
    """Is the name more than a part of a write call, or a method that only shares the name?"""
    following = tokens[at + 1][1] if at + 1 < len(tokens) else ""
    if tokens[at][1] == "exec" and at and tokens[at - 1][1] == "." and language.comment == "//":
        return tokens[at - 2][0] != "other"  # /re/.exec(text)
    if tokens[at][1] in ("do", "eval") and following == "{":
        return False  # a block of Perl
    return not (language.joined and following in (".", "::")) or tokens[at][1] == "Open3"


def _required(rest: list[Token], language: Language, found: Found) -> None:
    if language.comment == "//":
        rest = [token for token in rest[:30] if token[0] in ("string", "backtick")][:1] + rest[:1]
    name = "".join(text for kind, text in rest[:6] if kind in ("string", "name") or text == ":")
    literal = next((text for kind, text in rest[:2] if kind in ("string", "name")), "")
    literal = literal.removeprefix("node:")
    known = literal in language.modules or any(
        name.startswith(each) for each in language.modules if "::" in each
    )
    if not known and not (literal.endswith(".json") and language.comment == "//"):
        found.doubts.append(f"what the module {literal[:40]} does can't be told")


def _opened(arguments: list[list[Token]], constants: dict[str, str], found: Found, name: str) -> None:
    """``open(file, mode)``, and Perl's ``open(handle, mode, file)`` or ``open(handle, ">file")``."""
    texts = [_text(argument, constants) for argument in arguments]
    known = [text for text in texts if text is not None]
    if name == "open" and texts and texts[0] is None and len(texts) > 1:
        mode = (texts[1] or "").strip()
        if texts[1] is None or "|" in mode:
            found.doubts.append("what open does can't be told")
        elif mode.startswith((">", "+")) and len(texts) > 2:
            _file(texts[2], found, name)
        elif mode.startswith((">", "+<", "+>")):
            _file(mode.lstrip("+<> ") or None, found, name)
        return
    modes = known[1:] if texts[:1] != [None] else known
    if texts[1:2] == [None]:
        found.doubts.append(f"the mode of {name} can't be told")
    elif any(mode[:1] in ("w", "a") or "+" in mode for mode in modes):
        _file(texts[0], found, name)


def _written(
    arguments: list[list[Token]],
    places: tuple[int, ...],
    constants: dict[str, str],
    found: Found,
    name: str,
    following: list[Token],
) -> None:
    if not arguments:
        _without_arguments(following, found, name)
        return
    for place in places:
        _file(_text(arguments[place], constants) if place < len(arguments) else None, found, name)


def _without_arguments(following: list[Token], found: Found, name: str) -> None:
    """A writer's name as a value, or with arguments that are not understood; one that is only imported is neither."""
    if not following or following[0][1] not in (",", "}"):
        found.doubts.append(f"what {name} writes can't be told")


def _file(text: str | None, found: Found, name: str) -> None:
    if text is None:
        found.doubts.append(f"what {name} writes can't be told")
    else:
        found.files.append(text)


# -- expressions --------------------------------------------------------------------------------------------


def _arguments(tokens: list[Token], at: int) -> list[list[Token]]:
    """The arguments of a call, in parentheses or (Perl, Ruby) bare up to the end of the statement."""
    wrapped = tokens[at : at + 1] == [("mark", "(")]
    if not wrapped and (at >= len(tokens) or tokens[at][0] != "string"):
        return []
    found: list[list[Token]] = [[]]
    depth = 0
    for token in tokens[at + 1 if wrapped else at :]:
        text = token[1] if token[0] == "mark" else ""
        if depth == 0 and (text in (*CLOSING, ";") or (not wrapped and text == "\n")) and text:
            break
        depth += (text in OPENING and bool(text)) - (text in CLOSING and bool(text))
        if text == "," and depth == 0:
            found.append([])
        elif text != "\n":
            found[-1].append(token)
    return [argument for argument in found if argument]


def _text(argument: list[Token], constants: dict[str, str]) -> str | None:
    """A literal, a name that was given one, a sum of these, or ``path.join`` of these."""
    texts = [text for _, text in argument]
    if texts[:4] in (["path", ".", "join", "("], ["path", ".", "resolve", "("], ["File", ".", "join", "("]):
        parts = [_text(each, constants) for each in _arguments(argument, 3)]
        return posixpath.join(*[part or "" for part in parts]) if parts and None not in parts else None
    if texts == ["process", ".", "cwd", "(", ")"]:
        return "."
    found = ""
    for at, (kind, text) in enumerate(argument):
        if at % 2:
            if text != "+":
                return None
        elif kind == "string" or (kind == "backtick" and "${" not in text):
            found += text
        elif kind == "name" and text in constants:
            found += constants[text]
        else:
            return None
    return found if len(argument) % 2 else None


def _constants(tokens: list[Token]) -> dict[str, str]:
    """Names that are given one literal, once."""
    given: dict[str, list[str | None]] = {"__dirname": ["."]}
    for at in range(1, len(tokens) - 1):
        if tokens[at] == ("mark", "=") and tokens[at - 1][0] == "name":
            end = next(
                (each for each in range(at + 1, len(tokens)) if tokens[each][1] in (";", "\n", ",")),
                len(tokens),
            )
            given.setdefault(tokens[at - 1][1], []).append(_text(tokens[at + 1 : end], {}))
    return {name: texts[0] for name, texts in given.items() if len(texts) == 1 and texts[0] is not None}


# -- tokens -------------------------------------------------------------------------------------------------


def tokenize(code: str, comment: str) -> list[Token] | None:
    """The code as tokens; ``None`` if a string does not end (then the rest may be anything)."""
    found: list[Token] = []
    at = 0
    while at < len(code):
        char = code[at]
        if char in " \t\r":
            at += 1
        elif code.startswith(comment, at):
            at = _until(code, at, "\n")
        elif code.startswith("/*", at) and comment == "//":
            at = code.find("*/", at + 2) + 2 if "*/" in code[at + 2 :] else len(code)
        elif char in "'\"`":
            text, at, closed = _string(code, at + 1, char)
            if not closed:
                return None
            found.append(("backtick" if char == "`" else _string_kind(char, text, comment), text))
        elif char == "/" and comment == "//" and not _divides(found):
            _, at, _ = _string(code, at + 1, "/")
            found.append(("other", "/"))
        elif char.isalnum() or char in "_$@":
            at, token = _word(code, at)
            found.append(token)
        else:
            mark = "::" if code.startswith("::", at) else char
            found.append(("mark", mark))
            at += len(mark)
    return found


def _string_kind(mark: str, text: str, comment: str) -> str:
    """In Perl and Ruby a string in double quotes can hold variables."""
    return "other" if mark == '"' and comment == "#" and any(sign in text for sign in "$@#") else "string"


def _word(code: str, at: int) -> tuple[int, Token]:
    end = at + 1
    while end < len(code) and (code[end].isalnum() or code[end] in "_$"):
        end += 1
    text = code[at:end].lstrip("$@") or code[at:end]
    return end, ("other" if text[:1].isdecimal() else "name", text)


def _until(code: str, at: int, end: str) -> int:
    found = code.find(end, at)
    return len(code) if found < 0 else found


def _string(code: str, at: int, mark: str) -> tuple[str, int, bool]:
    text = ""
    while at < len(code) and code[at] != mark:
        if code[at] == "\\" and at + 1 < len(code):
            text += ESCAPES.get(code[at + 1], code[at + 1])
            at += 2
        else:
            text += code[at]
            at += 1
    return text, at + 1, at < len(code)


def _divides(found: list[Token]) -> bool:
    return bool(found) and (found[-1][0] in ("name", "other", "string") or found[-1][1] in CLOSING)


ESCAPES = {"n": "\n", "t": "\t", "x": "\0", "u": "\0"}  # a NUL makes the text no file name
