"""Measures commands in turns, so that a busy moment of the machine meets each of them, and tells them as ratios."""

import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "40"))
WARM_UP = 3  # rounds that do not count
PIPE = 65536  # bytes that fit in a pipe which nobody reads yet


class Run:
    """One run of a command: ``wall`` and ``cpu`` (user + system, children included) in seconds, what it ``said``."""

    def __init__(self, wall: float, cpu: float, said: bytes) -> None:
        self.wall = wall
        self.cpu = cpu
        self.said = said


class Started:
    """A command under way, with its whole input in its pipe. It must say less than a pipe holds."""

    def __init__(self, command: list[str], environ: Mapping[str, str], payload: bytes = b"") -> None:
        assert len(payload) < PIPE
        self.command = command
        read, write = os.pipe()
        os.write(write, payload)
        os.close(write)
        self._out, out = os.pipe()
        self.began = time.perf_counter()
        self.pid = os.posix_spawn(
            command[0], command, environ, file_actions=[(os.POSIX_SPAWN_DUP2, read, 0), (os.POSIX_SPAWN_DUP2, out, 1)]
        )  # fmt: skip
        os.close(read)
        os.close(out)

    def ended(self) -> Run:
        """Wait for its end. Raises ``RuntimeError`` if it failed."""
        _, status, usage = os.wait4(self.pid, 0)
        wall = time.perf_counter() - self.began
        with open(self._out, "rb") as file:
            said = file.read()
        if status:
            raise RuntimeError(f"{self.command} ended with status {status}: {said[:500]!r}")
        return Run(wall, usage.ru_utime + usage.ru_stime, said)


def run(command: list[str], environ: Mapping[str, str], payload: bytes = b"") -> Run:
    return Started(command, environ, payload).ended()


def crowd(started: list[Started]) -> Run:
    """Commands that were started together, as one: until the last has ended, with the CPU time of all."""
    runs = [one.ended() for one in started]
    wall = time.perf_counter() - started[0].began
    return Run(wall, sum(one.cpu for one in runs), b"".join(one.said for one in runs))


Variant = Callable[[int], Run]
Variants = dict[str, Variant]
Taken = dict[str, list[Run]]


def interleaved(variants: Variants) -> Taken:
    """Run each variant once a round, with the number of the round."""
    taken: Taken = {name: [] for name in variants}
    for number in range(ROUNDS + WARM_UP):
        for name, variant in variants.items():
            done = variant(number)
            if number >= WARM_UP:
                taken[name].append(done)
        print(f"\rround {number + 1} of {ROUNDS + WARM_UP}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return taken


HEAD = "| {} | median | p95 | p95 / median | CPU |\n| --- | ---: | ---: | ---: | ---: |"


def row(name: str, runs: list[Run], base: list[Run]) -> str:
    """Median and 95th percentile over those of ``base``, how far apart they are, and the CPU time's median over its."""
    mine, bare = [one.wall for one in runs], [one.wall for one in base]
    median, p95 = statistics.median(mine), percentile(mine)
    cpu = cpu_median(runs) / cpu_median(base)
    return (
        f"| {name} | {median / statistics.median(bare):.2f} | {p95 / percentile(bare):.2f} "
        f"| {p95 / median:.2f} | {cpu:.2f} |"
    )


def cpu_median(runs: list[Run]) -> float:
    return statistics.median(one.cpu for one in runs)


def percentile(times: list[float]) -> float:
    return sorted(times)[min(len(times) - 1, round(len(times) * 0.95))]
