"""A scripted model on the loopback, just large enough for one trial: a few tool calls, then the end of the turn.

It keeps no place in a script: the results that a request brings tell which call is next. It also plays the HTTP
proxy that the harness is told to use, and lets nothing through.
"""

import gzip
import json
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Protocol, cast

Json = dict[str, Any]
Call = tuple[str, Json]  # a tool and its input


class Wire(Protocol):
    """One API: which requests it answers, what they tell of the calls made so far, and the next answer."""

    PATH: str

    def is_turn(self, body: Json) -> bool: ...
    def results(self, body: Json) -> list[str]: ...
    def answer(self, body: Json, call: Call | None) -> tuple[str, bytes]: ...


class Model:
    """Asks for each of ``calls`` in turn. ``told`` is what it was told of them, ``asked`` how often it was asked."""

    def __init__(self, wire: Wire, calls: list[Call]) -> None:
        self.wire, self.calls = wire, calls
        self.told: list[str] = []
        self.asked = 0
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "Model":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, body: Json) -> tuple[str, bytes]:
        """Media type and content of the answer to one request."""
        if not self.wire.is_turn(body):  # such as one for the title of the conversation
            return self.wire.answer(body, None)
        self.asked += 1
        self.told = self.wire.results(body)
        done = len(self.told)
        return self.wire.answer(body, self.calls[done] if done < len(self.calls) else None)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: Model) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A harness that was ended hangs up in the middle; what is wrong shows in what it did not do."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the terminal is the doctor's."""

    def do_GET(self) -> None:
        self._send(HTTPStatus.OK, "application/json", b'{"data": []}')

    do_HEAD = do_GET

    def do_CONNECT(self) -> None:
        self.close_connection = True
        self._send(HTTPStatus.FORBIDDEN, "text/plain", b"")

    def do_POST(self) -> None:
        model = cast(_Server, self.server).model
        body = self._body()
        if self.path.partition("?")[0].rstrip("/") == model.wire.PATH:
            self._send(HTTPStatus.OK, *model.answer(body))
        else:
            self._send(HTTPStatus.OK, "application/json", b'{"input_tokens": 1000}')

    def _body(self) -> Json:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Content-Encoding") == "gzip":
            raw = gzip.decompress(raw)
        found = json.loads(raw) if raw else {}
        return found if isinstance(found, dict) else {}

    def _send(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


def event_stream(events: list[Json]) -> bytes:
    """Server-sent events, each named by its ``type``."""
    return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events).encode()
