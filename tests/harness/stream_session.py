"""Many prompts in one Claude Code process, over its stream-json input and output."""

import contextlib
import json
import queue
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.gate import SECONDS
from harness.process import end, scratch

Json = dict[str, Any]


class StreamSession:
    """``prompt``, ``wait_result``, and so on; ``close`` or leaving the ``with`` ends the process.

    ``/clear`` is a prompt like any other; it changes ``session_id``.
    """

    def __init__(self, command: Sequence[str], cwd: Path, env: Mapping[str, str], session_id: str) -> None:
        self.session_id = session_id
        self.messages: list[Json] = []  # all that came so far
        self._results: queue.Queue[Json] = queue.Queue()
        self._err = scratch()
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=self._err, text=True
        )
        self.pid = self.process.pid
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> "StreamSession":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def prompt(self, text: str) -> None:
        """Say something. While a turn is open it waits in line."""
        self._send({"type": "user", "message": {"role": "user", "content": text}})

    def interrupt(self) -> None:
        """What Esc does: the open turn ends."""
        self._send({"type": "control_request", "request_id": "1", "request": {"subtype": "interrupt"}})

    def wait_result(self, timeout: float = SECONDS) -> Json:
        """The next ``result`` message: a turn has ended. Raises queue.Empty after ``timeout`` seconds."""
        return self._results.get(timeout=timeout)

    def ask(self, text: str) -> Json:
        """``prompt`` and ``wait_result``."""
        self.prompt(text)
        return self.wait_result()

    def kill9(self) -> None:
        """Kill it as a power failure would."""
        self.process.kill()
        self.process.wait(SECONDS)

    def leave(self) -> int:
        """End the session as its user would; the exit code."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(SECONDS)

    def close(self) -> None:
        """End it with everything that it started."""
        assert self.process.stdin
        assert self.process.stdout
        end(self.process)
        self._reader.join()
        with contextlib.suppress(BrokenPipeError):  # a prompt that was never read
            self.process.stdin.close()
        self.process.stdout.close()
        self._err.close()

    def _send(self, message: Json) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            message = json.loads(line)
            self.messages.append(message)
            self.session_id = message.get("session_id", self.session_id)
            if message["type"] == "result":
                self._results.put(message)
