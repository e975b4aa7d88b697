"""The ledger again, written from its specification as one plain function, to compare with."""

import copy

RETRY = [60, 120, 240, 480, 960, 1800]
OWNED = (
    *("TaskLeaseRenewed", "TaskLaunchAcknowledged", "TaskReleased", "TaskPickupValidated"),
    *("TaskCompleted", "TaskFailed", "TaskBlocked", "TaskNeedsAttention"),
)


class Refused(Exception):
    """With the name of the error that the ledger must raise."""


class Model:
    """``tasks``: id to dict, ``receipts``: (harness, at, consumed, known), ``seq``: events so far."""

    def __init__(self):
        self.tasks, self.receipts, self.ids, self.seq = {}, [], {}, 0

    def append(self, made, now):
        """Apply an event that is well formed, or raise ``Refused``."""
        kind, name, payload = made["type"], made["task_id"], made["payload"]
        task = copy.deepcopy(self.tasks.get(name))
        if kind == "QuotaReported":
            self.receipts.append((payload["harness_id"], now, payload["consumed"], payload["known"]))
        elif kind == "TaskCreated":
            task = self.created(made)
        else:
            task = self.later(kind, task, made, now)
        self.seq += 1
        self.ids[f"e{self.seq}"] = name
        if task is not None:
            task["version"] = made["version"]
            self.tasks[name] = task

    def created(self, made):
        sources = {(task["source"], task["external_id"]) for task in self.tasks.values()}
        key = (made["payload"]["source"], made["payload"]["external_id"])
        if key in sources or made["task_id"] in self.tasks:
            raise Refused("Duplicate")
        if made["version"] != 1:
            raise Refused("Conflict")
        blank = dict.fromkeys(
            ("lease", "phase", "next_retry", "failure_class", "block_reason", "title", "handoff_ref")
        )
        return blank | {"state": "queued", "attempt": 0, "source": key[0], "external_id": key[1]}

    def later(self, kind, task, made, now):
        payload = made["payload"]
        if task is None:
            raise Refused("NotFound")
        if made["version"] != task["version"] + 1:
            raise Refused("Conflict")
        if task["state"] in ("completed", "failed") and kind not in ("TaskAmended", "TaskCorrected"):
            raise Refused("Conflict")
        if kind == "TaskLeased" and task["state"] != "queued":
            raise Refused("Conflict")
        if kind in OWNED:
            self.fence(kind, task, payload)
        if kind == "TaskCorrected":
            self.check_correction(task, payload, made["task_id"])
        getattr(self, kind)(task, payload, now)
        if task["state"] not in ("blocked", "needs_attention"):
            task["block_reason"] = None
        return task

    def fence(self, kind, task, payload):
        mine = (payload.get("harness_id"), payload.get("lease_epoch"))
        if task["lease"]:
            allowed = mine == task["lease"][:2]
        else:
            allowed = kind in ("TaskCompleted", "TaskFailed", "TaskBlocked") and mine[1] is None
        if not allowed:
            raise Refused("Conflict")

    def check_correction(self, task, payload, name):
        state = payload.get("state")
        if state is not None and state != task["state"]:
            if task["lease"] and (payload.get("harness_id"), payload.get("lease_epoch")) != task["lease"][:2]:
                raise Refused("Conflict")
            if not task["lease"] and state in ("leased", "needs_attention"):
                raise Refused("Conflict")
        if self.ids.get(payload["corrects"]) != name:
            raise Refused("NotFound")

    def TaskLeased(self, task, payload, now):
        lease = (payload["harness_id"], payload["lease_epoch"], payload["until_ns"])
        task.update(state="leased", phase="lease_issued", lease=lease)

    def TaskLeaseRenewed(self, task, payload, now):
        task["lease"] = (*task["lease"][:2], payload["until_ns"])

    def TaskLaunchAcknowledged(self, task, payload, now):
        task.update(state="leased", phase="started")

    def TaskReleased(self, task, payload, now):
        task.update(state="queued", phase="reclaimed", lease=None)
        if payload.get("handoff_ref"):
            task.update(next_retry=None, failure_class=None, handoff_ref=payload["handoff_ref"])
        else:
            task["attempt"] += 1
            task["failure_class"] = payload["reason"]
            task["next_retry"] = now + RETRY[min(task["attempt"], 6) - 1]

    def TaskPickupValidated(self, task, payload, now):
        pass

    def TaskCompleted(self, task, payload, now):
        task.update(state="completed", lease=None)

    def TaskFailed(self, task, payload, now):
        task.update(state="failed", lease=None)

    def TaskBlocked(self, task, payload, now):
        task.update(state="blocked", lease=None, block_reason="quota")

    def TaskNeedsAttention(self, task, payload, now):
        task.update(state="needs_attention", block_reason="quota")

    def TaskAmended(self, task, payload, now):
        task["title"] = payload["title"]

    def TaskCorrected(self, task, payload, now):
        task["title"] = payload["metadata"]["title"]
        state = payload.get("state")
        if state is not None and state != task["state"]:
            task["lease"] = task["lease"] if state == "leased" else None
            task["state"] = state

    def quota(self, harness, since):
        window = [
            (consumed, known) for h, at, consumed, known in self.receipts if h == harness and at >= since
        ]
        return sum(consumed for consumed, _ in window), bool(window) and all(known for _, known in window)

    def active(self):
        counts = {}
        for task in self.tasks.values():
            if task["lease"]:
                counts[task["lease"][0]] = counts.get(task["lease"][0], 0) + 1
        return counts
