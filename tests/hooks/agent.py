"""A fake harness: a real process, whose children the hooks are, and the conversations that it holds.

``agent.hook("PreToolUse", tool_name="Write", ...)`` starts the hook with the command that the installer
writes, feeds it a payload of the observed shape and checks the reply.
"""

import base64
import contextlib
import functools
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coordhooks.install import claude_code, command
from hooks.reply import Reply

if TYPE_CHECKING:
    from hooks.world import World

CHILD = Path(__file__).with_name("child.py")
PAYLOADS = Path(__file__).parents[1] / "payloads" / "claude_code"
VERSION = "claude-code_2-1-332_harness"

# Who commits.
IDENTITY = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@b",
}

# The observed payload that each event's own starts from.
SAMPLES = {
    "SessionStart": "startup", "SessionEnd": "other", "PreToolUse": "Write", "PostToolUse": "Write",
    "PostToolUseFailure": "Bash", "Stop": "first", "SubagentStart": "general", "SubagentStop": "general",
    "UserPromptSubmit": "print", "PreCompact": "auto", "Notification": "permission_prompt", "PermissionRequest": "Write", "ConfigChange": "project",
}  # fmt: skip


class Agent:
    """One harness process, with the conversation ``session_id`` unless a payload names another."""

    def __init__(
        self, world: "World", session_id: str, cwd: Path, env: dict[str, str | None], python: str
    ) -> None:
        self.world = world
        self.session_id = session_id
        self.cwd = cwd
        self.env = env
        self.program = world.program
        self.prompt_id: str | None = None
        self._ids = itertools.count()
        self._calls = itertools.count()
        self._running: dict[int, Running] = {}
        self.process = subprocess.Popen(
            [python, "-I", "-S", "-B", str(CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=world.environ,
        )
        self._reader = threading.Thread(target=self._listen)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self.process.pid

    # -- what the harness does ----------------------------------------------------------------------------

    def hook(self, event: str, **options: Any) -> Reply:
        """Fire an event and wait for its reply. Options of ``begin`` aside, they are fields of the payload."""
        return self.begin(event, **options).reply()

    def begin(
        self,
        event: str,
        *,
        stdin: bytes | None = None,
        keep_open: bool = False,
        env: dict[str, str | None] | None = None,
        tool_class: str | None = None,
        prefix: tuple[str, ...] = (),
        cwd: str | Path | None = None,
        umask: int = 0o022,
        stdout: str = "",
        rc: int = 0,
        **payload: Any,
    ) -> "Running":
        """Start a hook. ``stdin`` replaces the payload; a field that is ``None`` is left out of it.

        ``prefix`` is a command that starts the hook, ``keep_open`` leaves the payload's pipe open, ``stdout``
        may be ``broken``.
        """
        fields = self.payload(event, cwd=cwd, **payload)
        argv = self.argv(event, classify(fields) if tool_class is None else tool_class)
        order = {
            "id": next(self._ids),
            "argv": [*prefix, *argv],
            "env": self.environ(env or {}),
            "cwd": str(cwd or self.cwd),
            "umask": umask,
            "stdout": stdout,
            "keep_open": keep_open,
            "stdin": base64.b64encode(json.dumps(fields).encode() if stdin is None else stdin).decode(),
        }
        return self._send(event, order, rc)

    def payload(self, event: str, **fields: Any) -> dict[str, Any]:
        """The event's payload in its observed shape; ``None`` leaves a field out."""
        given = {
            "session_id": self.session_id,
            "transcript_path": str(self.transcript(fields.get("session_id") or self.session_id)),
            "prompt_id": self.prompt_id,
            **fields,
        }
        given["cwd"] = "" if given.get("cwd") == "" else str(given.get("cwd") or self.cwd)
        merged = {**sample(event), **given}
        return {name: value for name, value in merged.items() if value is not None}

    def argv(self, event: str, tool_class: str) -> list[str]:
        """The command of the entry that the installer writes for this event."""
        words = ["--harness", "claude-code", "--event", event]
        entry = command.handler(
            sys.executable, str(self.program), *words, *(["--class", tool_class] if tool_class else [])
        )
        return [entry["command"], *entry["args"]]

    def environ(self, changes: dict[str, str | None]) -> dict[str, str]:
        own = {
            "CLAUDE_PID": str(self.pid),
            "CLAUDE_CODE_SESSION_ID": self.session_id,
            "CLAUDE_CODE_SESSION_ATTENDED": "0",
            "CLAUDE_PROJECT_DIR": str(self.cwd),
            "CLAUDECODE": "1",
            "AI_AGENT": VERSION,
        }
        merged = {**self.world.environ, **own, **self.env, **changes}
        return {name: value for name, value in merged.items() if value is not None}

    def transcript(self, session_id: str) -> Path:
        """Where this conversation's transcript would be; the harness writes it only after the first prompt."""
        return self.world.home / ".claude" / "projects" / f"{session_id}.jsonl"

    # -- moments of a session, for short ------------------------------------------------------------------

    def start(self, source: str = "startup", **options: Any) -> Reply:
        return self.hook("SessionStart", source=source, **options)

    def prompt(self, text: str = "Fix it", **options: Any) -> Reply:
        self.prompt_id = f"prompt-{next(self._calls)}"
        return self.hook("UserPromptSubmit", prompt=text, **options)

    def write(self, path: str | Path, **options: Any) -> Reply:
        """PreToolUse of a Write. Each call has an id of its own, unless one is given."""
        return self.begin_write(path, **options).reply()

    def begin_write(self, path: str | Path, **options: Any) -> "Running":
        options.setdefault("tool_use_id", f"call-{self.session_id}-{next(self._calls)}")
        return self.begin("PreToolUse", tool_input={"file_path": str(path), "content": "x"}, **options)

    def wrote(self, path: str | Path, call_id: str, **options: Any) -> Reply:
        """PostToolUse of the Write with that id."""
        return self.hook(
            "PostToolUse", tool_input={"file_path": str(path), "content": "x"}, tool_use_id=call_id, **options
        )

    def edit_whole(self, path: str | Path, text: str) -> Reply:
        """A permitted Write, carried out, with the reply of its PreToolUse."""
        call_id = f"call-{self.session_id}-{next(self._calls)}"
        reply = self.write(path, tool_use_id=call_id)
        assert not reply.denied, reply
        Path(path).write_text(text)
        self.wrote(path, call_id)
        return reply

    def bash(self, command_line: str, **options: Any) -> Reply:
        options.setdefault("tool_use_id", f"call-{self.session_id}-{next(self._calls)}")
        return self.hook("PreToolUse", tool_name="Bash", tool_input={"command": command_line}, **options)

    def in_background(self, command_line: str) -> Reply:
        """A Bash call that goes on after it has returned, if it is let through; the reply to its start."""
        fields = {
            "tool_name": "Bash",
            "tool_input": {"command": command_line, "run_in_background": True},
            "tool_use_id": "bg",
        }
        reply = self.hook("PreToolUse", **fields)
        self.hook("PostToolUse", **fields)
        return reply

    def run(self, command_line: str, **options: Any) -> tuple[Reply, Reply | None]:
        """A Bash call: asked for, carried out if it is let through, and reported. Both replies."""
        call_id = f"call-{self.session_id}-{next(self._calls)}"
        before = self.bash(command_line, tool_use_id=call_id, **options)
        if before.denied:
            return before, None
        done = self.carry_out(command_line, **options)
        event = "PostToolUse" if done.returncode == 0 else "PostToolUseFailure"
        fields = {
            "tool_name": "Bash",
            "tool_input": {"command": command_line},
            "tool_use_id": call_id,
            **options,
        }
        return before, self.hook(event, **fields)

    def carry_out(self, command_line: str, **options: Any) -> "subprocess.CompletedProcess[bytes]":
        """Run a command as the harness does, where its shell stands."""
        environ = {**self.world.environ, **IDENTITY}
        return subprocess.run(
            ["bash", "-c", command_line],
            cwd=options.get("cwd", self.cwd),
            env=environ,
            capture_output=True,
            check=False,
        )

    def stop(self, **options: Any) -> Reply:
        return self.hook("Stop", **{"background_tasks": [], **options})

    def kill9(self) -> None:
        """SIGKILL: no hook hears of it."""
        self.process.kill()
        self.process.wait()

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def wear(self, title: str) -> None:
        """Disguise the process under another title."""
        self._send("title", {"id": next(self._ids), "title": title}, 0).wait()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()

    # -- talking to the process ---------------------------------------------------------------------------

    def _send(self, event: str, order: dict[str, Any], rc: int) -> "Running":
        running = self._running[order["id"]] = Running(event, rc)
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(order).encode() + b"\n")
        self.process.stdin.flush()
        return running

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            answer = json.loads(line)
            running = self._running[answer["id"]]
            if "pid" in answer:
                running.started.set_result(answer["pid"])
            else:
                running.ended.set_result(answer)
        for running in self._running.values():
            for future in (running.started, running.ended):
                if not future.done():
                    future.set_exception(AssertionError("the harness is gone"))


class Running:
    """A hook that was started."""

    def __init__(self, event: str, rc: int) -> None:
        self.event = event
        self.rc = rc
        self.started: Future[int] = Future()
        self.ended: Future[dict[str, Any]] = Future()

    def wait(self) -> dict[str, Any]:
        return self.ended.result(timeout=30)

    def reply(self) -> Reply:
        said = self.wait()
        out, err = (base64.b64decode(said[name]) for name in ("stdout", "stderr"))
        return Reply(self.event, said["rc"], out, err, said["seconds"]).check(self.rc)

    def terminate(self) -> None:
        os.kill(self.started.result(timeout=30), signal.SIGTERM)

    def kill9(self) -> None:
        """SIGKILL, unless it has ended by now."""
        if not self.ended.done():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.started.result(timeout=30), signal.SIGKILL)


def classify(payload: dict[str, Any]) -> str:
    """The class of tools whose installed matcher picks this tool; empty for an event without tools."""
    tool = payload.get("tool_name", "")
    return next((name for name, matcher in claude_code.MATCHERS.items() if re.fullmatch(matcher, tool)), "")


@functools.cache
def sample(event: str) -> dict[str, Any]:
    """The observed payload of an event, without what differs in each session."""
    if event == "PermissionDenied":  # its payload was never observed: that of the call
        return {**sample("PreToolUse"), "hook_event_name": event}
    fields: dict[str, Any] = json.loads(
        (PAYLOADS / f"{event}-{SAMPLES[event]}.json").read_text(encoding="utf-8")
    )
    return fields
