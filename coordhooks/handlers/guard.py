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


class Plan:
    """What a call is going to write.

    ``targets``: the files and folders. ``wants``: what else it needs while it runs. ``untold``: why that may not be
    all. ``watched``: files that others hold are looked at before and after. ``objection``: what stands against the
    call beyond leases, and ``ruled`` is true where that comes first. ``reasons``: for a target's key, the program that writes it. ``head``: where HEAD stands before
    a command of git that may move it.
    """

    __slots__ = ("head", "objection", "reasons", "ruled", "targets", "untold", "wants", "watched")

    def __init__(self, targets: list[Target]) -> None:
        self.targets = targets
        self.wants: list[Want] = []
        self.untold: list[str] = []
        self.watched = False
        self.objection: Decision | None = None
        self.ruled = False
        self.reasons: dict[str, str] = {}
        self.head = ""


def authorize(tx: Transaction, me: Row, event: Event, plan: Plan, *, patient: bool) -> Decision:
    """Claim all that the call needs for the runtime, or refuse the whole call and claim nothing.

    With ``patient`` set a call that only calls contend with raises ``Contended`` instead of being refused.
    """
    if plan.objection is not None and plan.ruled:  # git's rules know the better step
        return plan.objection
    wanted = _wanted(tx, plan)
    found = leases.conflicts(tx, me["runtime_id"], [want for want, _ in wanted], leases.EXCLUSIVE)
    if found:
        if patient and all(row["kind"] == leases.CALL for row in found):
            raise Contended
        from coordhooks.handlers import refusal

        return refusal.refuse(tx, me, event, plan, found)
    if plan.objection is not None:
        return plan.objection
    _take(tx, me, event, wanted)
    return Decision()


def _wanted(tx: Transaction, plan: Plan) -> list[tuple[Want, str]]:
    """Every name that the call needs, with the kind of lease that it may get."""
    extra = (
        sharing.extra_patterns(str(settings.get(tx, plan.targets[0].project, "shared", "")))
        if plan.targets
        else []
    )
    wanted = [(of_target(target), sharing.kind_of(target, extra)) for target in plan.targets]
    return wanted + [(want, leases.CALL) for want in plan.wants]


def _take(tx: Transaction, me: Row, event: Event, wanted: list[tuple[Want, str]]) -> None:
    """The first permitted write takes an automatic lease, on each file that may have one."""
    for kind in (leases.AUTOMATIC, leases.CALL):
        wants = [want for want, its in wanted if its == kind]
        fresh = [want for want in wants if not leases.touch(tx, me["runtime_id"], want, event.call_id)]
        if fresh:
            leases.claim(
                tx,
                me["runtime_id"],
                fresh,
                purpose="",
                ttl=AUTOMATIC_TTL,
                kind=kind,
                call_id=event.call_id,
                checked=True,
            )
        for want in wants:
            waits.settle(tx, me["runtime_id"], want)


def switched_off(tx: Transaction, project: str) -> bool:
    """Has a person switched the veto off here, for a while or for good?"""
    return settings.off_until(tx, project) is not None or settings.get(tx, project, "enabled", 1) == 0
