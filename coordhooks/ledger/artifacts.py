"""Files named by the SHA-256 of what is in them. A reference is 64 lower-case hex digits."""

from __future__ import annotations

import os

from coordhooks.digest import sha256
from coordhooks.errors import Invalid, LedgerError, NotFound
from coordhooks.ledger.files import make_folder, open_private, write_file


class Artifacts:
    """The artifacts below ``folder``, which is created at the first ``put``. There may be very many.

    What a kill leaves of one lies beside ``folder``.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def put(self, data: bytes) -> str:
        """Store ``data`` durably; its reference. What is there already is not written again."""
        ref = sha256(data).hexdigest()
        if not self._holds(ref):
            make_folder(self.folder)
            try:
                write_file(self._path(ref), data, made_in=os.path.dirname(self.folder))
            except OSError as error:
                raise LedgerError(
                    f"can't store artifact {ref}: {error.strerror}; nothing was stored"
                ) from error
        return ref

    def get(self, ref: str) -> bytes:
        """The bytes of ``ref``. Raises ``Invalid`` (malformed or corrupt) or ``NotFound``."""
        check_ref(ref)
        if not os.path.lexists(self._path(ref)):
            raise NotFound(f"artifact {ref} does not exist; put it first")
        with open(open_private(self._path(ref), os.O_RDONLY), "rb") as file:
            data = file.read()
        if sha256(data).hexdigest() != ref:
            raise Invalid(f"artifact {ref} is corrupt: its content has another hash; put the original again")
        return data

    def _holds(self, ref: str) -> bool:
        """A corrupt file does not count, so that a repeat mends it."""
        try:
            self.get(ref)
        except (NotFound, Invalid):
            return False
        return True

    def _path(self, ref: str) -> str:
        return os.path.join(self.folder, ref)


def check_ref(ref: object) -> None:
    """Refuse everything but 64 lower-case hex digits with ``Invalid``: a reference becomes a path."""
    if not (isinstance(ref, str) and len(ref) == 64 and set(ref) <= set("0123456789abcdef")):
        raise Invalid(f"{str(ref)[:80]!r} is not an artifact reference (64 lower-case hex digits)")
