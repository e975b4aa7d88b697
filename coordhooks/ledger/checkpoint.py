"""The first line of every segment of the log but the first: what all the segments before it add up to.

It carries the digest of every line before it, so that replay crosses from one segment into the next without a
gap, and notices a sealed one that was changed, cut or exchanged.
"""

from __future__ import annotations

import os

from coordhooks import fastjson
from coordhooks.ledger.vocabulary import Record

_BEGINNING = b'{"checkpoint":'
_LONGEST = 512  # bytes; one is about 180 long


class Checkpoint:
    """``seq`` events in ``length`` bytes with the digest ``chain`` are in the segments before number ``segment``."""

    __slots__ = ("chain", "length", "segment", "seq")

    def __init__(self, segment: int, seq: int, length: int, chain: bytes) -> None:
        self.segment, self.seq, self.length, self.chain = segment, seq, length, chain

    def line(self) -> bytes:
        body = {"segment": self.segment, "seq": self.seq, "length": self.length, "chain": self.chain.hex()}
        return fastjson.dumps({"checkpoint": body}).encode("ascii") + b"\n"


FIRST = Checkpoint(1, 0, 0, b"")  # the first segment has no line for it


def read(fd: int) -> tuple[Checkpoint, int]:
    """The checkpoint that the file begins with, and the length of its line.

    A damaged one counts as an event of the first segment: as such it is refused, by its line.
    """
    line, newline, _ = os.pread(fd, _LONGEST, 0).partition(b"\n")
    if not (newline and line.startswith(_BEGINNING)):
        return FIRST, 0
    try:
        return _decoded(fastjson.loads(line.decode("ascii"))["checkpoint"]), len(line) + 1
    except (ValueError, KeyError, TypeError):
        return FIRST, 0


def _decoded(body: Record) -> Checkpoint:
    segment, seq, length = body["segment"], body["seq"], body["length"]
    if not all(type(number) is int and number > 0 for number in (segment - 1, seq, length)):
        raise ValueError("a checkpoint counts what is before it")
    return Checkpoint(segment, seq, length, bytes.fromhex(body["chain"]))
