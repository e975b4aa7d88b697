"""What a file looks like at one moment, to tell later whether it has changed: its status, and a digest of small ones."""

import os

try:
    from _blake2 import blake2b  # the C core; `hashlib` around it brings OpenSSL
except ImportError:
    from hashlib import blake2b

MAX_HASHED = 1 << 20  # bytes; of larger files only size and times are compared
SIZE = 16  # bytes of a digest


class Fingerprint:
    """``size`` (bytes), ``mtime_ns``, ``ino`` and ``digest`` of a file; all ``None`` where there is none.

    ``digest`` alone is ``None`` where the content was not, or could not be, read.
    """

    __slots__ = ("digest", "ino", "mtime_ns", "size")

    def __init__(
        self,
        size: int | None = None,
        mtime_ns: int | None = None,
        ino: int | None = None,
        digest: bytes | None = None,
    ) -> None:
        self.size = size
        self.mtime_ns = mtime_ns
        self.ino = ino
        self.digest = digest

    @property
    def status(self) -> tuple[int | None, int | None, int | None]:
        return self.size, self.mtime_ns, self.ino


def of_status(path: str) -> Fingerprint:
    """Without a digest, so without reading. A folder, or what can't be looked at, counts as no file."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return Fingerprint()
    if found.st_mode & 0o170000 != 0o100000:
        return Fingerprint()
    return Fingerprint(found.st_size, found.st_mtime_ns, found.st_ino)


def take(path: str, known: Fingerprint | None = None) -> Fingerprint:
    """The file as it is now. Its content is read only if its status is not that of ``known``."""
    now = of_status(path)
    if known is not None and known.status == now.status and known.digest is not None:
        return known
    if now.size is not None and now.size <= MAX_HASHED:
        now.digest = _digest(path)
    return now


def changed(before: Fingerprint, now: Fingerprint) -> bool | None:
    """Has the content changed? ``None`` if that can't be told: touched, and one of the contents is not known."""
    if before.status == now.status:
        return False
    if before.size != now.size:
        return True
    if before.digest is None or now.digest is None:
        return None
    return before.digest != now.digest


def _digest(path: str) -> bytes | None:
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    try:
        chunks = []
        while chunk := os.read(fd, MAX_HASHED):
            chunks.append(chunk)
            if sum(map(len, chunks)) > MAX_HASHED:  # it grows as we read
                return None
        return blake2b(b"".join(chunks), digest_size=SIZE).digest()
    except OSError:
        return None
    finally:
        os.close(fd)
