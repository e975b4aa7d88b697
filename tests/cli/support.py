"""A machine with a home, a repository and agents, on which ``coord`` is called in this very process."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from coordhooks.cli import session
from coordhooks.cli.group import coord
from coordhooks.fastjson import loads
from coordhooks.model import Identity
from coordhooks.paths import locate, repository_of
from coordhooks.process import Here, identity
from coordhooks.store import CoordStore, calls, runtimes, turns, writes

STATE = Path(".local", "state", "coordhooks")


class Said:
    """What one command said: ``out`` and ``err`` as text, its exit ``code``."""

    def __init__(self, result: Result) -> None:
        self.bytes = result.stdout_bytes
        self.out = result.stdout_bytes.decode("utf-8", "surrogateescape")
        self.err = result.stderr
        self.code = result.exit_code

    @property
    def json(self) -> Any:
        return loads(self.out)

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    def __repr__(self) -> str:
        return f"<{self.code}: {self.out!r} / {self.err!r}>"


class Agent:
    """A runtime whose harness is a process that does nothing."""

    def __init__(self, machine: "Machine", conversation: str, **facts: Any) -> None:
        self.machine = machine
        self.process = subprocess.Popen(["sleep", "1000"])
        self.conversation = conversation
        self.id = self.attach(conversation, **facts)

    def attach(
        self, conversation: str, *, agent_id: str = "", parent: str | None = None, **facts: Any
    ) -> str:
        """Register a runtime of this process, prompted; returns its id."""
        cwd = str(facts.pop("cwd", self.machine.repo))
        tree, project = repository_of(cwd, is_folder=True)
        made = self.machine.store.register_instance(
            conversation, harness=facts.pop("harness", "claude-code"), cwd=cwd, tree=tree, project=project,
            process=self.identity, agent_id=agent_id, parent=parent, **facts,
        )  # fmt: skip
        with self.machine.store.transaction() as tx:
            turns.begin(tx, made, "turn-1", "")
        return made

    @property
    def identity(self) -> Identity:
        return identity(self.process.pid, Here())

    @property
    def row(self) -> dict[str, Any]:
        return self.machine.row(self.id)

    @property
    def handle(self) -> str:
        return str(self.row["conversation_handle"])

    def subagent(self, agent_id: str, label: str = "Explore") -> str:
        return self.attach(self.conversation, agent_id=agent_id, parent=self.id, label=label)

    def calls_coord(self, runtime_id: str = "") -> None:
        """The hook of a shell call of our command has run for this runtime."""
        with self.machine.store.transaction() as tx:
            calls.open_(tx, runtime_id or self.id, "call-coord", "Bash", coord=True)

    def wrote(self, name: str | bytes, text: str = "2\n", task: str = "") -> None:
        """Write a file in the repository, on record as this agent's."""
        path = os.path.join(self.machine.repo, os.fsdecode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        Path(path).write_text(text)
        with self.machine.store.transaction() as tx:
            tx.run("UPDATE runtimes SET task = ? WHERE runtime_id = ?", task, self.id)
            writes.record(tx, runtimes.require_live(tx, self.id), locate(path, "/"))

    def die(self) -> None:
        self.process.kill()
        self.process.wait()

    def __call__(self, *arguments: str, **options: Any) -> Said:
        """Call the command from this agent's shell."""
        return self.machine.coord(*arguments, above=[self.process.pid], **options)


class Machine:
    """``coord`` called on it directly is a person's call: there is no harness above."""

    def __init__(self, home: Path, repo: Path, patch: pytest.MonkeyPatch) -> None:
        self.home, self.repo, self.patch = home, repo, patch
        self.store = CoordStore(home / STATE / "coord.sqlite3")
        self.agents: list[Agent] = []

    def agent(self, conversation: str = "sess-A", **facts: Any) -> Agent:
        self.agents.append(Agent(self, conversation, **facts))
        return self.agents[-1]

    def coord(
        self, *arguments: str, above: "list[int] | tuple[int, ...]" = (), stdin: bytes = b"", cwd: Path | None = None,
        env: dict[str, str] | None = None,
    ) -> Said:  # fmt: skip
        with self.patch.context() as patch:
            patch.chdir(cwd or self.repo)
            patch.setattr(session, "ancestors", lambda pid: list(above))
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            return Said(CliRunner().invoke(coord, list(arguments), input=stdin))

    def row(self, runtime_id: str) -> dict[str, Any]:
        with self.store.transaction() as tx:
            row = runtimes.get(tx, runtime_id)
            assert row is not None
            return dict(row)

    def held(self) -> dict[str, str]:
        """Who holds what, by the path in the repository."""
        return {
            str(lease["path"]).removeprefix(f"{self.repo}/"): str(lease["runtime_id"])
            for lease in self.store.active_leases()
        }

    def audit(self, event: str) -> list[Any]:
        return [e["details"] for e in self.store.audit_events() if e["event"] == event]

    def inbox(self, runtime_id: str) -> list[Any]:
        return self.store.inbox(runtime_id, mark_delivered=False)

    def close(self) -> None:
        self.store.close()
        for agent in self.agents:
            agent.die()
