"""A fake Codex: a real process whose program is named ``codex``, so that hooks find it above them."""

import base64
import functools
import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jsonschema import Draft7Validator

from coordhooks.install import codex
from hooks.agent import Agent

if TYPE_CHECKING:
    from hooks.world import World

PAYLOADS = Path(__file__).parents[1] / "payloads"
SAMPLES = {
    "SessionStart": "startup", "UserPromptSubmit": "main", "PreToolUse": "apply_patch-add", "PostToolUse": "apply_patch",
    "Stop": "main", "SubagentStart": "v1", "SubagentStop": "v1", "Interrupt": "turn", "SessionEnd": "other",
    "PermissionRequest": "Bash", "PreCompact": "auto",
}  # fmt: skip


class CodexReply:
    """A reply that Codex itself would take: its schemas are strict, and it drops a reply for one unknown key."""

    def __init__(self, event: str, answer: dict[str, Any]) -> None:
        self.rc = answer["rc"]
        self.stdout, self.stderr = (base64.b64decode(answer[name]).decode() for name in ("stdout", "stderr"))
        self.json: dict[str, Any] = json.loads(self.stdout) if self.stdout else {}
        theirs = schema(event)
        if theirs is None:
            assert not self.stdout
        else:
            assert not [error.message for error in theirs.iter_errors(self.json)], self.json
        specific = self.json.get("hookSpecificOutput", {})
        self.denied = str(specific.get("permissionDecisionReason", ""))
        self.context = str(specific.get("additionalContext", ""))
        self.rewritten = str((specific.get("updatedInput") or {}).get("command", ""))
        self.held = str(self.json.get("reason", ""))

    @property
    def silent(self) -> bool:
        return (self.rc, self.stdout, self.stderr) == (0, "", "")


class CodexAgent(Agent):
    def __init__(self, world: "World", session_id: str = "thread-A") -> None:
        super().__init__(world, session_id, world.repo, {}, str(program(world.home)))
        world.agents.append(self)

    def fire(self, event: str, *, tool_class: str = "", rc: int = 0, **payload: Any) -> CodexReply:
        """Fire an event with a payload of the observed shape."""
        running = self.begin(event, tool_class=tool_class, **payload)
        reply = CodexReply(event, running.wait())
        assert reply.rc == rc, (reply.rc, reply.stdout, reply.stderr)
        return reply

    def patch(self, *lines: str, event: str = "PreToolUse", **payload: Any) -> CodexReply:
        text = "\n".join(["*** Begin Patch", *lines, "*** End Patch"])
        given = {"tool_name": "apply_patch", "tool_input": {"command": text}, **payload}
        return self.fire(event, tool_class="file", **given)

    def shell(self, command: str, **payload: Any) -> CodexReply:
        given = {"tool_name": "Bash", "tool_input": {"command": command}, **payload}
        return self.fire("PreToolUse", tool_class="shell", **given)

    def payload(self, event: str, **fields: Any) -> dict[str, Any]:
        given = {"session_id": self.session_id, "transcript_path": None, **fields}
        given["cwd"] = str(given.get("cwd") or self.cwd)
        return {**sample(event), **given}

    def argv(self, event: str, tool_class: str) -> list[str]:
        """As Codex starts it: the account's shell, and one string."""
        return ["/bin/bash", "-c", command(str(self.world.program), event, tool_class)]

    def environ(self, changes: dict[str, str | None]) -> dict[str, str]:
        merged = {**self.world.environ, **changes}
        return {name: value for name, value in merged.items() if value is not None}


def command(root: str, event: str, tool_class: str, python: str = sys.executable) -> str:
    """The command string that the installer writes for this event and class of tools."""
    groups = codex.groups(python, root)[event]
    matcher = codex.MATCHERS.get(tool_class)
    return str(next(g for g in groups if g.get("matcher") == matcher)["hooks"][0]["command"])


def program(home: Path) -> Path:
    """A copy of the interpreter under the name of Codex; ``pyvenv.cfg`` tells it where its library is."""
    folder = home / "codex-program"
    path = folder / "codex"
    if not path.exists():
        folder.mkdir()
        base = Path(sys._base_executable)  # type: ignore[attr-defined]
        shutil.copy(base.resolve(), path)
        (folder / "pyvenv.cfg").write_text(f"home = {base.resolve().parent}\n")
    return path


@functools.cache
def sample(event: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((PAYLOADS / "codex" / f"{event}-{SAMPLES[event]}.json").read_text())
    return found


@functools.cache
def schema(event: str) -> Draft7Validator | None:
    """Codex's own schema of a reply; the end of a session has none."""
    kebab = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in event).lstrip("-")
    file = PAYLOADS / "codex_schemas" / f"{kebab}.command.output.schema.json"
    return Draft7Validator(json.loads(file.read_text())) if file.exists() else None
