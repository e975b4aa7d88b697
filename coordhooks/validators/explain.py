"""Why data breaks its schema, in words. The cold path: ``jsonschema`` costs 200 ms.

Names the field and the rule, never a byte of the data: what is told may reach a model or a log.
"""

import importlib
import json
from typing import TYPE_CHECKING

from coordhooks.resources import schema_path
from coordhooks.validators.errors import ValidationError

if TYPE_CHECKING:
    import jsonschema

LIMIT = 200

# The rule that is broken, in the words of the schema.
RULES = {
    "type": "must be {}",
    "required": "must have {}",
    "additionalProperties": "must have no other fields",
    "enum": "must be one of {}",
    "const": "must be {}",
    "minLength": "must have at least {} characters",
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "dependencies": "has a field that needs another one beside it",
}


def explain(schema_name: str, data: object) -> str:
    """The first broken rule, as ``tool_input: must be object``; empty when there is none.

    ``schema_name`` is the path of a schema below ``schemas/``, as ``codex/input/Stop``. At most 200
    characters. Without ``jsonschema`` the text of the generated validator is given.
    """
    try:
        from jsonschema import Draft7Validator
    except ImportError:
        return _plain(schema_name, data)[:LIMIT]
    with open(schema_path(schema_name), encoding="utf-8") as file:
        errors = Draft7Validator(json.load(file)).iter_errors(data)
    worst = min(errors, key=lambda error: len(error.absolute_path), default=None)
    if worst is None:
        return ""
    rule = RULES.get(str(worst.validator), f"breaks the rule {worst.validator}")
    return f"{_field(worst)}: {rule.format(_wanted(worst))}"[:LIMIT]


def locate(schema_name: str) -> tuple[str, str]:
    """The module in ``coordhooks.validators``, and the function in it, that are generated for a schema.

    Replies have none: they are ours, and held to their schemas by tests.
    """
    folder, _, name = schema_name.rpartition("/")
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")
    if folder == "ledger":
        return "ledger", f"validate_{snake}"
    return f"{folder.removesuffix('/input').replace('/', '_')}_{snake}", "validate"


def _field(error: "jsonschema.ValidationError") -> str:
    """As ``tasks[0].id``. A name that is not the schema's own is the payload's, and is not told."""
    ours = set(error.absolute_schema_path)
    path = ""
    for step in error.absolute_path:
        path += f"[{step}]" if isinstance(step, int) else f".{step if step in ours else '*'}"
    return path.lstrip(".") or "payload"


def _wanted(error: "jsonschema.ValidationError") -> str:
    wanted: object = error.validator_value
    if not isinstance(wanted, list):
        return str(wanted)
    if error.validator == "required" and isinstance(error.instance, dict):
        return ", ".join(name for name in wanted if name not in error.instance)
    return " or ".join(map(str, wanted))


def _plain(schema_name: str, data: object) -> str:
    module, function = locate(schema_name)
    try:
        validate = getattr(importlib.import_module(f"coordhooks.validators.{module}"), function)
    except (ImportError, AttributeError):
        return "payload: can't be checked without jsonschema"
    try:
        validate(data)
    except ValidationError as error:
        return f"{error.path or 'payload'}: {error.message}"
    return ""
