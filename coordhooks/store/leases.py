"""Leases: who may write what. Claiming is all or nothing over a whole list, in one transaction."""

import os

from coordhooks.errors import BadArgument, ClaimRefused
from coordhooks.store import notes, runtimes, yielding
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row
from coordhooks.store.overlap import FILES, REPOSITORY, Want, where

EXCLUSIVE, APPEND = "exclusive", "append"
MODES = (EXCLUSIVE, APPEND)

# How a lease came to be decides how it ends.
AUTOMATIC = "automatic"  # by the first permitted write: ends with the turn, yields when it is left alone
CALL = "call"  # the same on a file that everybody touches, or on a folder: ends with the call
BACKGROUND = (
    "background"  # by a shell call that goes on in the background: ends when none of these runs any more
)
TURN = "turn"  # an explicit claim without a time: ends with the claimer's turn
TIMED = "timed"  # an explicit claim with a time to live
KINDS = (AUTOMATIC, CALL, BACKGROUND, TURN, TIMED)


def check_terms(mode: str, ttl: float) -> None:
    if mode not in MODES:
        raise BadArgument(f"unknown mode {mode!r}: use {' or '.join(MODES)}")
    runtimes.check_ttl(ttl)


def claim(
    tx: Transaction,
    runtime_id: str,
    wants: list[Want],
    *,
    mode: str = EXCLUSIVE,
    purpose: str = "",
    ttl: float = 3600.0,
    kind: str = TIMED,
    call_id: str | None = None,
    checked: bool = False,
) -> list[str]:
    """Claim every name or none. Returns the names; raises ``ClaimRefused`` with every conflict.

    ``checked``: in this very transaction it was seen that there is none.
    """
    check_terms(mode, ttl)
    found = [] if checked else conflicts(tx, runtime_id, wants, mode)
    if found:
        tx.audit("claim_refused", runtime_id, paths=names(wants), mode=mode, holders=_holders(found))
        raise ClaimRefused([describe(tx, row) for row in found])
    for want in wants:
        _put(tx, runtime_id, want, mode, purpose, ttl, kind, call_id)
    tx.audit("leases_claimed", runtime_id, paths=names(wants), mode=mode, kind=kind, ttl=ttl)
    return names(wants)


def _put(
    tx: Transaction, runtime_id: str, want: Want, mode: str, purpose: str, ttl: float, kind: str,
    call_id: str | None,
) -> None:  # fmt: skip
    """Insert, or update the holder's own: it keeps its claim time, and an explicit lease stays explicit."""
    dev, ino = want.inode or (None, None)
    tx.run(
        "INSERT INTO leases(space, key, path, project, rel, tree, dev, ino, bounded, runtime_id, mode, kind,"
        " purpose, call_id, claimed_at, touched_at, ttl, expires_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT(space, key, runtime_id) DO UPDATE SET"
        " touched_at = excluded.touched_at, dev = excluded.dev, ino = excluded.ino,"
        " bounded = min(bounded, excluded.bounded),"
        " mode = CASE WHEN excluded.call_id IS NULL THEN excluded.mode ELSE 'exclusive' END,"
        " purpose = CASE WHEN excluded.call_id IS NULL THEN excluded.purpose ELSE purpose END,"
        " kind = CASE WHEN excluded.call_id IS NULL THEN excluded.kind ELSE kind END,"
        " ttl = CASE WHEN excluded.call_id IS NULL THEN excluded.ttl ELSE ttl END,"
        " expires_at = CASE WHEN excluded.call_id IS NULL THEN excluded.expires_at"
        "  ELSE max(expires_at, excluded.touched_at + ttl) END",
        want.space, want.key, want.path, want.project, want.rel, want.tree, dev, ino, want.bounded,
        runtime_id, mode, kind, purpose, call_id, tx.now, tx.now, ttl, tx.now + ttl,
    )  # fmt: skip


def touch(tx: Transaction, runtime_id: str, want: Want, call_id: str) -> bool:
    """Is there one's own lease on exactly this name? It is kept, and is in use again.

    One that was for an earlier call is for this call now.
    """
    return bool(
        tx.run(
            "UPDATE leases SET touched_at = ?, expires_at = max(expires_at, ? + ttl),"
            " call_id = CASE WHEN kind = ? THEN ? ELSE call_id END WHERE space = ? AND key = ? AND runtime_id = ?",
            tx.now, tx.now, CALL, call_id, want.space, want.key, runtime_id,
        )
    )  # fmt: skip


def keep(tx: Transaction, runtime_id: str) -> None:
    """The holder's calls renew its unexpired leases, each by its own time to live."""
    tx.run(
        "UPDATE leases SET expires_at = ? + ttl WHERE runtime_id = ? AND expires_at > ?",
        tx.now,
        runtime_id,
        tx.now,
    )


# -- conflicts --------------------------------------------------------------------------------------------


def conflicts(tx: Transaction, runtime_id: str, wants: list[Want], mode: str) -> list[Row]:
    """The leases of others that stand in the way, after those that hold no longer have been taken away."""
    # Two ranges of the index, because `<>` would walk all of one's own.
    others = "SELECT 1 FROM leases WHERE runtime_id < ? UNION ALL SELECT 1 FROM leases WHERE runtime_id > ? LIMIT 1"
    if tx.one(others, runtime_id, runtime_id) is None:
        return []
    own = runtimes.kin(tx, runtime_id)
    found: dict[int, Row] = {}
    for want in wants:
        for row in overlapping(tx, want):
            if _opposed(row, mode) and not _related(tx, row["runtime_id"], own):
                found[row["lease_id"]] = row
    return [row for row in found.values() if holds(tx, row, by=runtime_id)]


def overlapping(tx: Transaction, want: Want) -> list[Row]:
    """Every lease on an overlapping name, or on the same inode, whoever holds it."""
    rows: dict[int, Row] = {}

    def look(sql: str, values: "list[str | bytes] | list[int]") -> None:
        for row in tx.all("SELECT * FROM leases WHERE " + sql, *values):
            if not _apart(row, want):
                rows[row["lease_id"]] = row

    looks = where("space", want.space, "key", want.key)
    if want.project is not None and want.rel is not None:
        if want.space.startswith(REPOSITORY):
            looks += where("project", want.project, "rel", want.rel)
        else:
            looks += where("space", REPOSITORY + want.project, "key", want.rel)
    for condition, values in looks:
        look(condition, values)
    if want.inode is not None:
        look("ino = ? AND dev = ?", [want.inode[1], want.inode[0]])
    return list(rows.values())


def _apart(row: Row, want: Want) -> bool:
    """Does one of the two stop at the border of its working tree, beyond which the other lies?"""
    bounded = want.bounded or row["bounded"]
    return bool(bounded and row["tree"] != want.tree and row["space"] == want.space == FILES)


def _opposed(row: Row, mode: str) -> bool:
    return bool(EXCLUSIVE in (mode, row["mode"]))


def _related(tx: Transaction, holder: str, own: list[str]) -> bool:
    """A runtime never conflicts with itself, nor with those above or below it; siblings do."""
    return holder in own or own[0] in runtimes.kin(tx, holder)


def holds(tx: Transaction, row: Row, *, by: str = "") -> bool:
    """Does this lease still hold? If its holder is dead, or it lapsed, it is taken away on the spot.

    ``by`` is the contender to whom a lease may yield.
    """
    holder = runtimes.get(tx, row["runtime_id"])
    if holder is None:
        tx.run("DELETE FROM leases WHERE lease_id = ?", row["lease_id"])
        return False
    if runtimes.condition(tx, holder) == runtimes.DEAD:
        if holder["ended_at"] is None:
            runtimes.bury(tx, holder)
        else:
            tx.run("DELETE FROM leases WHERE lease_id = ?", row["lease_id"])
        return False
    reason = yielding.reason(tx, row, holder)
    if reason == yielding.YIELDED and not by:  # it gives way to a contender, not to a listing
        return True
    if reason:
        lapse(tx, row, reason, by)
    return not reason


def lapse(tx: Transaction, row: Row, reason: str, by: str) -> None:
    """Take a lease away from a living holder, who is told, and whose next refusal there mentions it."""
    tx.run("DELETE FROM leases WHERE lease_id = ?", row["lease_id"])
    if row["kind"] != CALL:  # that was to end with a call, which nobody needs to hear of
        notes.lapsed(tx, row["runtime_id"], row["key"], by)
    tx.audit("lease_lapsed", row["runtime_id"], path=shown(row), kind=row["kind"], reason=reason, by=by)


def revoke(tx: Transaction, want: Want, by: str) -> list[Row]:
    """Take away every lease of others that overlaps a name; returns what they were."""
    gone = [row for row in overlapping(tx, want) if row["runtime_id"] != by and holds(tx, row)]
    for row in gone:
        lapse(tx, row, "revoked", "")
        tx.audit("lease_revoked", by, path=shown(row), kind=row["kind"], holder=row["runtime_id"])
    return gone


def give(tx: Transaction, giver: str, heir: str, wants: list[Want]) -> list[str]:
    """Hand one's own leases on exactly these names over; returns those that there were, sorted."""
    given = []
    for want in wants:
        if tx.run(
            "UPDATE OR REPLACE leases SET runtime_id = ?, claimed_at = ?, touched_at = ?, expires_at = ? + ttl,"
            " call_id = NULL WHERE space = ? AND key = ? AND runtime_id = ?",
            heir, tx.now, tx.now, tx.now, want.space, want.key, giver,
        ):  # fmt: skip
            given.append(os.fsdecode(want.path))
    if given:
        tx.audit("leases_given", giver, paths=sorted(given), to=heir)
    return sorted(given)


def describe(tx: Transaction, row: Row) -> dict[str, object]:
    """A conflicting lease with what is known of its holder."""
    holder = runtimes.get(tx, row["runtime_id"])
    facts = public(row)
    for name in ("name", "handle", "conversation_handle", "conversation_id", "harness", "label", "task", "attention_at",
                 "turn_at", "cwd"):  # fmt: skip
        facts[name] = None if holder is None else holder[name]
    facts["expires_at"] = min(row["expires_at"], tx.now + row["ttl"])  # whatever a clock once said
    return facts


def _holders(found: list[Row]) -> list[str]:
    return sorted({row["runtime_id"] for row in found})


# -- release, renew, list ---------------------------------------------------------------------------------


def release(tx: Transaction, runtime_id: str, wants: list[Want]) -> list[str]:
    """Give up one's own leases on exactly these names; returns those that there were, sorted."""
    gone = []
    for want in wants:
        if tx.run(
            "DELETE FROM leases WHERE space = ? AND key = ? AND runtime_id = ?",
            want.space,
            want.key,
            runtime_id,
        ):
            gone.append(os.fsdecode(want.path))
    if gone:
        tx.audit("leases_released", runtime_id, paths=sorted(gone))
    return sorted(gone)


def release_kinds(tx: Transaction, runtime_id: str, kinds: tuple[str, ...], *, reason: str) -> list[str]:
    """Give up all of one's leases of some kinds, as at the end of a turn; returns their names, sorted."""
    marks = ", ".join("?" * len(kinds))
    rows = tx.all(f"SELECT * FROM leases WHERE runtime_id = ? AND kind IN ({marks})", runtime_id, *kinds)
    for row in rows:
        tx.run("DELETE FROM leases WHERE lease_id = ?", row["lease_id"])
    gone = sorted(shown(row) for row in rows)
    if gone:
        tx.audit("leases_released", runtime_id, paths=gone, reason=reason)
    return gone


def give_back(tx: Transaction, runtime_id: str, call_id: str, *, kinds: tuple[str, ...], reason: str) -> None:
    """Undo what one call took; a lease that was there before the call has another call's id, and stays."""
    marks = ", ".join("?" * len(kinds))
    for row in tx.all(
        f"SELECT * FROM leases WHERE runtime_id = ? AND call_id = ? AND kind IN ({marks})",
        runtime_id, call_id, *kinds,
    ):  # fmt: skip
        tx.run("DELETE FROM leases WHERE lease_id = ?", row["lease_id"])
        tx.audit("leases_released", runtime_id, paths=[shown(row)], reason=reason)


def release_made(tx: Transaction, runtime_id: str, key: bytes) -> None:
    """An automatic lease on what has become a folder: nobody needs it to work in there."""
    tx.run(
        "DELETE FROM leases WHERE space = ? AND key = ? AND runtime_id = ? AND kind IN (?, ?)",
        FILES, key, runtime_id, AUTOMATIC, BACKGROUND,
    )  # fmt: skip


def go_on(tx: Transaction, runtime_id: str, call_id: str) -> None:
    """A call has been reported as over, but its command runs on in the background with the files that it named.

    What it had for the call alone, folders and git's index, goes: nobody could work beside it for hours.
    """
    tx.run(
        "UPDATE leases SET kind = ? WHERE runtime_id = ? AND call_id = ? AND kind = ?",
        BACKGROUND, runtime_id, call_id, AUTOMATIC,
    )  # fmt: skip


def renew(tx: Transaction, runtime_id: str, wants: list[Want] | None, ttl: float) -> list[str]:
    """Give one's own leases a new expiry; returns which. One that has lapsed can't be renewed."""
    check_terms(EXCLUSIVE, ttl)
    renewed = []
    for row in tx.all("SELECT * FROM leases WHERE runtime_id = ?", runtime_id):
        if wants is not None and not any(w.space == row["space"] and w.key == row["key"] for w in wants):
            continue
        if holds(tx, row):
            tx.run(
                "UPDATE leases SET expires_at = ?, ttl = ? WHERE lease_id = ?",
                tx.now + ttl,
                ttl,
                row["lease_id"],
            )
            renewed.append(shown(row))
    if renewed:
        tx.audit("leases_renewed", runtime_id, paths=sorted(renewed), ttl=ttl)
    return sorted(renewed)


def of_runtime(tx: Transaction, runtime_id: str) -> list[Row]:
    """What a runtime holds, oldest first."""
    rows = tx.all("SELECT * FROM leases WHERE runtime_id = ? ORDER BY claimed_at, lease_id", runtime_id)
    return [row for row in rows if holds(tx, row)]


def keys(tx: Transaction, runtime_id: str, kind: str) -> set[bytes]:
    """The files on which a runtime has leases of one kind."""
    rows = tx.all(
        "SELECT key FROM leases WHERE runtime_id = ? AND kind = ? AND space = ?", runtime_id, kind, FILES
    )
    return {bytes(row["key"]) for row in rows}


def active(tx: Transaction, project: str | None = None) -> list[Row]:
    """Every lease that holds, by name; the others are swept away on the way."""
    sql, values = "SELECT * FROM leases", []
    if project is not None:
        sql, values = sql + " WHERE project = ? OR space IN (?, ?)", [project, *_spaces_of(project)]
    return [row for row in tx.all(sql + " ORDER BY space, key, claimed_at", *values) if holds(tx, row)]


def _spaces_of(project: str) -> tuple[str, str]:
    return (REPOSITORY + project, "resource:" + project)


def names(wants: list[Want]) -> list[str]:
    return [os.fsdecode(want.path) for want in wants]


def shown(row: Row) -> str:
    return os.fsdecode(row["path"])


def scope(row: Row) -> str:
    return "checkout" if row["space"] == "file" else "repository"


def public(row: Row) -> dict[str, object]:
    """A lease as listings show it. Times are epoch seconds."""
    return {
        "path": shown(row),
        "runtime_id": row["runtime_id"],
        "mode": row["mode"],
        "scope": scope(row),
        "kind": row["kind"],
        "purpose": row["purpose"],
        "project": row["project"],
        "tree": row["tree"],
        "space": row["space"],
        "claimed_at": row["claimed_at"],
        "expires_at": row["expires_at"],
    }
