"""Many processes and threads on one log, and processes that are killed at any instant."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from harness import torture
from ledger import writers
from ledger.made import created, event

from coordhooks.errors import Conflict
from coordhooks.ledger import Ledger, book, read_log

PROGRAM = Path(writers.__file__)


def start(folder, name, count, size):
    command = [sys.executable, str(PROGRAM), str(folder), name, str(count), str(size)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def run_together(folder, count, size):
    processes = [start(folder, f"w{n}", count, size) for n in range(8)]
    for process in processes:
        assert process.stdout.readline() == b"ready\n"
    for process in processes:
        process.stdin.write(b"\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=500)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 8
    return [int(seq) for output in outputs for seq in output.split()]


@pytest.mark.parametrize(
    ("count", "size"),
    [(torture.count(40, 500), 200), (torture.count(10, 200), 300 * 1024)],
    ids=["many", "large"],
)
def test_eight_processes(folder, count, size):
    """The long-lived reader and writer opened the log before all others."""
    with Ledger(folder, timeout=60) as ledger:
        ledger.append(created("early"))
        acknowledged = run_together(folder, count, size)
        ledger.append(event("TaskAmended", "early", 2, title="late"))
        events = list(ledger.events())
        tasks = ledger.tasks()
        assert ledger.verify()
    total = 8 * count + 2
    assert [made["seq"] for made in events] == list(range(1, total + 1))
    assert sorted([1, *acknowledged, total]) == list(range(1, total + 1))
    assert [made["seq"] for made in read_log(folder)] == list(range(1, total + 1))
    assert len(list(folder.glob("events-*.jsonl"))) > 1
    for number in range(8):
        own = [made for made in events if made["task_id"] == f"w{number}"]
        assert [made["payload"]["title"] for made in own] == [f"w{number}-{n}" for n in range(1, count + 1)]
        assert [made["version"] for made in own] == list(range(1, count + 1))
    assert {task["version"] for task in tasks} == {2, count}


def test_threads_share_one_ledger(folder):
    with Ledger(folder, timeout=60) as ledger:

        def work(name):
            ledger.append(created(name))
            for version in range(2, 12):
                ledger.append(event("TaskAmended", name, version, title=str(version)))
                assert ledger.task(name)["version"] == version

        threads = [threading.Thread(target=work, args=(f"t{n}",)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [task["version"] for task in ledger.tasks()] == [11] * 6


def test_a_forked_child_goes_on_by_itself(folder):
    with Ledger(folder) as ledger:
        ledger.append(created("parent"))
        child = os.fork()
        if not child:
            try:
                ledger.append(created("child"))
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        ledger.append(created("after"))
        assert [task["task_id"] for task in ledger.tasks()] == ["parent", "child", "after"]
        assert ledger.verify()


def test_two_workers_never_both_lease(folder):
    """All ask for the same tasks at once; every task is leased once."""
    with Ledger(folder) as ledger:
        for number in range(20):
            ledger.append(created(f"t{number}"))
    got: list[str] = []

    def work(name):
        with Ledger(folder, timeout=60) as mine:
            for number in range(20):
                with suppress(Conflict):
                    mine.lease(f"t{number}", name, 60)
                    got.append(f"t{number}")

    threads = [threading.Thread(target=work, args=(f"w{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == sorted(f"t{number}" for number in range(20))


def test_kill_9_at_random_instants(folder):
    """What was acknowledged is there, what is there is whole, the log opens and goes on."""
    dice = random.Random(7)
    seen = 0
    for round_ in range(torture.count(25, 300)):
        process = start(folder, f"k{round_}", 100_000, dice.choice([50, 5000, 100_000]))
        assert process.stdout.readline() == b"ready\n"
        process.stdin.write(b"\n")
        process.stdin.flush()
        process.stdout.readline()
        time.sleep(dice.random() * 0.03)  # the instant of the kill, not a wait for anything
        process.send_signal(signal.SIGKILL)
        acknowledged = [int(seq) for seq in process.communicate()[0].split()]
        with Ledger(folder, timeout=5) as ledger:
            events = list(ledger.events(seen))
            assert [made["seq"] for made in events] == list(range(seen + 1, seen + len(events) + 1))
            assert seen + len(events) >= max(acknowledged, default=0)
            assert ledger.append(created(f"after{round_}"))["seq"] == seen + len(events) + 1
            assert ledger.task(f"k{round_}")["version"] == len(events)
            seen += len(events) + 1
    with Ledger(folder) as ledger:
        assert ledger.verify()


STEPS = ("write", "fsync", "rename", "ftruncate", "open", "pread", "unlink", "link")


@pytest.mark.parametrize("step", STEPS)
def test_sigkill_at_every_system_call(folder, monkeypatch, step):
    """A child dies just before and just after each call in turn; every time the next open can go on."""
    monkeypatch.setattr(book, "SEAL_BYTES", 1500)
    for number in range(torture.count(5, 40)):
        before = ends(folder)
        child = os.fork()
        if not child:
            die_at(step, number // 2, after=bool(number % 2))
            try:
                with Ledger(folder) as ledger:
                    for n in range(3):
                        ledger.append(created(f"{step}{number}-{n}"))
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        with Ledger(folder) as ledger:
            assert len(list(ledger.events())) >= before
            ledger.append(created(f"alive{step}{number}"))
            assert ledger.verify()


def ends(folder):
    """How many lines there are that are events."""
    return sum(isinstance(found, dict) for found in read_log(folder))


def die_at(step, number, after):
    real, calls = getattr(os, step), iter(range(1_000_000))

    def call(*args, **options):
        if next(calls) != number:
            return real(*args, **options)
        if after:
            real(*args, **options)
        os.kill(os.getpid(), signal.SIGKILL)
        return None

    setattr(os, step, call)
