"""What a settings file becomes: pure functions from content and record to content and record."""

import codecs
import hashlib
import json
from dataclasses import dataclass

from coordhooks.errors import ConfigRefused
from coordhooks.install import codex, merge
from coordhooks.install.jsonfile import Document
from coordhooks.install.manifest import Record


@dataclass(slots=True)
class Wish:
    """What one harness wants in one file. ``path`` and ``title`` are for messages."""

    path: str
    harness: str
    title: str
    groups: merge.Groups
    allow: tuple[str, ...] = ()

    def snippet(self) -> str:
        """The entries as text to paste into the file by hand."""
        document = Document(b"")
        document.put((), merge.HOOKS, self.groups)
        return document.content.decode()


def installed(content: bytes | None, record: Record | None, wish: Wish) -> tuple[bytes, Record]:
    """The file with our entries, and the record of how to take them out. Raises ConfigRefused."""
    if wish.harness == codex.NAME and content and content.startswith(codecs.BOM_UTF8):
        raise ConfigRefused(
            wish.path,
            "it begins with a byte-order mark, for which Codex drops it whole: save it without and run again",
        )
    document, restored = _before_us(content, record, wish)
    if problem := merge.problem(document.value, wish.groups):
        reason, where = problem
        line, column = document.position(where)
        reason = f"{reason}, so no hook can be added: repair it and run again"
        raise ConfigRefused(wish.path, reason, line=line, column=column)
    known = None if record is None or restored else record.created
    # What is on record may not be there: somebody took it out, or we were killed before we had put it in.
    kept = [rule for rule in record.allowed if rule in _rules(document)] if record and not restored else []
    exact = not kept and not merge.installed(document.value)
    new = Record(wish.harness, existed=content is not None, folders=record.folders if record else [])
    if record:
        new.trusted, new.trusted_in, new.trust_made = record.trusted, record.trusted_in, record.trust_made
    if record and content is not None:
        new.existed = record.existed
    new.created = merge.add(document, wish.groups, known)
    missing = [*(record.allowed if record and restored else ()), *wish.allow]
    new.allowed = kept + _allow(document, missing, wish, new.created)
    new.undo = document.undo if exact else None
    new.sha256 = _digest(document.content)
    if content == document.content and record is not None and not restored:
        return content, record  # edited by others since, but nothing of ours is amiss
    return document.content, new


def removed(content: bytes | None, record: Record | None, wish: Wish) -> bytes | None:
    """The file without us; None if it should not exist. Raises ConfigRefused if it can't be read."""
    if content is None or (record is None and b"coordhooks" not in content):
        return content
    document, restored = _before_us(content, record, wish)
    if not restored:
        merge.remove(document, record.created if record else None)
        if record:
            _disallow(document, record)
    ours_alone = record is not None and not record.existed
    return None if ours_alone and document.value == {} else document.content


def is_untouched(content: bytes | None, record: Record | None) -> bool:
    """Whether the file is as we left it, and can be restored byte for byte."""
    return bool(content and record and record.undo is not None and _digest(content) == record.sha256)


def _before_us(content: bytes | None, record: Record | None, wish: Wish) -> tuple[Document, bool]:
    """The document, taken back to before we came if nobody edited it since (then True)."""
    document = _parse(content or b"", wish)
    untouched = is_untouched(content, record)
    if untouched and record and record.undo is not None:
        document.revert(record.undo)
    return document, untouched


def _parse(content: bytes, wish: Wish) -> Document:
    try:
        return Document(content)
    except UnicodeDecodeError as error:
        raise ConfigRefused(
            wish.path, "it is not UTF-8 text, so it was left alone: save it as UTF-8 and run again"
        ) from error
    except json.JSONDecodeError as error:
        reason = (
            f"{error.msg}. It is not strict JSON (no comments, no trailing commas), so {wish.title}"
            " ignores this whole file, and it was left alone. Repair it and run again."
        )
        raise ConfigRefused(wish.path, reason, line=error.lineno, column=error.colno) from error
    except (ValueError, RecursionError) as error:
        raise ConfigRefused(
            wish.path, f"it can't be read as JSON ({error}): repair it and run again"
        ) from error


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


# -- permission rules -------------------------------------------------------------------------------------

PERMISSIONS, ALLOW = "permissions", "allow"


def _allow(document: Document, rules: list[str], wish: Wish, created: list[str]) -> list[str]:
    """Add the rules that are missing; returns those, and notes containers it made in ``created``."""
    if not rules:
        return []
    permissions = document.value.get(PERMISSIONS, {})
    present = permissions.get(ALLOW, []) if isinstance(permissions, dict) else None
    if not isinstance(present, list):
        raise ConfigRefused(wish.path, '"permissions"."allow" is not a list, so no rule can be added')
    missing = [rule for rule in dict.fromkeys(rules) if rule not in present]
    if not missing:
        return []
    if PERMISSIONS not in document.value:
        document.put((), PERMISSIONS, {ALLOW: missing})
        created += [PERMISSIONS, f"{PERMISSIONS}.{ALLOW}"]
    elif ALLOW not in permissions:
        document.put((PERMISSIONS,), ALLOW, missing)
        created.append(f"{PERMISSIONS}.{ALLOW}")
    else:
        for rule in missing:
            document.append((PERMISSIONS, ALLOW), rule)
    return missing


def _disallow(document: Document, record: Record) -> None:
    """Remove the rules that we added, and the containers that are empty then and ours."""
    for rule in record.allowed:
        if rule in (rules := _rules(document)):
            document.remove((PERMISSIONS, ALLOW, rules.index(rule)))
    if _dig(document.value, PERMISSIONS, ALLOW) == [] and f"{PERMISSIONS}.{ALLOW}" in record.created:
        document.remove((PERMISSIONS, ALLOW))
    if _dig(document.value, PERMISSIONS) == {} and PERMISSIONS in record.created:
        document.remove((PERMISSIONS,))


def _rules(document: Document) -> list[object]:
    rules = _dig(document.value, PERMISSIONS, ALLOW)
    return rules if isinstance(rules, list) else []


def _dig(value: object, *keys: str) -> object:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
