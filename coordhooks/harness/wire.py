"""What the payloads and replies of all harnesses have in common, at both ends of the line."""

from coordhooks.errors import BadPayload
from coordhooks.fastjson import dumps
from coordhooks.model import Decision, Event, Json

# Facts of single events that handlers read, under the harness's own names.
FACTS = (
    "source", "reason", "trigger", "stop_hook_active", "notification_type", "is_interrupt", "last_assistant_message",
    "file_path", "tool_response", "agent_transcript_path",
)  # fmt: skip


def read(payload: Json, kind: str, harness: str, name: str, tool_class: str) -> Event:
    """The event in a payload. Raises ``BadPayload`` if it does not say whose it is, or for what tool."""
    event = Event(kind, harness, text(payload, "session_id"))
    if not event.session_id:
        raise BadPayload("the payload names no session")
    event.agent_id = text(payload, "agent_id")
    event.agent_type = text(payload, "agent_type")
    event.cwd = text(payload, "cwd")
    event.transcript = text(payload, "transcript_path")
    event.prompt = text(payload, "prompt")
    event.tool = text(payload, "tool_name")
    event.tool_class = tool_class
    event.call_id = text(payload, "tool_use_id")
    tool_input = payload.get("tool_input")
    if isinstance(tool_input, dict):
        event.tool_input = tool_input
    elif name == "PreToolUse":
        raise BadPayload("the tool's input is not an object")
    event.facts = {fact: payload[fact] for fact in FACTS if fact in payload}
    return event


def text(payload: Json, field: str) -> str:
    """A field that holds text; anything else, and an absent one, counts as empty.

    JSON can hold half of a surrogate pair, which nothing can store: it becomes a question mark.
    """
    value = payload.get(field)
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def reply(decision: Decision, name: str, allowed: "Allowed") -> str:
    """The one JSON document that carries a decision, or an empty string for silence."""
    out: Json = {}
    specific: Json = {}
    if decision.deny:
        specific["permissionDecision"] = "deny"
        specific["permissionDecisionReason"] = decision.deny
    elif decision.rewrite and name in allowed.rewrite:
        specific["permissionDecision"] = "allow"
        specific["updatedInput"] = {"command": decision.rewrite}
    if decision.context and name in allowed.context:
        specific["additionalContext"] = decision.context
    if specific:
        out["hookSpecificOutput"] = {"hookEventName": name, **specific}
    if decision.hold and name in allowed.hold:
        out["decision"] = "block"
        out["reason"] = decision.hold
    if decision.notice and name not in allowed.silent:
        out["systemMessage"] = decision.notice
    return dumps(out) if out else ""


class Allowed:
    """Which events' replies may carry text for the model, hold the turn, rewrite the call, or must say nothing."""

    __slots__ = ("context", "hold", "rewrite", "silent")

    def __init__(
        self,
        context: tuple[str, ...],
        hold: tuple[str, ...],
        silent: tuple[str, ...] = (),
        rewrite: tuple[str, ...] = (),
    ) -> None:
        self.context = context
        self.hold = hold
        self.silent = silent
        self.rewrite = rewrite
