"""Somebody changed the harness's configuration: recorded, and told to the others if it switches hooks off."""

import json

from coordhooks import quoting
from coordhooks.handlers import inbox
from coordhooks.handlers.attendance import attend, company
from coordhooks.model import Decision, Event
from coordhooks.store import messages, runtimes
from coordhooks.store.db import Transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings


def handle(event: Event, around: "Surroundings") -> Decision:
    path = str(event.facts.get("file_path") or "")
    off = switches_off(path)
    with Transaction(around.db) as tx:
        me = attend(tx, event, around)
        tx.audit("config_changed", me["runtime_id"], path=path, hooks_off=off)
        others = [row["runtime_id"] for row in company(tx, me)]
        if off and others:
            body = f"Hooks were switched off for {inbox.name_of(tx, me['runtime_id'])} (in {quoting.line(path)}): "
            body += "its writes are no longer checked against your leases."
            messages.deliver(tx, runtimes.SYSTEM, others, messages.Message(body, kind=messages.URGENT))
    return Decision()


def switches_off(path: str) -> bool:
    """Does this settings file switch all hooks off? One that can't be parsed is ignored by the harness."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            settings = json.load(file)
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return path.endswith(".json")
    return isinstance(settings, dict) and settings.get("disableAllHooks") is True
