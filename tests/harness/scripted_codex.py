"""A scripted OpenAI Responses API on the loopback: the model that real Codex processes talk to.

    with ScriptedCodex(patch(add("a.py", "1")), say("done")) as model:
        ...  # run Codex with a provider whose base_url is model.url + "/v1"

Turns, streams and gates are those of ``scripted_model``; only the wire differs. Tools are used as the model would:
``apply_patch`` and ``exec`` (code mode) take text, all others JSON.
"""

import gzip
import json
import re
import uuid
from http import HTTPStatus
from typing import Any

from harness.scripted_model import Handler, ScriptedModel, ToolResult
from harness.turn import Json, Turn, use

FREEFORM = ("apply_patch", "exec")
USAGE = {"input_tokens": 100, "cached_tokens": 0, "output_tokens": 10}
CODE_MODE = "gpt-5.6-sol"  # a model that may only write scripts, which call the tools
DIRECT = "gpt-5.5"  # one that calls them itself


class ScriptedCodex(ScriptedModel):
    @property
    def handler(self) -> type[Handler]:
        return _Responses

    def is_side_call(self, _body: Json) -> bool:
        """There are none; the tools of a model in code mode are part of the input."""
        return False

    def user_texts(self, body: Json) -> list[str]:
        return [_text(item) for item in _items(body, "message") if item.get("role") == "user"]

    def tool_results(self, stream: str = "") -> list[ToolResult]:
        """What the model was told about its tool calls, in order. Codex marks none as an error."""
        found: dict[str, ToolResult] = {}
        for body in self.turn_bodies(stream):
            for kind in ("function_call_output", "custom_tool_call_output"):
                for item in _items(body, kind):
                    found.setdefault(item["call_id"], ToolResult(_text(item), False))
        return list(found.values())

    def hook_contexts(self, stream: str = "") -> str:
        """What developer messages said, those of hooks among them."""
        bodies = self.turn_bodies(stream)
        messages = [item for body in bodies[-1:] for item in _items(body, "message")]
        return "\n".join(_text(item) for item in messages if item.get("role") == "developer")


# -- turns ------------------------------------------------------------------------------------------------


def patch(*hunks: str) -> Turn:
    """A patch of these files."""
    return use("apply_patch", input=patch_text(*hunks))


def patch_text(*hunks: str) -> str:
    return "\n".join(["*** Begin Patch", *hunks, "*** End Patch"])


def add(path: object, line: str) -> str:
    return f"*** Add File: {path}\n+{line}"


def update(path: object, old: str, new: str, *, to: object = "") -> str:
    move = f"\n*** Move to: {to}" if to else ""
    return f"*** Update File: {path}{move}\n@@\n-{old}\n+{new}"


def delete(path: object) -> str:
    return f"*** Delete File: {path}"


def shell(command: str, **more: Any) -> Turn:
    return use("exec_command", cmd=command, **more)


def script(code: str) -> Turn:
    """A script of code mode."""
    return use("exec", input=code)


def agent(prompt: str) -> Turn:
    """A sub-agent beside; its own turns are a stream that ``prompt`` matches."""
    return use("multi_agent_v1.spawn_agent", message=prompt)


# -- the wire ---------------------------------------------------------------------------------------------


def _items(body: Json, kind: str) -> list[Json]:
    found = body.get("input")
    return [i for i in found if i.get("type") == kind] if isinstance(found, list) else []


def _text(item: Json) -> str:
    said = item.get("content", item.get("output"))
    if isinstance(said, dict):
        said = said.get("content", "")
    if isinstance(said, list):
        return "\n".join(str(part.get("text", "")) for part in said)
    return str(said or "")


class _Responses(Handler):
    def do_POST(self) -> None:
        body = self.body()
        if re.fullmatch(r"/v1/responses/?", self.path.partition("?")[0]):
            self.send_turn(self.model.answer(self.path, body))
            return
        self.send_json(HTTPStatus.NOT_FOUND, {"error": {"message": "not here"}})

    def body(self) -> Json:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Content-Encoding") == "gzip":
            raw = gzip.decompress(raw)
        found = json.loads(raw)
        assert isinstance(found, dict)
        return found

    def send_turn(self, turn: Turn) -> None:
        if turn.error:
            self.send_json(turn.error, {"error": {"message": turn.text, "type": "invalid_request_error"}})
        else:
            self.send(HTTPStatus.OK, events(turn), "text/event-stream")


def events(turn: Turn) -> bytes:
    """A turn as the server-sent events of a streaming answer."""
    output = ([_message(turn.text)] if turn.text else []) + [_call(*tool) for tool in turn.tools]
    response = {"id": f"resp_{_hex()}", "object": "response", "status": "in_progress", "output": []}
    sent: list[Json] = [{"type": "response.created", "response": response}]
    for index, item in enumerate(output):
        sent.append({"type": "response.output_item.added", "output_index": index, "item": item})
        sent.append({"type": "response.output_item.done", "output_index": index, "item": item})
    done = {**response, "status": "completed", "output": output, "usage": _usage(turn)}
    sent.append({"type": "response.completed", "response": done})
    return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in sent).encode()


def _message(text: str) -> Json:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {
        "type": "message",
        "id": f"msg_{_hex()}",
        "role": "assistant",
        "status": "completed",
        "content": content,
    }


def _call(name: str, arguments: Json) -> Json:
    common = {"status": "completed", "call_id": f"call_{_hex()}", "name": name}
    if name in FREEFORM:
        return {"type": "custom_tool_call", "id": f"ctc_{_hex()}", **common, "input": arguments["input"]}
    namespace, _, common["name"] = name.rpartition(".")
    if namespace:
        common["namespace"] = namespace
    return {"type": "function_call", "id": f"fc_{_hex()}", **common, "arguments": json.dumps(arguments)}


def _usage(turn: Turn) -> Json:
    used = {**USAGE, **turn.usage}
    return {
        "input_tokens": used["input_tokens"],
        "input_tokens_details": {"cached_tokens": used["cached_tokens"]},
        "output_tokens": used["output_tokens"],
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": used["input_tokens"] + used["output_tokens"],
    }


def _hex() -> str:
    return uuid.uuid4().hex[:24]
