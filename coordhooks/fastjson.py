"""JSON at the price of its C core.

``import json`` brings ``re`` and ``enum`` and doubles the start of a hook. The scanner and the encoder behind
it are C, in ``_json``, and need neither. This module is the only one that knows about them; where they are
missing or have another shape, the same objects are taken from the public module.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SPACE = " \t\n\r"

# What stands from the error on when the text breaks off inside a literal or a number.
_BEGUN = frozenset(
    [word[:length] for word in ("true", "false", "null") for length in range(1, len(word))]
    + ["-", ".", "e", "E", "e+", "e-", "E+", "E-"]
)

_HEX = "0123456789abcdefABCDEF"


class Malformed(ValueError):
    """The text is not JSON. Names a position, never a piece of the text."""


class Incomplete(Malformed):
    """The text is the beginning of a JSON document, whose rest may still come."""


def _reject_constant(_name: str) -> object:
    raise Malformed("NaN and Infinity are not JSON")


class _Context:
    """What the C scanner reads from a decoder: the settings of ``json.loads``, with strict constants."""

    strict = True
    object_hook = object_pairs_hook = array_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_reject_constant)


def _refuse(value: object) -> object:
    raise TypeError(f"not a JSON type: {type(value).__name__}")


try:
    from _json import encode_basestring_ascii, make_encoder, make_scanner

    _scan = make_scanner(_Context)  # type: ignore[arg-type]
    _chunks = make_encoder(None, _refuse, encode_basestring_ascii, None, ":", ",", False, False, False)
except (ImportError, AttributeError, TypeError):
    import json

    _scan = json.JSONDecoder(parse_constant=_reject_constant).scan_once  # type: ignore[attr-defined]
    _encoder = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False, default=_refuse)

    def _chunks(obj: object, _level: int) -> "tuple[str, ...]":  # type: ignore[misc]
        return (_encoder.encode(obj),)


def loads(text: str) -> "Any":
    """The value of a whole JSON text, as ``json.loads`` gives it; raises ``Malformed``.

    Unlike ``json.loads`` it refuses NaN and Infinity.
    """
    value, end = raw_loads(text, len(text) - len(text.lstrip(SPACE)))
    if text[end:].strip(SPACE):
        raise Malformed(f"more than one JSON document, from character {end}")
    return value


def raw_loads(text: str, start: int = 0) -> "tuple[object, int]":
    """The JSON value that begins exactly at ``start``, and the index after it.

    Raises ``Incomplete`` when more text could still make it a document, else ``Malformed``, which is also
    the answer to nesting that is too deep for this Python. A number at the very end counts as complete.
    """
    try:
        return _scan(text, start)
    except StopIteration as error:
        position, unfinished = error.value, False
    except Malformed:
        raise
    except RecursionError:
        raise Malformed("JSON is nested too deeply") from None
    except SystemError:  # CPython 3.11's scanner can raise its own error only once that has been loaded
        if not _load_decoder():
            raise
        return raw_loads(text, start)
    except ValueError as error:  # JSONDecodeError has a position; an integer of too many digits has none
        position = getattr(error, "pos", None)
        if position is None:
            raise Malformed("JSON holds a number that is too long") from None
        unfinished = _inside_string(error, text[position + 1 :])
    if unfinished or _breaks_off(text[position:]):
        raise Incomplete(f"JSON breaks off after {len(text)} characters")
    raise Malformed(f"not JSON at character {position}")


def _load_decoder() -> bool:
    """Load the error of the public module; false if it was there already."""
    import sys

    if "json.decoder" in sys.modules:
        return False
    import json.decoder  # noqa: F401

    return True


def _inside_string(error: ValueError, rest: str) -> bool:
    """The text ended in a string, or in the four digits of its last escape."""
    words = str(error)
    return words.startswith("Unterminated string") or (
        words.startswith("Invalid \\u") and len(rest) <= 4 and all(digit in _HEX for digit in rest)
    )


def _breaks_off(rest: str) -> bool:
    """From the error on there is nothing, or a literal or number cut short."""
    rest = rest.strip(SPACE)
    return not rest or rest in _BEGUN


def dumps(obj: object) -> str:
    """ASCII-only JSON without spaces, as ``json.dumps(obj, separators=(",", ":"))`` writes it.

    Raises ``TypeError`` for what is no JSON type, ``ValueError`` for NaN and Infinity, ``RecursionError`` for
    a value that contains itself.
    """
    return "".join(_chunks(obj, 0))
