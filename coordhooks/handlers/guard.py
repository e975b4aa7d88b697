"""The heart of the product: may this runtime write these files now? Check and claim, in one transaction."""

from coordhooks.model import Decision, Event, Target
from coordhooks.store import leases, settings, waits
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row
from coordhooks.store.overlap import Want, of_target
from coordhooks.targets import sharing

AUTOMATIC_TTL = 900.0  # seconds; decides only where the holder's process can't be checked


class Contended(Exception):
    """Only leases for the length of one call stand in the way: it is worth waiting a moment."""


def authorize(tx: Transaction, me: Row, event: Event, targets: list[Target], *, patient: bool) -> Decision:
    """Claim all targets for the runtime, or refuse the whole call and claim nothing.

    With ``patient`` set a call that only calls contend with raises ``Contended`` instead of being refused.
    """
    extra = sharing.extra_patterns(str(settings.get(tx, targets[0].project, "shared", "")))
    wanted = [(of_target(target), sharing.kind_of(target, extra)) for target in targets]
    found = leases.conflicts(tx, me["runtime_id"], [want for want, _ in wanted], leases.EXCLUSIVE)
    if not found:
        take(tx, me, event, wanted)
        return Decision()
    if patient and all(row["kind"] == leases.CALL for row in found):
        raise Contended
    from coordhooks.handlers import refusal

    return refusal.refuse(tx, me, event, targets, found)


def take(tx: Transaction, me: Row, event: Event, wanted: list[tuple[Want, str]]) -> None:
    """The first permitted write takes an automatic lease, on each file that may have one."""
    for kind in (leases.AUTOMATIC, leases.CALL):
        wants = [want for want, its in wanted if its == kind]
        fresh = [want for want in wants if not leases.touch(tx, me["runtime_id"], want, event.call_id)]
        if fresh:
            leases.claim(
                tx, me["runtime_id"], fresh, purpose="", ttl=AUTOMATIC_TTL, kind=kind, call_id=event.call_id
            )
        for want in wants:
            waits.settle(tx, me["runtime_id"], want)


def switched_off(tx: Transaction, project: str) -> bool:
    """Has a person switched the veto off here, for a while or for good?"""
    return settings.off_until(tx, project) is not None or settings.get(tx, project, "enabled", 1) == 0
