"""How far into which log a projection goes, and a digest of everything on the way."""

from __future__ import annotations

from coordhooks.digest import sha256
from coordhooks.ledger.checkpoint import FIRST, Checkpoint
from coordhooks.ledger.log import Log


class Position:
    """``length`` bytes and ``seq`` events of the log are applied, the last from the segment with this ``inode``.

    ``last`` is the offset of the last line applied, ``chain`` the digest of all lines, ``before`` the digest
    without the last: so the last line alone proves that the log still is the one that was applied.
    """

    __slots__ = ("before", "chain", "inode", "last", "length", "seq")

    def __init__(self, inode: int, length: int, seq: int, last: int, before: bytes, chain: bytes) -> None:
        self.inode, self.length, self.seq = inode, length, seq
        self.last, self.before, self.chain = last, before, chain

    def after(self, line: bytes) -> Position:
        """The position when ``line``, the next one, is applied too."""
        chain = sha256(self.chain + line).digest()
        return Position(self.inode, self.length + len(line), self.seq + 1, self.length, self.chain, chain)

    def checkpoint(self, segment: int) -> Checkpoint:
        """What the segment of that number begins with, if it is to go on from here."""
        return Checkpoint(segment, self.seq, self.length, self.chain)

    def entering(self, inode: int, checkpoint: Checkpoint) -> Position | None:
        """The position at the head of the segment ``inode``; None if what is before it is not what was applied."""
        if (self.seq, self.length, self.chain) != (checkpoint.seq, checkpoint.length, checkpoint.chain):
            return None
        return Position(inode, self.length, self.seq, self.last, self.before, self.chain)

    def is_at_end(self, log: Log) -> bool:
        return self.inode == log.inode and self.length == log.size()

    def is_within(self, log: Log) -> bool:
        """Does the log begin with what was applied? Reads its last line only, and of that a checkpoint is proof."""
        if self.length == log.checkpoint.length:
            return self.entering(log.inode, log.checkpoint) is not None
        if self.length > log.size() or (self.length > log.checkpoint.length and self.inode != log.inode):
            return False
        line = log.read(self.last, self.length)
        return not self.length or sha256(self.before + line).digest() == self.chain

    def row(self) -> tuple[int, int, int, int, bytes, bytes]:
        return (self.inode, self.length, self.seq, self.last, self.before, self.chain)


def start(log: Log) -> Position:
    """Nothing is applied yet."""
    return Position(log.inode, FIRST.length, FIRST.seq, 0, b"", FIRST.chain)
