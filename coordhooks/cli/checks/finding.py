"""One thing that the doctor found."""


class Finding:
    """``ok`` is true, false (something is to be done), or ``None`` (only to know).

    ``file`` is the one that the finding is about, ``remedy`` what to do, with commands in backticks.
    """

    __slots__ = ("check", "file", "ok", "remedy", "says")

    def __init__(
        self, check: str, says: str, ok: bool | None = None, *, file: str = "", remedy: str = ""
    ) -> None:
        self.check, self.says, self.ok, self.file, self.remedy = check, says, ok, file, remedy

    def public(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in ("check", "ok", "says", "file", "remedy")}


def fault(check: str, says: str, *, file: str = "", remedy: str = "") -> Finding:
    return Finding(check, says, False, file=file, remedy=remedy)


def good(check: str, says: str, *, file: str = "") -> Finding:
    return Finding(check, says, True, file=file)


def note(check: str, says: str, *, file: str = "", remedy: str = "") -> Finding:
    return Finding(check, says, None, file=file, remedy=remedy)
