"""The OpenAI Responses API, as far as Codex needs it for a few patches."""

import uuid

from coordhooks.cli.live.model import Call, Json, event_stream

PATH = "/v1/responses"
USAGE = {
    "input_tokens": 100, "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 10, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 110,
}  # fmt: skip


def is_turn(body: Json) -> bool:
    """There are no other requests on this path."""
    return isinstance(body.get("input"), list)


def results(body: Json) -> list[str]:
    """What the input says of the tool calls so far, in order."""
    kinds = ("function_call_output", "custom_tool_call_output")
    return [_text(item.get("output")) for item in body["input"] if item.get("type") in kinds]


def answer(_body: Json, call: Call | None) -> tuple[str, bytes]:
    """A response that makes the call, or ends the turn."""
    done = {"status": "completed"}
    if call is None:
        said = {"type": "output_text", "text": "done", "annotations": []}
        item: Json = {"type": "message", "id": _id("msg"), "role": "assistant", "content": [said], **done}
    else:
        item = {
            "type": "custom_tool_call", "id": _id("ctc"), "call_id": _id("call"), "name": call[0],
            "input": call[1]["input"], **done,
        }  # fmt: skip
    response: Json = {"id": _id("resp"), "object": "response"}
    return "text/event-stream", event_stream(
        [
            {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {
                "type": "response.completed",
                "response": {**response, **done, "output": [item], "usage": USAGE},
            },
        ]
    )


def _id(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex}"


def _text(output: object) -> str:
    if isinstance(output, dict):
        output = output.get("content", "")
    if isinstance(output, list):
        return "\n".join(str(part.get("text", "")) for part in output if isinstance(part, dict))
    return str(output or "")
