"""A refused write: what the model reads, who now waits for whom, and who else has to hear of it.

Loaded only in a conflict, so the many calls that meet none do not pay for it.
"""

import os

from coordhooks.handlers import inbox, narrow, texts
from coordhooks.handlers.guard import Plan
from coordhooks.model import Decision, Event, Target
from coordhooks.paths import real
from coordhooks.store import leases, messages, notes, runtimes, waits, writes
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row
from coordhooks.store.overlap import FILES, INDEX, RESOURCE, Want, of_target


def refuse(tx: Transaction, me: Row, event: Event, plan: Plan, found: list[Row]) -> Decision:
    """Refuse the whole call in the words of the first conflict; nothing is claimed."""
    target, lease = _first(tx, plan.targets, found)
    if target is None:
        return _busy(tx, me, event, lease)
    want = _contested(target, lease)
    facts = _told_apart(leases.describe(tx, lease), me)
    refusals = waits.note(
        tx, me["runtime_id"], want, lease["runtime_id"], event.turn_id or me["turn_id"], event.call_id
    )
    tx.audit(
        "write_refused", me["runtime_id"], tool=event.tool, path=target.path, holder=lease["runtime_id"],
        held=leases.shown(lease), paths=[t.path for t in plan.targets], refusals=refusals,
    )  # fmt: skip
    circle = _circle(tx, me, event.cwd, lease)
    _tell_its_person(tx, me, facts, want)
    if target.folder and not _same(target, lease) and not circle:
        return _wide(tx, me, event, plan, target, found, facts)
    lapsed = notes.had_lapsed(tx, me["runtime_id"], want.key)
    path = _spelled(target, lease)
    typed = _typed(target.path, event.cwd)
    return Decision(
        deny=texts.refusal(path, typed, facts, refusals, circle, lapsed),
        notice=texts.refused_notice(path, facts),
    )


def _told_apart(facts: texts.Facts, me: Row) -> texts.Facts:
    """A holder of one's own conversation, a sibling or a second process, goes by its runtime's own handle."""
    if facts["conversation_id"] != me["conversation_id"]:
        return facts
    return {**facts, "name": "", "conversation_handle": facts["handle"]}


def _busy(tx: Transaction, me: Row, event: Event, lease: Row) -> Decision:
    """What is in the way is no file of the call: another command of git has the index, or it is about the stash."""
    facts = leases.describe(tx, lease)
    tx.audit(
        "write_refused",
        me["runtime_id"],
        tool=event.tool,
        holder=lease["runtime_id"],
        held=leases.shown(lease),
    )
    deny = texts.index_busy(facts) if lease["space"] == INDEX else texts.stash_shared(_short(lease), facts)
    return Decision(deny=deny, notice=texts.refused_notice(_short(lease), facts))


def _wide(
    tx: Transaction, me: Row, event: Event, plan: Plan, target: Target, found: list[Row], facts: texts.Facts
) -> Decision:
    """A command over a folder or tree: which files below are held, and the narrower command."""
    why = plan.reasons.get(target.key, event.tool)
    inside = "" if target.name == "/" else f"{target.name}/"
    written = writes.of_conversation(tx, me["conversation_id"], target.tree)
    own = [name for row in written if (name := os.fsdecode(row["rel"]).lstrip("/")).startswith(inside)]
    step = narrow.over(why, own, target.tree, real(event.cwd) if event.cwd else "")
    held = [_short(row, me) for row in found]
    return Decision(
        deny=texts.wide_refusal(narrow.called(why), held, facts, step, narrow.fallback(why)),
        notice=texts.refused_notice(held[0], facts),
    )


def _same(target: Target, lease: Row) -> bool:
    return bool(lease["key"] == of_target(target).key)


def _contested(target: Target, lease: Row) -> Want:
    """What is waited for: of a folder, the very file in it that is held."""
    if target.folder and lease["space"] == FILES and not _same(target, lease):
        return waits.wanted(lease)
    return of_target(target)


def _first(tx: Transaction, targets: list[Target], found: list[Row]) -> tuple[Target | None, Row]:
    """The first target that is held, and the lease that holds it; no target if what is held is no file."""
    for target in targets:
        own = leases.overlapping(tx, of_target(target))
        for lease in found:
            if any(row["lease_id"] == lease["lease_id"] for row in own):
                return target, lease
    return None, found[0]


def _spelled(target: Target, lease: Row) -> str:
    """The path to name: with the name under which it is held, where that is another one (a hard link)."""
    held = leases.shown(lease)
    linked = target.inode is not None and (lease["dev"], lease["ino"]) == target.inode
    if linked and lease["space"] == "file" and held != target.path:
        return f"{target.name} (the same file as {held.removeprefix(target.tree + '/')})"
    return target.name


def _typed(path: str, cwd: str) -> str:
    """A file as ``coord`` takes it in a shell that stands in ``cwd``: never like an option, a home, a resource."""
    folder = os.path.join(real(cwd), "") if cwd else path
    if not path.startswith(folder) or path == folder:
        return path
    name = path[len(folder) :]
    return f"./{name}" if name[0] in "-@~" else name


def _circle(tx: Transaction, me: Row, cwd: str, lease: Row) -> str:
    """If this wait closes a circle: the step for me if my turn began later, else a word to the other."""
    members = waits.circle(tx, me["runtime_id"], lease["runtime_id"])
    if not members:
        return ""
    other = runtimes.get(tx, members[0])
    tx.audit("circle_found", me["runtime_id"], members=members)
    if other is None:
        return ""
    if (me["turn_at"] or 0) >= (other["turn_at"] or 0):
        return _step(tx, _needed(tx, other, me), other, cwd)
    message = messages.Message(_step(tx, _needed(tx, me, other), me, other["cwd"]), kind=messages.URGENT)
    messages.deliver(tx, runtimes.SYSTEM, [other["runtime_id"]], message)
    return ""


def _step(tx: Transaction, held: list[Row], needs: Row, cwd: str) -> str:
    """What the holder of ``held``, whose shell stands in ``cwd``, should do for the one that ``needs`` it."""
    typed = ""
    if held:
        name = leases.shown(held[0])
        resource = held[0]["space"].startswith(RESOURCE)
        typed = f"@{name}" if resource else _typed(os.path.join(held[0]["tree"], name), cwd)
    return texts.circle_step([_short(lease) for lease in held], typed, inbox.name_of(tx, needs["runtime_id"]))


def _needed(tx: Transaction, needs: Row, holder: Row) -> list[Row]:
    """What ``holder`` holds that ``needs`` waits for."""
    found = []
    for row in waits.of(tx, needs["runtime_id"]):
        for lease in leases.conflicts(tx, needs["runtime_id"], [waits.wanted(row)], leases.EXCLUSIVE):
            if lease["runtime_id"] == holder["runtime_id"]:
                found.append(lease)
    return found or leases.of_runtime(tx, holder["runtime_id"])


def _short(lease: Row, reader: Row | None = None) -> str:
    """Without the root of its tree, if that is the reader's own; relative to that if it lies inside."""
    shown, tree = leases.shown(lease), lease["tree"] if reader is None else reader["tree"]
    return shown.removeprefix(f"{tree}/") if tree else shown


def _tell_its_person(tx: Transaction, me: Row, facts: texts.Facts, want: Want) -> None:
    """A holder at a permission dialog waits for its human: the human hears that others wait too."""
    if not facts.get("attention_at") or not notes.first_time(
        tx, me["runtime_id"], want.key, f"asked-human:{facts['attention_at']}"
    ):
        return
    who = inbox.name_of(tx, str(facts["runtime_id"]))
    text = f"{who} waits at a permission dialog since {texts.clock(facts['attention_at'])}; "
    text += f"{inbox.name_of(tx, me['runtime_id'])} waits for what it holds."
    person = runtimes.require_live(tx, runtimes.HUMAN)
    messages.deliver(tx, runtimes.SYSTEM, [person["runtime_id"]], messages.Message(text))
