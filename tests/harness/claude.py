"""Starts the real Claude Code in a clean environment, with a scripted model on the loopback.

result = claude("write a.py", model=model, cwd=repo)          # to the end
run = claude.start("write a.py", model=model, cwd=repo)       # run.pid, run.kill9(), run.wait()
with claude.session(model=model, cwd=repo) as session: ...    # many prompts in one process, `/clear`
with claude.terminal(model=model, cwd=repo) as terminal: ...  # keys and a screen
"""

import json
import os
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

from harness.gate import SECONDS, until
from harness.process import clean_environment, end, scratch
from harness.scripted_model import ScriptedModel
from harness.stream_session import StreamSession
from harness.terminal import Terminal

KEY = "sk-ant-a-dummy-key-for-the-loopback"
ACCEPT_EDITS = ("--permission-mode", "acceptEdits")
BYPASS = ("--dangerously-skip-permissions",)
ASK = ("--permission-mode", "default")
STREAM = ("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose")


class Closing(Protocol):
    def close(self) -> object: ...


@dataclass(frozen=True)
class Result:
    """How a run ended. ``json`` is its result object, empty if it was killed."""

    rc: int
    stdout: str
    stderr: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.stdout) if self.stdout.strip() else {}

    @property
    def text(self) -> str:
        """The model's last words."""
        return str(self.json.get("result", ""))


class Run:
    """A ``claude -p`` under way. ``session_id`` is known from the start."""

    def __init__(self, command: Sequence[str], cwd: Path, env: Mapping[str, str], session_id: str) -> None:
        self.session_id = session_id
        self._out, self._err = scratch(), scratch()
        self.process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=self._out, stderr=self._err
        )
        self.pid = self.process.pid

    def wait(self, timeout: float = SECONDS) -> Result:
        """The result, once the process has ended. Raises TimeoutExpired after ``timeout`` seconds."""
        rc = self.process.wait(timeout)
        return Result(rc, _whole(self._out), _whole(self._err))

    def kill9(self) -> Result:
        """Kill it as a power failure would."""
        self.process.kill()
        return self.wait()

    def close(self) -> None:
        """End it with everything that it started."""
        end(self.process)
        self._out.close()
        self._err.close()


class Claude:
    """The binary with a default home folder. Everything it starts ends with ``close``."""

    def __init__(self, binary: Path, home: Path) -> None:
        self.binary = binary
        self.home = home
        self._started: list[Closing] = []

    def __call__(self, prompt: str, *, model: ScriptedModel, cwd: Path, **options: Any) -> Result:
        """Run one prompt to its end. Options as for ``start``."""
        return self.start(prompt, model=model, cwd=cwd, **options).wait()

    def start(
        self,
        prompt: str,
        *,
        model: ScriptedModel,
        cwd: Path,
        args: Sequence[str] = ACCEPT_EDITS,
        env: Mapping[str, str] | None = None,
        home: Path | None = None,
        resume: str = "",
        fork: bool = False,
    ) -> Run:
        """Start one prompt. ``resume`` names an earlier session; with ``fork`` it goes on under a new id."""
        session_id = resume if resume and not fork else str(uuid.uuid4())
        command = [str(self.binary), "-p", "--output-format", "json", *args]
        command += _identity(session_id, resume, fork=fork)
        clean = environment(home or self.home, model) | dict(env or {})
        run = Run([*command, "--", prompt], cwd, clean, session_id)
        self._started.append(run)
        return run

    def session(
        self,
        *,
        model: ScriptedModel,
        cwd: Path,
        args: Sequence[str] = ACCEPT_EDITS,
        env: Mapping[str, str] | None = None,
        home: Path | None = None,
        resume: str = "",
    ) -> StreamSession:
        """A process that takes prompt after prompt."""
        session_id = resume or str(uuid.uuid4())
        command = [str(self.binary), *STREAM, *args, *_identity(session_id, resume)]
        clean = environment(home or self.home, model) | dict(env or {})
        session = StreamSession(command, cwd, clean, session_id)
        self._started.append(session)
        return session

    def terminal(
        self,
        *,
        model: ScriptedModel,
        cwd: Path,
        args: Sequence[str] = ASK,
        env: Mapping[str, str] | None = None,
        home: Path | None = None,
        trusted: bool = True,
    ) -> Terminal:
        """An interactive process. Unless ``trusted``, its first screen is the trust dialog."""
        session_id = str(uuid.uuid4())
        folder = home or self.home
        _skip_first_run(folder, cwd, trusted=trusted)
        command = [str(self.binary), *args, *_identity(session_id)]
        clean = environment(folder, model) | {"TERM": "xterm-256color"} | dict(env or {})
        terminal = Terminal(command, cwd, clean, session_id)
        self._started.append(terminal)
        return terminal

    def wait_saved(self, session_id: str, home: Path | None = None) -> None:
        """Return when the session is on disk: killed before, some moments after its start, it can't be resumed."""
        folder = (home or self.home) / ".claude" / "projects"
        until(
            lambda: any('"type":"user"' in file.read_text() for file in folder.glob(f"*/{session_id}.jsonl")),
            f"the transcript of {session_id}",
        )

    def close(self) -> None:
        for started in self._started:
            started.close()


def environment(home: Path, model: ScriptedModel) -> dict[str, str]:
    """All that a Claude Code process gets of the environment: nothing is inherited."""
    return {
        **clean_environment(home),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": model.url,
        "HTTP_PROXY": model.url,
        "HTTPS_PROXY": model.url,
        "NO_PROXY": "127.0.0.1",
        "IS_SANDBOX": "1",  # else root may not skip permissions
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
    }


def _identity(session_id: str, resume: str = "", *, fork: bool = False) -> list[str]:
    if fork:
        return ["--resume", resume, "--fork-session", "--session-id", session_id]
    return ["--resume", resume] if resume else ["--session-id", session_id]


def _skip_first_run(home: Path, cwd: Path, *, trusted: bool) -> None:
    """Answer beforehand what Claude Code asks on a new machine: theme, API key and trust."""
    path = home / ".claude" / ".claude.json"
    path.parent.mkdir(exist_ok=True)
    state = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    state |= {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
    }
    project = state.setdefault("projects", {}).setdefault(os.path.realpath(cwd), {})
    project["hasTrustDialogAccepted"] = trusted
    path.write_text(json.dumps(state), encoding="utf-8")


def _whole(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()
