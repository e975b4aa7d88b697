"""The Anthropic Messages API, as far as Claude Code needs it for a few tool calls."""

import json
import uuid

from coordhooks.cli.live.model import Call, Json, event_stream

PATH = "/v1/messages"
USAGE = {
    "input_tokens": 100,
    "output_tokens": 10,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
}


def is_turn(body: Json) -> bool:
    """Only the agent's own requests offer tools."""
    return bool(body.get("tools"))


def results(body: Json) -> list[str]:
    """What the requests' messages say of the tool calls so far, in order."""
    blocks = [
        block
        for message in body.get("messages", [])
        if isinstance(message.get("content"), list)
        for block in message["content"]
    ]
    return [_text(block.get("content")) for block in blocks if block.get("type") == "tool_result"]


def answer(body: Json, call: Call | None) -> tuple[str, bytes]:
    """A message that makes the call, or ends the turn; streamed where that was asked for."""
    block: Json = {"type": "text", "text": "done"}
    if call is not None:
        block = {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex}", "name": call[0], "input": call[1]}
    whole = {
        "id": f"msg_{uuid.uuid4().hex}", "type": "message", "role": "assistant", "content": [block],
        "model": body.get("model", "scripted"), "stop_reason": "end_turn" if call is None else "tool_use",
        "stop_sequence": None, "usage": USAGE,
    }  # fmt: skip
    if body.get("stream"):
        return "text/event-stream", event_stream(_pieces(whole, block))
    return "application/json", json.dumps(whole).encode()


def _pieces(whole: Json, block: Json) -> list[Json]:
    if block["type"] == "text":
        start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    return [
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": USAGE},
        {"type": "message_stop"},
    ]


def _text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")
