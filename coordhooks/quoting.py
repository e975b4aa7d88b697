"""Other people's text, made safe to show: to a model as quoted data, to a terminal as plain text.

Messages, names and paths come from anywhere. Control characters and whole terminal sequences go, bidi
overrides go, and nothing in a quotation can close it or look like a tag.
"""

ESC, BEL, CSI, ST = "\x1b", "\x07", "\x9b", "\x9c"
STRING_OPENERS = {"]", "P", "X", "^", "_"}  # OSC, DCS, SOS, PM, APC after ESC
C1_STRINGS = {"\x9d", "\x90", "\x98", "\x9e", "\x9f"}
SEQUENCE_STARTS = {ESC, CSI, *C1_STRINGS}
BIDI = {*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A)), "\u200e", "\u200f", "\u061c"}
INVISIBLE = {"\u200b", "\u2060", "\ufeff", "\u2028", "\u2029"}
# Letters and marks by Unicode's word, but nothing to be seen: fillers, and variation selectors, of which a run spells
# any bytes. Those that choose between text and emoji stay.
HIDDEN = {
    *"\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0",
    *map(chr, range(0xFE00, 0xFE0E)),
    *map(chr, range(0xE0100, 0xE01F0)),
}
UNSEEN = BIDI | INVISIBLE | HIDDEN


def clean(text: str) -> str:
    """Without terminal sequences, controls (but LF and TAB), bidi controls, unseen characters, lone surrogates."""
    out = []
    i = 0
    while i < len(text):
        char = text[i]
        if char in SEQUENCE_STARTS:
            i = _after_sequence(text, i)
            continue
        if char in "\n\t" or (char.isprintable() and char not in UNSEEN):
            out.append(char)
        elif char not in UNSEEN and not _control(char):
            out.append(" " if char.isspace() else "\ufffd")
        i += 1
    return "".join(out)


def line(text: str, limit: int = 200) -> str:
    """The same on one line, cut at ``limit`` characters."""
    flat = " ".join(clean(text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def quoted(text: str, limit: int = 2000) -> str:
    """A quotation for a model: one line in double quotes, with line breaks, quotes and brackets escaped."""
    safe = clean(text)
    if len(safe) > limit:
        safe = safe[: limit - 1] + "…"
    for char, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"), ("<", "‹"), (">", "›")):
        safe = safe.replace(char, escape)
    return f'"{safe}"'


def _control(char: str) -> bool:
    return char < " " or "\x7f" <= char <= "\x9f"


def _after_sequence(text: str, i: int) -> int:
    """The index behind the terminal sequence that begins at ``i``; an unfinished one runs to the end."""
    if text[i] in C1_STRINGS:
        return _after_string(text, i + 1)
    if text[i] == ESC:
        i += 1
        if i < len(text) and text[i] in STRING_OPENERS:
            return _after_string(text, i + 1)
        if i >= len(text) or text[i] != "[":
            while i < len(text) and "\x20" <= text[i] <= "\x2f":
                i += 1
            return i + 1
    i += 1
    while i < len(text) and "\x20" <= text[i] <= "\x3f":
        i += 1
    return i + 1


def _after_string(text: str, i: int) -> int:
    while i < len(text):
        if text[i] in (BEL, ST):
            return i + 1
        if text[i] == ESC and text[i + 1 : i + 2] == "\\":
            return i + 2
        i += 1
    return i
