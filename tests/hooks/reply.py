"""What a hook answered, held at once to the rules that every answer keeps."""

import functools
import json
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator

SCHEMAS = Path(__file__).parents[2] / "schemas" / "claude_code" / "output"
MAX_STDERR = 600
MAX_TEXT = 10_000  # characters; what is longer the harness replaces by a preview
PIPE = 65_536  # bytes that fit in a pipe, whether anybody reads it or not


class Reply:
    """``json`` is the one document on stdout, or ``None`` for silence."""

    def __init__(self, event: str, rc: int, stdout: bytes, stderr: bytes, seconds: float) -> None:
        self.event = event
        self.rc = rc
        self.stdout = stdout.decode("ascii")  # whatever the locale
        self.stderr = stderr.decode("ascii")
        self.seconds = seconds
        self.json: dict[str, Any] | None = json.loads(self.stdout) if self.stdout else None

    def __repr__(self) -> str:
        return f"<{self.event}: rc {self.rc}, stdout {self.stdout!r}, stderr {self.stderr!r}>"

    def check(self, rc: int) -> "Reply":
        """The rules of every reply. ``rc`` is 0 but where the test says why not."""
        assert self.rc == rc, self
        assert len(self.stdout) <= PIPE
        assert max(map(len, (self.denied, self.context, self.held, self.notice))) <= MAX_TEXT
        if self.json is not None:
            assert isinstance(self.json, dict)
            assert self.stdout.endswith("}\n"), self
            assert self.stdout.count("\n") == 1, self
            assert not [error.message for error in schema(self.event).iter_errors(self.json)], self
        assert len(self.stderr) <= MAX_STDERR, self
        assert "Traceback" not in self.stderr, self
        return self

    @property
    def silent(self) -> bool:
        return not self.stdout and not self.stderr

    def _specific(self, field: str) -> str:
        found: str = (self.json or {}).get("hookSpecificOutput", {}).get(field, "")
        return found

    @property
    def denied(self) -> str:
        """The reason of a veto; empty if there is none."""
        return self._specific("permissionDecisionReason")

    @property
    def context(self) -> str:
        """What the model sees beside."""
        return self._specific("additionalContext")

    @property
    def held(self) -> str:
        """Why the turn may not end, or the prompt does not reach the model."""
        found: str = (self.json or {}).get("reason", "")
        return found

    @property
    def notice(self) -> str:
        """What the person sees."""
        found: str = (self.json or {}).get("systemMessage", "")
        return found


@functools.cache
def schema(event: str) -> Draft7Validator:
    return Draft7Validator(json.loads((SCHEMAS / f"{event}.json").read_text(encoding="utf-8")))
