"""What the task ledger costs, in ratios measured side by side: ``python -m bench.ledger [EVENTS]``.

An append is compared with a bare ``write`` and ``fsync`` of the same line, in turns of a few, so that both meet
the same weather on the disk.
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
    large = int(sys.argv[1]) if len(sys.argv) > 1 else LARGE
    with tempfile.TemporaryDirectory() as folder:
        small, big = (measured(Path(folder) / str(events), events) for events in (SMALL, large))
    for name in small:
        print(f"  {name:32} {big[name] / small[name]:5.2f} x at {large:,} events against {SMALL:,}")


def measured(folder: Path, events: int) -> dict[str, float]:
    """Times in microseconds; prints them as ratios to the bare write."""
    write_log(folder, events)
    print(f"{events:,} events, {(folder / 'events.jsonl').stat().st_size / 1e6:.0f} MB")
    rebuild, memory = opened_elsewhere(folder)
    reopen, memory_cached = opened_elsewhere(folder)
    print(f"  open without cache {rebuild:8.3f} s, peak {memory:.0f} MB; {events / rebuild:,.0f} events/s")
    print(f"  open with cache    {reopen:8.4f} s, peak {memory_cached:.0f} MB")
    with Ledger(folder) as ledger:
        append, bare = appended(ledger, folder, events)
        look_up = timed(lambda: ledger.task("t7"))
    bare_median = median(bare)
    print(f"  bare write + fsync {bare_median:8.0f} us = 1.00 ({1e6 / mean(bare):,.0f} a second)")
    print(f"  append             {median(append):8.0f} us = {median(append) / bare_median:.2f}"
          f" ({1e6 / mean(append):,.0f} a second; mean {mean(append) / mean(bare):.2f})")  # fmt: skip
    print(f"  look-up of a task  {look_up:8.0f} us = {look_up / bare_median:.2f}")
    return {
        "append (to the bare write)": median(append) / bare_median,
        "look-up": look_up,
        "open with cache": reopen,
    }


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
        **{"id": f"{seq:032x}", "seq": seq, "type": kind, "task_id": f"t{turn}", "version": step + 1},
        **{"at": "2026-01-31T12:00:00.000000Z", "payload": payload, "surface": "hook", "schema_version": 1},
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
    append, bare = [], []
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
