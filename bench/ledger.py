"""What the task ledger costs, in ratios measured side by side, at 1,000 and at 1,000,000 events.

BENCH_EVENTS sets another large number. An append is compared with a bare ``write`` and ``fsync`` of the same line, in
turns of a few, so that both meet the same weather on the disk.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median

from coordhooks.ledger import Ledger
from coordhooks.ledger.vocabulary import Record

SMALL, LARGE = 1_000, 1_000_000
ROUNDS, TURN = 40, 25  # appends, then as many bare writes
TITLE = "Fix the parser so that a quoted newline does not end the record"


def main() -> None:
    large = int(os.environ.get("BENCH_EVENTS", LARGE))
    with tempfile.TemporaryDirectory() as folder:
        small, big = (measured(Path(folder) / str(events), events) for events in (SMALL, large))
    print("## Task ledger\n")
    print(
        "An append is validated, checked, fenced, written and fsynced; the bare write + fsync of its line is 1.0.\n"
    )
    print(f"| | {SMALL:,} events | {large:,} events | ratio |\n| --- | ---: | ---: | ---: |")
    for name in small:
        print(f"| {name} | {small[name]:,.2f} | {big[name]:,.2f} | {big[name] / small[name]:.2f} |")


def measured(folder: Path, events: int) -> dict[str, float]:
    """The rows of the table for a log of ``events`` events."""
    write_log(folder, events)
    rebuild, memory = opened_elsewhere(folder)
    reopen, _ = opened_elsewhere(folder)
    with Ledger(folder) as ledger:
        append, bare = appended(ledger, folder, events)
        look_up = looked_up(ledger)
    return {
        "append / bare, median": median(append) / median(bare),
        "append / bare, mean": mean(append) / mean(bare),
        "bare write + fsync, us, median": median(bare),
        "appends a second, by the mean": 1e6 / mean(append),
        "look-up of a task, us, median": look_up,
        "open with the cache, us": reopen * 1e6,
        "open without, events a second": events / rebuild,
        "peak memory of that, MB": memory,
    }


def looked_up(ledger: Ledger) -> float:
    """Microseconds of a look-up, median; the first takes the last appends into the cache and does not count."""
    ledger.task("t7")
    return median(timed(lambda number=number: ledger.task(f"t{number % 200}")) for number in range(500))  # type: ignore[misc]


def write_log(folder: Path, events: int) -> None:
    """A log of turns, four events each, written without the ledger because that would take minutes."""
    folder.mkdir()
    with (folder / "events.jsonl").open("w") as file:
        for seq in range(1, events + 1):
            file.write(json.dumps(turn_event(seq), separators=(",", ":")) + "\n")


def turn_event(seq: int) -> Record:
    turn, step = divmod(seq - 1, 4)
    kind = ("TaskCreated", "TaskLeased", "TaskLaunchAcknowledged", "TaskCompleted")[step]
    owner = {"harness_id": f"runtime-{turn % 9}", "lease_epoch": f"{turn:032x}"}
    payload: Record = created_payload(turn) if step == 0 else owner
    if step == 1:
        payload = owner | {"until_ns": 1_800_000_000 * 10**9, "ttl": 900}
    return {
        "id": f"{seq:032x}",
        "seq": seq,
        "type": kind,
        "task_id": f"t{turn}",
        "version": step + 1,
        "at": "2026-01-31T12:00:00.000000Z",
        "payload": payload,
        "surface": "hook",
        "schema_version": 1,
    }


def created_payload(turn: int) -> Record:
    return {
        "source": "claude-code",
        "external_id": f"session/{turn}",
        "project": "/srv/project",
        "title": TITLE,
    }


def opened_elsewhere(folder: Path) -> tuple[float, float]:
    """Seconds that opening takes in a process of its own, and that process's peak memory in MB."""
    program = (
        "import resource, sys, time; from coordhooks.ledger import Ledger; start = time.perf_counter();"
        "ledger = Ledger(sys.argv[1]); took = time.perf_counter() - start; ledger.close();"
        "print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)], capture_output=True, check=True, text=True
    )
    took, memory = map(float, done.stdout.split())
    return took, memory


def appended(ledger: Ledger, folder: Path, events: int) -> tuple[list[float], list[float]]:
    """Microseconds of every append of new turns, and of every bare write of the same line."""
    line = json.dumps(turn_event(4 * events + 1)).encode() + b"\n"
    fd = os.open(folder / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    append: list[float] = []
    bare: list[float] = []
    first = events + 1
    for round_ in range(ROUNDS + 1):
        for number in range(TURN):
            event = new_event(first + round_ * TURN + number)
            append.append(timed(lambda event=event: ledger.append(event)))  # type: ignore[misc]
        bare.extend(timed(lambda: write_and_sync(fd, line)) for _ in range(TURN))
    os.close(fd)
    return append[TURN:], bare[TURN:]


def new_event(number: int) -> Record:
    full = turn_event(4 * number + 1)
    return {name: full[name] for name in ("type", "task_id", "version", "payload", "surface")}


def write_and_sync(fd: int, line: bytes) -> None:
    os.write(fd, line)
    os.fsync(fd)


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1e6


if __name__ == "__main__":
    main()
