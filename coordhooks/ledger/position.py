"""How far into which log a projection goes, and a digest of everything on the way."""

from __future__ import annotations

import hashlib

from coordhooks.ledger.log import Log


class Position:
    """``length`` bytes and ``seq`` events of the log with this ``inode`` are applied.

    ``last`` is the offset of the last line applied, ``chain`` the digest of all lines, ``before`` the digest
    without the last: so the last line alone proves that the log still is the one that was applied.
    """

    __slots__ = ("before", "chain", "inode", "last", "length", "seq")

    def __init__(self, inode: int, length: int, seq: int, last: int, before: bytes, chain: bytes) -> None:
        self.inode, self.length, self.seq = inode, length, seq
        self.last, self.before, self.chain = last, before, chain

    def after(self, line: bytes) -> Position:
        """The position when ``line``, the next one, is applied too."""
        chain = hashlib.sha256(self.chain + line).digest()
        return Position(self.inode, self.length + len(line), self.seq + 1, self.length, self.chain, chain)

    def is_at_end(self, log: Log) -> bool:
        return self.inode == log.inode and self.length == log.size()

    def is_within(self, log: Log) -> bool:
        """Does the log begin with what was applied? Reads its last line only."""
        if self.inode != log.inode or self.length > log.size():
            return False
        line = log.read(self.last, self.length)
        return not self.length or hashlib.sha256(self.before + line).digest() == self.chain

    def row(self) -> tuple[int, int, int, int, bytes, bytes]:
        return (self.inode, self.length, self.seq, self.last, self.before, self.chain)


def start(log: Log) -> Position:
    """Nothing is applied yet."""
    return Position(log.inode, 0, 0, 0, b"", b"")
