"""The shell's three ways to write text: bare with backslashes, in double quotes, and ``$'...'``."""

SIMPLE = {
    "a": 7, "b": 8, "e": 27, "E": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11,
    "\\": 92, "'": 39, '"': 34, "?": 63,
}  # fmt: skip
NUMBERED = {"x": (16, 2), "u": (16, 4), "U": (16, 8)}
OCTAL = "01234567"


def raw_tokens(text: str) -> list[tuple[str, bool]]:
    """Bare text as (text, alive) pairs: what a backslash protects is dead, a continued line is one."""
    if "\\" not in text:
        return [(text, True)]
    found: list[tuple[str, bool]] = []
    rest = text
    while rest:
        before, slash, rest = rest.partition("\\")
        if before:
            found.append((before, True))
        if slash and not rest.startswith("\n"):
            found.append((rest[:1] or "\\", False))
        rest = rest[1:] if slash else rest
    return found


def double_quoted(text: str) -> str:
    """Text inside of double quotes, backslashes taken off where they count."""
    if "\\" not in text:
        return text
    found, at = "", 0
    while at < len(text):
        two = text[at : at + 2]
        if two == "\\\n":
            at += 2
        elif len(two) == 2 and two[0] == "\\" and two[1] in '$`"\\':
            found += two[1]
            at += 2
        else:
            found += text[at]
            at += 1
    return found


def here_document(text: str) -> str:
    """Text of an unquoted here-document: like double quotes, but a quote needs no backslash."""
    return double_quoted(text.replace('\\"', '\\\\"'))


def ansi_c(text: str) -> str:
    """The inside of ``$'...'``. Bytes that are no UTF-8 stay as the file system's own."""
    found, at = bytearray(), 0
    while at < len(text):
        char, following = text[at], text[at + 1 : at + 2]
        if char != "\\" or not following:
            found += char.encode("utf-8", "surrogatepass")
            at += 1
            continue
        coded, at = _escape(text, at + 1)
        found += coded
    return bytes(found.partition(b"\0")[0]).decode("utf-8", "surrogateescape")


def _escape(text: str, at: int) -> tuple[bytes, int]:
    """The bytes of one escape whose letter stands at ``at``, and where the text goes on."""
    letter = text[at]
    if letter in SIMPLE:
        return bytes([SIMPLE[letter]]), at + 1
    if letter == "c" and at + 1 < len(text):
        return bytes([ord(text[at + 1]) & 0x1F]), at + 2
    base, most = NUMBERED.get(letter, (8, 3) if letter in OCTAL else (0, 0))
    start = at if base == 8 else at + 1
    end = start
    while base and end < len(text) and end - start < most and _is_digit(text[end], base):
        end += 1
    if not base or end == start:
        return ("\\" + letter).encode("utf-8", "surrogatepass"), at + 1
    number = int(text[start:end], base)
    if letter in "uU":
        return (chr(number) if number < 0x110000 else "?").encode("utf-8", "surrogatepass"), end
    return bytes([number & 0xFF]), end


def _is_digit(char: str, base: int) -> bool:
    return char in (OCTAL if base == 8 else "0123456789abcdefABCDEF")
