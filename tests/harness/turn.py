"""What a scripted model answers: one turn, and the wire form of the Anthropic Messages API for it."""

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from harness.gate import Condition

Json = dict[str, Any]
USAGE = {
    "input_tokens": 100,
    "output_tokens": 10,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
}


@dataclass(frozen=True)
class Turn:
    """One answer of the model: text, then tool calls; or an HTTP error. Made by the functions below."""

    text: str = ""
    tools: tuple[tuple[str, Json], ...] = ()
    error: int = 0
    sleep: float = 0.0
    usage: Mapping[str, int] = field(default_factory=dict)
    wait_for: Condition | None = None

    def after(self, condition: Condition) -> "Turn":
        """The same, answered only when the gate or event is open, or the callable returns something true."""
        return replace(self, wait_for=condition)

    def slowly(self, seconds: float) -> "Turn":
        """The same, answered ``seconds`` later."""
        return replace(self, sleep=seconds)

    def using(self, **tokens: int) -> "Turn":
        """The same, with other token counts (a large ``input_tokens`` makes Claude Code compact)."""
        return replace(self, usage=tokens)


Scripted = Turn | Callable[[Json], Turn]  # a callable gets the request's body


def say(text: str) -> Turn:
    """Text and no tool call: the end of the model's turn."""
    return Turn(text=text)


def use(tool: str, **tool_input: Any) -> Turn:
    """One call of a tool."""
    return Turn(tools=((tool, tool_input),))


def together(*turns: Turn) -> Turn:
    """The calls of several turns in one message."""
    return Turn(tools=tuple(tool for turn in turns for tool in turn.tools))


def write(path: object, content: str) -> Turn:
    return use("Write", file_path=str(path), content=content)


def bash(command: str) -> Turn:
    return use("Bash", command=command)


def agent(prompt: str, **more: Any) -> Turn:
    """A sub-agent in the foreground; its own turns are a stream that ``prompt`` matches."""
    rest = {"description": "helper", "subagent_type": "general-purpose", "run_in_background": False}
    return use("Agent", prompt=prompt, **{**rest, **more})


def fail(status: int) -> Turn:
    """An HTTP error. Claude Code gives up at once on 403, at the sixth 400, and not for a long time on 5xx."""
    return Turn(text="scripted error", error=status)


def message(turn: Turn, model: str) -> Json:
    """The API's message object."""
    content: list[Json] = [{"type": "text", "text": turn.text}] if turn.text else []
    for name, tool_input in turn.tools:
        content.append({"type": "tool_use", "id": f"toolu_{_hex()}", "name": name, "input": tool_input})
    return {
        "id": f"msg_{_hex()}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if turn.tools else "end_turn",
        "stop_sequence": None,
        "usage": {**USAGE, **turn.usage},
    }


def _hex() -> str:
    return uuid.uuid4().hex[:24]


def event_stream(whole: Json) -> bytes:
    """The same message as the server-sent events of a streaming answer."""
    events: list[tuple[str, Json]] = [
        ("message_start", {"message": {**whole, "content": [], "stop_reason": None}}),
    ]
    for index, block in enumerate(whole["content"]):
        start, delta = _pieces(block)
        events.append(("content_block_start", {"index": index, "content_block": start}))
        events.append(("content_block_delta", {"index": index, "delta": delta}))
        events.append(("content_block_stop", {"index": index}))
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    events += [("message_delta", {"delta": end, "usage": whole["usage"]}), ("message_stop", {})]
    lines = (f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n" for kind, data in events)
    return "".join(lines).encode()


def _pieces(block: Json) -> tuple[Json, Json]:
    """A content block as its start and its one delta."""
    if block["type"] == "text":
        return {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    partial = json.dumps(block["input"])
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": partial}
