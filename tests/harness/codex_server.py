"""An attended Codex: its app server, which the terminal and editors drive, with a person who answers its questions.

with CodexServer(command, cwd, env) as server:
    server.prompt("do it")          # one turn, to its end
    server.questions                # what it asked meanwhile
"""

import json
import queue
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.gate import SECONDS
from harness.process import end
from harness.turn import Json

ON_REQUEST = {"approvalPolicy": "on-request", "sandbox": "workspace-write"}


class CodexServer:
    """One process with one thread. ``ask`` gets each question's parameters and decides, by default no."""

    def __init__(
        self,
        command: Sequence[str],
        cwd: Path,
        env: Mapping[str, str],
        ask: Callable[[Json], str] | None = None,
    ) -> None:
        self.ask = ask or (lambda _question: "decline")
        self.questions: list[Json] = []
        self.hooks: list[Json] = []  # the hook runs that it told of
        self._got: queue.Queue[Json] = queue.Queue()
        self._ids = iter(range(1, 1000))
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._reader = threading.Thread(target=self._listen)
        self._reader.start()
        self._call("initialize", clientInfo={"name": "tests", "version": "1"})
        self._send({"method": "initialized"})
        self.session_id = str(self._call("thread/start", cwd=str(cwd), **ON_REQUEST)["thread"]["id"])

    @property
    def pid(self) -> int:
        return self.process.pid

    def prompt(self, text: str) -> None:
        """What a person types, and the turn that follows, to its end."""
        self._call("turn/start", threadId=self.session_id, input=[{"type": "text", "text": text}])
        self._until(lambda said: said.get("method") == "turn/completed")

    def close(self) -> None:
        end(self.process)
        self._reader.join()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()

    def _call(self, method: str, **params: Any) -> Json:
        number = next(self._ids)
        self._send({"id": number, "method": method, "params": params})
        answer = self._until(lambda said: said.get("id") == number and "method" not in said)
        assert "result" in answer, answer
        result: Json = answer["result"]
        return result

    def _until(self, wanted: Callable[[Json], bool]) -> Json:
        while True:
            said = self._got.get(timeout=SECONDS)
            method = str(said.get("method"))
            if method.endswith("/requestApproval"):
                self.questions.append(said["params"])
                self._send({"id": said["id"], "result": {"decision": self.ask(said["params"])}})
            elif method == "hook/completed":
                self.hooks.append(said["params"]["run"])
            if wanted(said):
                return said

    def _send(self, message: Json) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._got.put(json.loads(line))
