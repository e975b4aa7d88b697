"""A scripted Anthropic Messages API on the loopback: the model that real Claude Code processes talk to.

    with ScriptedModel(write(repo / "src/a.py", "2\\n"), say("done")) as model:
        ...  # run Claude Code with ANTHROPIC_BASE_URL=model.url
    assert not model.tool_results()[0].is_error

Every request is kept in memory. It also plays the HTTP proxy that the process is told to use: what wants to
leave the loopback is recorded and refused, so ``assert_no_stray_traffic`` can tell.
"""

import contextlib
import json
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR, socket
from typing import Any, cast

from harness.gate import GateClosed, wait_for
from harness.turn import Json, Scripted, Turn, event_stream, fail, message, say

MAIN = "main"  # the stream of requests that no regex claims
EXHAUSTED = say("SCRIPT EXHAUSTED")
AUXILIARY = say("<summary>ok</summary>")  # does for a title, and is the form that compaction insists on
COMPACTION = "CRITICAL: Respond with TEXT ONLY."


@dataclass(frozen=True)
class Request:
    """One request as it came. ``stream`` is empty unless a scripted turn answered it."""

    method: str
    path: str
    body: Json = field(default_factory=dict)
    stream: str = ""
    time: float = field(default_factory=time.time)


@dataclass(frozen=True)
class ToolResult:
    """What the model was told about one of its tool calls."""

    text: str
    is_error: bool


class ScriptedModel:
    """Answers the requests of the main agent with ``turns``, in order; more agents by ``stream``."""

    @property
    def handler(self) -> "type[Handler]":
        """Speaks the API of the model."""
        return Handler

    def __init__(self, *turns: Scripted) -> None:
        self.requests: list[Request] = []
        self.problems: list[str] = []  # what went wrong in the script itself
        self._streams = {MAIN: list(turns)}
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._server = Server(self, self.handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def stream(self, regex: str, *turns: Scripted) -> "ScriptedModel":
        """Answer an agent with ``turns`` if ``regex`` is found in what its user said. First match counts.

        A sub-agent's user is the agent that started it. What tools and hooks say does not count.
        """
        self._streams[regex] = list(turns)
        return self

    def start(self) -> "ScriptedModel":
        self._thread.start()
        return self

    def __enter__(self) -> "ScriptedModel":
        return self.start()

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop; turns that still wait are given up, connections that are still open are cut."""
        self._stopped.set()
        self._server.shutdown()
        self._thread.join()
        self._server.cut_connections()
        self._server.server_close()

    # -- what was asked ---------------------------------------------------------------------------------

    def turn_bodies(self, stream: str = "") -> list[Json]:
        """The bodies of the requests that scripted turns answered, of all streams or one, in order."""
        return [r.body for r in self.requests if r.stream and stream in ("", r.stream)]

    def tool_results(self, stream: str = "") -> list[ToolResult]:
        """What the model was told about its tool calls, in order. Each request repeats the earlier ones."""
        found: dict[str, ToolResult] = {}
        for body in self.turn_bodies(stream):
            for block in _blocks(body, "user", "tool_result"):
                result = ToolResult(_text(block.get("content")), bool(block.get("is_error")))
                found.setdefault(block["tool_use_id"], result)
        return list(found.values())

    def assert_no_stray_traffic(self) -> None:
        """Raise AssertionError if a process wanted to talk to anything but this server."""
        stray = [f"{r.method} {r.path}" for r in self.requests if not r.path.startswith("/")]
        assert not stray, stray

    # -- answering, in the server's threads -------------------------------------------------------------

    def answer(self, path: str, body: Json) -> Turn:
        """The turn for a request, when it is time for it."""
        stream, scripted = self._next(path, body)
        try:
            turn = scripted(body) if callable(scripted) else scripted
            if turn.wait_for:
                wait_for(turn.wait_for, self._stopped)
        except GateClosed as error:
            self.problems.append(f"{stream}: {error}")
            return fail(HTTPStatus.FORBIDDEN)
        except Exception as error:  # noqa: BLE001 - a test's own function: say it where the test looks
            self.problems.append(f"{stream}: {error!r}")
            return fail(HTTPStatus.FORBIDDEN)
        self._stopped.wait(turn.sleep)
        return turn

    def record(self, request: Request) -> None:
        with self._lock:
            self.requests.append(request)

    def is_side_call(self, body: Json) -> bool:
        """Is it none of the agent's own requests? A side call takes no turn of the script."""
        texts = self.user_texts(body)
        return not body.get("tools") or bool(texts[-1:] and texts[-1].startswith(COMPACTION))

    def user_texts(self, body: Json) -> list[str]:
        """What the user typed, by which streams are told apart."""
        return user_texts(body)

    def _next(self, path: str, body: Json) -> tuple[str, Scripted]:
        if self.is_side_call(body):
            self.record(Request("POST", path, body))
            return "", AUXILIARY
        said = "\n".join(self.user_texts(body))
        matches = (regex for regex in self._streams if regex != MAIN and re.search(regex, said))
        stream = next(matches, MAIN)
        with self._lock:
            self.requests.append(Request("POST", path, body, stream))
            turns = self._streams[stream]
            return stream, turns.pop(0) if turns else EXHAUSTED


# -- reading a request ------------------------------------------------------------------------------------


def user_texts(body: Json) -> list[str]:
    """What the user typed: no tool results, no reminders of the program."""
    texts = (block["text"] for block in _blocks(body, "user", "text"))
    return [text for text in texts if not text.startswith("<system-reminder>")]


def all_text(body: Json) -> str:
    """Everything the model sees in a request: the system prompt and all messages, hooks' contexts included."""
    parts = [_text(body.get("system"))]
    parts += [_text(message.get("content")) for message in body.get("messages", [])]
    return "\n".join(parts)


def hook_contexts(body: Json) -> list[str]:
    """What hooks told the model: Claude Code sends it as messages of the role ``system``."""
    return [_text(m.get("content")) for m in body.get("messages", []) if m.get("role") == "system"]


def _blocks(body: Json, role: str, kind: str) -> Iterator[Json]:
    for sent in body.get("messages", []):
        if sent.get("role") == role:
            content = sent.get("content")
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
            yield from (block for block in blocks if block.get("type") == kind)


def _text(content: Any) -> str:
    """The text in a message's content, in whatever of its forms."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_text(block) for block in content)
    if not isinstance(content, dict):
        return ""
    if content.get("type") == "tool_use":
        return json.dumps(content.get("input"))
    return _text(content.get("text") or content.get("content"))


# -- the server -------------------------------------------------------------------------------------------


class Server(ThreadingHTTPServer):
    daemon_threads = False  # so that closing waits for them, and nothing is left open

    def __init__(self, model: ScriptedModel, handler: "type[Handler]") -> None:
        self.model = model
        self._connections: set[socket] = set()
        super().__init__(("127.0.0.1", 0), handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def cut_connections(self) -> None:
        for connection in list(self._connections):
            with contextlib.suppress(OSError):  # gone meanwhile
                connection.shutdown(SHUT_RDWR)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def model(self) -> ScriptedModel:
        return cast(Server, self.server).model

    def log_message(self, *_arguments: object) -> None:
        pass

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:  # a killed client
            self.close_connection = True

    def do_CONNECT(self) -> None:
        self.model.record(Request("CONNECT", self.path))
        self.close_connection = True
        self.send(HTTPStatus.FORBIDDEN, b"")

    def do_GET(self) -> None:
        self.model.record(Request(self.command, self.path))
        self.send_json(HTTPStatus.OK, {"data": [], "has_more": False})

    do_HEAD = do_GET

    def do_POST(self) -> None:
        body = self.body()
        path = self.path.partition("?")[0]
        if path == "/v1/messages":
            self._send_turn(self.model.answer(path, body), body)
            return
        self.model.record(Request(self.command, self.path, body))
        self.send_json(HTTPStatus.OK, {"input_tokens": 1000} if path.endswith("/count_tokens") else {})

    def body(self) -> Json:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw)
        except ValueError:
            return {}
        return body if isinstance(body, dict) else {}

    def _send_turn(self, turn: Turn, body: Json) -> None:
        if turn.error:
            error = {"type": "invalid_request_error", "message": turn.text}
            self.send_json(turn.error, {"type": "error", "error": error})
            return
        whole = message(turn, body.get("model", "scripted"))
        if body.get("stream"):
            self.send(HTTPStatus.OK, event_stream(whole), "text/event-stream")
        else:
            self.send_json(HTTPStatus.OK, whole)

    def send_json(self, status: int, value: Json) -> None:
        self.send(status, json.dumps(value).encode())

    def send(self, status: int, data: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
