"""Starts the real Codex in a clean environment, with a scripted model on the loopback.

result = codex("write a.py", model=model, cwd=repo)          # to the end
run = codex.start("write a.py", model=model, cwd=repo)       # run.pid, run.kill9(), run.wait()
codex.install()                                              # our hooks, trusted
"""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from coordhooks.install import codex as wanted
from coordhooks.install import codex_trust
from coordhooks.install.places import Places
from harness.claude import Result, Run
from harness.codex_server import CodexServer
from harness.gate import SECONDS, until
from harness.hooks import program
from harness.process import clean_environment
from harness.scripted_codex import DIRECT, ScriptedCodex
from harness.turn import Json

# The homes of tests lie in a temporary folder, which an agent may write otherwise.
SANDBOX = ("-s", "workspace-write", "-c", "sandbox_workspace_write.exclude_slash_tmp=true",
           "-c", "sandbox_workspace_write.exclude_tmpdir_env_var=true")  # fmt: skip
BYPASS = ("--dangerously-bypass-approvals-and-sandbox",)


class CodexRun(Run):
    """A ``codex exec`` under way, or at its end."""

    @property
    def session_id(self) -> str:
        """The id of its thread, which it tells when it begins."""
        until(self._started_thread, "the thread of Codex", SECONDS)
        return self._started_thread()

    @session_id.setter
    def session_id(self, _value: str) -> None:
        """Codex chooses it."""

    def _started_thread(self) -> str:
        for line in os.pread(self._out.fileno(), 1 << 20, 0).splitlines():
            if b'"thread.started"' in line:
                return str(json.loads(line)["thread_id"])
        return ""


class Codex:
    """The binary with a default home folder. Everything it starts ends with ``close``."""

    def __init__(self, binary: Path, home: Path) -> None:
        self.binary = binary
        self.home = home
        self._started: list[CodexRun | CodexServer] = []

    @property
    def folder(self) -> Path:
        return self.home / ".codex"

    @property
    def places(self) -> Places:
        return Places.here(clean_environment(self.home), str(self.home))

    def install(
        self, *, trusted: bool = True, python: str = sys.executable, root: Path | None = None
    ) -> None:
        """Put our hooks into ``hooks.json``; unless they are ``trusted`` Codex skips them."""
        self.folder.mkdir(exist_ok=True)
        text = json.dumps({"hooks": wanted.groups(python, str(root or program(self.home.parent / "site")))})
        (self.folder / wanted.HOOKS).write_text(text, encoding="utf-8")
        if trusted:
            codex_trust.trust(codex_trust.config_path(self.places), codex_trust.hooks(self.places))

    def __call__(self, prompt: str, *, model: ScriptedCodex, cwd: Path, **options: object) -> Result:
        """Run one prompt to its end. Options as for ``start``."""
        return self.start(prompt, model=model, cwd=cwd, **options).wait()  # type: ignore[arg-type]

    def start(
        self,
        prompt: str,
        *,
        model: ScriptedCodex,
        cwd: Path,
        args: Sequence[str] = SANDBOX,
        slug: str = DIRECT,
        env: Mapping[str, str] | None = None,
        resume: str = "",
    ) -> CodexRun:
        """Start one prompt; ``resume`` names an earlier thread."""
        self.folder.mkdir(exist_ok=True)
        command = [str(self.binary), "exec", *args, *settings(model, slug), "--json"]
        command += ["resume", resume] if resume else []
        run = CodexRun([*command, prompt], cwd, environment(self.home, model) | dict(env or {}), "")
        self._started.append(run)
        return run

    def server(
        self, *, model: ScriptedCodex, cwd: Path, ask: Callable[[Json], str] | None = None
    ) -> CodexServer:
        """An attended process; ``ask`` answers what it asks its person."""
        command = [str(self.binary), "app-server", *settings(model, DIRECT)]
        server = CodexServer(command, cwd, environment(self.home, model), ask)
        self._started.append(server)
        return server

    def close(self) -> None:
        for started in self._started:
            started.close()


def settings(model: ScriptedCodex, slug: str) -> list[str]:
    """The scripted model as a provider, named on the command line: the user's own files are left alone."""
    provider = {
        "name": "scripted", "base_url": f"{model.url}/v1", "env_key": "SCRIPTED_KEY", "wire_api": "responses",
        "request_max_retries": 0, "stream_max_retries": 0,
    }  # fmt: skip
    values: dict[str, object] = {
        f"model_providers.scripted.{name}": value for name, value in provider.items()
    }
    values |= {"model": slug, "model_provider": "scripted", "check_for_update_on_startup": False}
    values |= {"analytics.enabled": False}
    return [word for name, value in values.items() for word in ("-c", f"{name}={json.dumps(value)}")]


def environment(home: Path, model: ScriptedCodex) -> dict[str, str]:
    """All that a Codex process gets of the environment: nothing is inherited."""
    temporary = home / "tmp"
    temporary.mkdir(exist_ok=True)
    return {
        **clean_environment(home),
        "CODEX_HOME": str(home / ".codex"),
        "SHELL": "/bin/bash",
        "TMPDIR": str(temporary),
        "SCRIPTED_KEY": "a-dummy-key-for-the-loopback",
        "HTTP_PROXY": model.url,
        "HTTPS_PROXY": model.url,
        "NO_PROXY": "127.0.0.1",
    }
