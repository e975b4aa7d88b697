"""Random histories, against the independent model; reopened and with a damaged cache at any point."""

import os
import shutil
import tempfile
from pathlib import Path

from harness import torture
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from ledger.made import Clock, caches, event, quota
from ledger.model import OWNED, Model, Refused

from coordhooks.errors import Conflict, LedgerError
from coordhooks.ledger import Ledger, book, times

STEPS = 120
NAMES = st.integers(0, 3)  # one of the four newest tasks
OFFS = st.sampled_from([0, 0, 0, 0, 0, 1, -1])  # from the right version
HARNESSES = st.sampled_from(["h1", "h2"])
PAYLOAD = {
    "TaskReleased": {"reason": "r"},
    "TaskPickupValidated": {"transaction_id": "x"},
    "TaskBlocked": {"blocker": "rate limit"},
    "TaskNeedsAttention": {"blocker": "rate limit"},
}
LIFECYCLE = st.tuples(
    NAMES,
    st.sampled_from(OWNED),
    st.sampled_from(["owner", "owner", "owner", "owner", "stale", "other", "outside"]),
    OFFS,
    st.sampled_from([True, True, False]),  # is it leased before?
    st.booleans(),  # does another process do it?
)


class Histories(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clock, self.model, self.epochs = Clock(), Model(), 0
        self.ledger = self.opened()
        self.other = self.opened()

    def opened(self):
        return Ledger(self.folder / "ledger", clock=self.clock)

    def teardown(self):
        self.ledger.close()
        self.other.close()
        shutil.rmtree(self.folder)

    @initialize()
    def begin(self):
        self.ref = self.ledger.put_artifact(b"notes")
        for _ in range(4):
            self.new_task()

    # -- operations ------------------------------------------------------------------------------------------

    def append(self, made, ledger=None):
        made = made | {"id": f"e{self.model.seq + 1}"}
        try:
            self.model.append(made, self.clock.now)
            expected = None
        except Refused as refusal:
            expected = str(refusal)
        try:
            (ledger or self.ledger).append(made)
            got = None
        except LedgerError as error:
            got = type(error).__name__
        assert got == expected, made

    def name(self, index):
        return list(self.model.tasks)[-4:][index]

    def version(self, name, off=0):
        return max(1, self.model.tasks.get(name, {"version": 0})["version"] + 1 + off)

    def owner(self, name, who):
        lease = self.model.tasks.get(name, {}).get("lease")
        if who == "outside" or not lease:
            return {} if who != "stale" else {"harness_id": "h1", "lease_epoch": "gone"}
        epoch = "gone" if who == "stale" else lease[1]
        return {"harness_id": lease[0] if who != "other" else "h9", "lease_epoch": epoch}

    @rule()
    def new_task(self):
        name = f"t{len(self.model.tasks)}"
        self.append(event("TaskCreated", name, 1, source="s", external_id=name, project="p"))

    @rule(name=NAMES, source=NAMES, off=st.sampled_from([0, 1]), is_new=st.booleans())
    def create_again(self, name, source, off, is_new):
        payload = {"source": "s", "external_id": self.name(source), "project": "p"}
        self.append(event("TaskCreated", "new" if is_new else self.name(name), 1 + off, **payload))

    @rule(kind=st.sampled_from(["TaskAmended", "TaskCompleted", "TaskReleased"]))
    def unknown_task(self, kind):
        self.append(event(kind, "unknown", 1, title="x", reason="r"))

    @rule(name=NAMES, harness=HARNESSES, off=OFFS, ttl=st.integers(1, 100))
    def lease(self, name, harness, off, ttl):
        self.epochs += 1
        until_ns = int((self.clock.now + ttl) * 1e9)
        lease = {"harness_id": harness, "lease_epoch": f"epoch{self.epochs}", "until_ns": until_ns}
        name = self.name(name)
        self.append(event("TaskLeased", name, self.version(name, off), **lease))

    @rule(steps=st.lists(LIFECYCLE, min_size=4, max_size=12))
    def lifecycles(self, steps):
        for index, kind, who, off, is_leased_first, from_other in steps:
            if is_leased_first and self.model.tasks[self.name(index)]["state"] == "queued":
                self.lease(index, "h1", 0, 60)
            name = self.name(index)
            until_ns = int((self.clock.now + 50) * 1e9)
            extra = {"until_ns": until_ns} if kind == "TaskLeaseRenewed" else PAYLOAD.get(kind, {})
            made = event(kind, name, self.version(name, off), **extra | self.owner(name, who))
            self.append(made, self.other if from_other else self.ledger)

    @rule(name=NAMES)
    def hand_over(self, name):
        if self.model.tasks[self.name(name)]["state"] == "queued":
            self.lease(name, "h2", 0, 60)
        name = self.name(name)
        owner = self.owner(name, "owner")
        self.append(event("TaskReleased", name, self.version(name), handoff_ref=self.ref, **owner))

    @rule(name=NAMES, title=st.text(max_size=5))
    def amend(self, name, title):
        name = self.name(name)
        self.append(event("TaskAmended", name, self.version(name), title=title))

    @rule(
        name=NAMES,
        corrects=st.integers(1, 200),
        state=st.sampled_from(
            [None, "queued", "queued", "queued", "leased", "blocked", "needs_attention", "completed"]
        ),
        who=st.sampled_from(["owner", "stale", "outside"]),
    )
    def correct(self, name, corrects, state, who):
        name = self.name(name)
        own = [number for number, task in self.model.ids.items() if task == name] if corrects % 5 else []
        corrected = own[corrects % len(own)] if own else f"e{corrects % self.model.seq + 1}"
        extra = {"corrects": corrected, "metadata": {"title": "right"}, "state": state}
        self.append(event("TaskCorrected", name, self.version(name), **extra | self.owner(name, who)))

    @rule(harness=HARNESSES, consumed=st.integers(0, 9), known=st.sampled_from([True, True, False]))
    def report(self, harness, consumed, known):
        self.append(quota(harness, consumed, known))

    @rule(seconds=st.integers(1, 40))
    def time_passes(self, seconds):
        self.clock.now += seconds

    @rule()
    def expire(self):
        due = [n for n, t in self.model.tasks.items() if t["lease"] and t["lease"][2] <= self.clock.now * 1e9]
        expected = sorted(due, key=lambda n: (self.model.tasks[n]["lease"][2], n))
        assert self.ledger.expire_leases() == expected
        for name in expected:
            lease = self.model.tasks[name]["lease"]
            payload = {"harness_id": lease[0], "lease_epoch": lease[1], "reason": "lease_expired"}
            self.appended_by_itself(event("TaskReleased", name, self.version(name), **payload))

    @rule(name=NAMES, harness=HARNESSES)
    def lease_by_call(self, name, harness):
        name = self.name(name)
        task = self.model.tasks[name]
        try:
            lease = self.ledger.lease(name, harness, 30)["lease"]
        except Conflict:
            assert task["state"] != "queued"
            return
        self.appended_by_itself(event("TaskLeased", name, self.version(name), **lease))

    def appended_by_itself(self, made):
        self.model.append(made, self.clock.now)
        del self.model.ids[f"e{self.model.seq}"]  # it chose another id

    # -- disturbances ----------------------------------------------------------------------------------------

    @rule()
    def reopen(self):
        self.ledger.close()
        self.ledger = self.opened()

    @rule()
    def swap(self):
        self.ledger, self.other = self.other, self.ledger

    @rule(how=st.sampled_from(["delete", "truncate", "garbage"]))
    def damage_the_cache(self, how):
        self.ledger.close()
        self.other.close()
        for path in caches(self.folder / "ledger"):
            if how == "delete":
                path.unlink()
            elif how == "truncate":
                os.truncate(path, path.stat().st_size // 2)
            else:
                path.write_bytes(b"garbage" * 500)

    # -- what must hold --------------------------------------------------------------------------------------

    @invariant()
    def tasks_are_the_models(self):
        tasks = {task["task_id"]: task for task in self.ledger.tasks()}
        assert tasks.keys() == self.model.tasks.keys()
        for name, expected in self.model.tasks.items():
            assert seen(tasks[name]) == expected
        assert self.ledger.scheduling_snapshot()["active_leases"] == self.model.active()

    @rule(harness=HARNESSES, ago=st.integers(0, 100))
    def quota_is_the_models(self, harness, ago):
        since = self.clock.now - ago
        assert self.ledger.quota_since(harness, since) == self.model.quota(harness, since)

    @rule()
    def the_log_alone_gives_the_same(self):
        with tempfile.TemporaryDirectory() as copy:
            for path in (self.folder / "ledger").glob("events*.jsonl"):
                shutil.copy(path, copy)
            with Ledger(copy) as again:
                assert again.tasks() == self.ledger.tasks()
                assert [made["seq"] for made in again.events()] == list(range(1, self.model.seq + 1))


def seen(task):
    """A task of the ledger as the model has it."""
    lease, retry = task["lease"], task["next_retry"]
    return {
        **{name: task[name] for name in ("version", "state", "phase", "attempt", "source", "external_id")},
        **{name: task[name] for name in ("failure_class", "block_reason", "title", "handoff_ref")},
        "lease": lease and (lease["harness_id"], lease["lease_epoch"], lease["until_ns"]),
        "next_retry": retry and times.moment(retry).timestamp(),
    }


def test_histories(monkeypatch):
    monkeypatch.setattr(book, "SEAL_BYTES", 5000)  # they go through many segments
    run_state_machine_as_test(
        Histories,
        settings=settings(max_examples=torture.count(12, 100), stateful_step_count=STEPS, deadline=None),
    )
