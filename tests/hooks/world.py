"""The machine that the hooks of a test run on: a home, a repository, the agents, and a look into the store."""

import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness.hooks import program

from coordhooks.store import CoordStore
from hooks.agent import Agent

CHECKOUT = Path(__file__).parents[2]
STATE = Path(".local", "state", "coordhooks")
PATH = "/usr/local/bin:/usr/bin:/bin"

# All columns that hold a moment, to let time pass without waiting.
MOMENTS = {
    "runtimes": ("registered_at", "heartbeat_at", "expires_at", "leaving_at", "turn_at", "attention_at"),
    "leases": ("claimed_at", "touched_at", "expires_at"),
    "calls": ("opened_at",),
    "waits": ("since",),
    "notes": ("at",),
    "writes": ("first_at", "at"),
    "watches": ("at",),
    "messages": ("created_at",),
    "deliveries": ("created_at", "reserved_until"),
}


class World:
    """``repo`` is where agents work, ``state`` where the hooks keep their files."""

    def __init__(self, home: Path, repo: Path) -> None:
        self.home = home
        self.repo = repo
        self.state = home / STATE
        self.program = program(home.parent / "site")
        self.environ = {"PATH": PATH, "HOME": str(home)}
        self.agents: list[Agent] = []
        self._store: CoordStore | None = None

    def agent(
        self,
        session_id: str = "sess-A",
        *,
        cwd: Path | None = None,
        python: str = sys.executable,
        **env: str | None,
    ) -> Agent:
        """A harness process with one conversation."""
        self.agents.append(Agent(self, session_id, cwd or self.repo, env, python))
        return self.agents[-1]

    def pair(self) -> tuple[Agent, Agent]:
        """``sess-A``, and ``sess-B`` which was prompted to do something else; both live."""
        a, b = self.agent("sess-A"), self.agent("sess-B")
        a.prompt("Tidy up the tests")
        b.prompt("Rename the parser")
        return a, b

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
        for agent in self.agents:
            agent.close()

    # -- the program --------------------------------------------------------------------------------------

    def copy_program(self, name: str = "copy") -> Path:
        """A copy of the program to tamper with; agents that start later run it."""
        if self.program.name == "site":
            self.program = self.home / name
            for part in ("coordhooks", "hooks", "schemas"):
                shutil.copytree(CHECKOUT / part, self.program / part)
        return self.program / "coordhooks"

    def tamper(self, module: str, code: str) -> None:
        """Append code to a module of a copy of the program."""
        with open(self.copy_program() / module, "a", encoding="utf-8") as file:
            file.write("\n" + code)

    # -- the store ----------------------------------------------------------------------------------------

    @property
    def database(self) -> Path:
        return self.state / "coord.sqlite3"

    @property
    def store(self) -> CoordStore:
        if self._store is None:
            self._store = CoordStore(self.database)
        return self._store

    def rows(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        """Look into the store, or change it behind everyone's back."""
        connection = sqlite3.connect(self.database, isolation_level=None, timeout=10)
        try:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute(sql, values)]
        finally:
            connection.close()

    def leases(self) -> dict[str, str]:
        """Which name in the repository is held by which conversation (``/`` and a subagent's id)."""
        found = self.rows(
            "SELECT l.path, r.conversation_id, r.agent_id FROM leases l JOIN runtimes r USING (runtime_id)"
        )
        return {
            os.fsdecode(row["path"]).removeprefix(f"{self.repo}/"): "/".join(
                filter(None, (row["conversation_id"], row["agent_id"]))
            )
            for row in found
        }

    def runtime(self, session_id: str, agent_id: str = "") -> dict[str, Any]:
        """The one runtime of a conversation that has not ended."""
        (row,) = self.rows(
            "SELECT * FROM runtimes WHERE conversation_id = ? AND agent_id = ? AND ended_at IS NULL",
            session_id,
            agent_id,
        )
        return row

    def live(self) -> list[str]:
        """The conversations of all runtimes that have not ended, persons left out."""
        rows = self.rows("SELECT * FROM runtimes WHERE ended_at IS NULL AND harness = 'claude-code'")
        return sorted("/".join(filter(None, (row["conversation_id"], row["agent_id"]))) for row in rows)

    def send(self, sender: str, recipient: str, body: str, kind: str = "fyi") -> str:
        return self.store.send_message(
            self.runtime(sender)["runtime_id"], recipient=recipient, body=body, kind=kind
        )

    def states(self, session_id: str) -> list[str]:
        """The states of the deliveries to a conversation's runtimes, oldest message first."""
        return [
            row["state"]
            for row in self.rows(
                "SELECT d.state FROM deliveries d JOIN runtimes r USING (runtime_id)"
                " WHERE r.conversation_id = ? ORDER BY d.created_at, d.delivery_id",
                session_id,
            )
        ]

    def audit(self, event: str) -> list[dict[str, Any]]:
        return [json.loads(row["details"]) for row in self.rows("SELECT * FROM audit WHERE event = ?", event)]

    def pass_time(self, seconds: float, tables: Iterable[str] = tuple(MOMENTS)) -> None:
        """Let everything that the store knows have happened longer ago."""
        for table in tables:
            moves = ", ".join(f"{column} = {column} - {seconds}" for column in MOMENTS[table])
            self.rows(f"UPDATE {table} SET {moves}")

    def problems(self) -> list[dict[str, Any]]:
        """The failures that are recorded and not yet shown."""
        path = self.state / "problems.jsonl"
        return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []

    def configure(self, text: str) -> None:
        """Write the user's settings."""
        path = self.home / ".config" / "coordhooks" / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
