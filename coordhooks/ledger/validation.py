"""Does an event, or its payload, fit its schema? Asks the validators that are generated from ``schemas/ledger``."""

from __future__ import annotations

from coordhooks.errors import Invalid
from coordhooks.ledger.vocabulary import TYPES
from coordhooks.validators import ledger as generated
from coordhooks.validators.errors import ValidationError


def _function_name(name: str) -> str:
    return "validate" + "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


_VALIDATORS = {name: getattr(generated, _function_name(name)) for name in (*TYPES, "Event")}


def check(name: str, data: object) -> None:
    """Raise ``Invalid``, naming the field, if ``data`` does not fit ``schemas/ledger/<name>.json``."""
    try:
        _VALIDATORS[name](data)
    except ValidationError as error:
        place = error.path if name == "Event" else f"payload.{error.path}".rstrip(".")
        raise Invalid(f"{place or 'event'}: {error.message} ({name})") from None
