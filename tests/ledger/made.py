"""Events for tests, and a clock that stands still."""

import os
from collections.abc import Iterator
from pathlib import Path

START = 1_800_000_000.0  # 2027-01-15T08:00:00Z


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


def event(kind: str, task_id: str | None = "t", version: int | None = None, **payload: object) -> dict:
    return {"type": kind, "task_id": task_id, "version": version, "surface": "cli", "payload": payload}


def created(task_id: str = "t", **payload: object) -> dict:
    return event(
        "TaskCreated", task_id, 1, **{"source": "s", "external_id": task_id, "project": "p"} | payload
    )


def leased(task_id: str = "t", version: int = 2, epoch: str = "e1", **payload: object) -> dict:
    owner = {"harness_id": "h1", "lease_epoch": epoch, "until_ns": int((START + 60) * 1e9), "ttl": 60}
    return event("TaskLeased", task_id, version, **owner | payload)


def owned(kind: str, version: int, task_id: str = "t", **payload: object) -> dict:
    """An event of the owner that ``leased`` made."""
    return event(kind, task_id, version, **{"harness_id": "h1", "lease_epoch": "e1"} | payload)


def quota(harness: str, consumed: float | None, known: bool = True, at: object = None) -> dict:
    made = event("QuotaReported", None, harness_id=harness, consumed=consumed, known=known)
    return made | ({"at": at} if at is not None else {})


def log_of(folder: Path) -> Path:
    return folder / "events.jsonl"


def caches(folder: Path) -> Iterator[Path]:
    return folder.glob("cache-*")


def content(folder: Path) -> dict[str, bytes]:
    """Every file below ``folder`` except caches and locks: what must not change when nothing is written."""
    names = (os.path.join(where, name) for where, _, files in os.walk(folder) for name in files)
    return {n: Path(n).read_bytes() for n in names if "cache-" not in n and not n.endswith(".lock")}
