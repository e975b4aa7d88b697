"""Agents: who is here, what each is doing, and where."""

import os

from coordhooks.cli import show
from coordhooks.cli.session import Session
from coordhooks.handlers.texts import HARNESSES
from coordhooks.store import messages, runtimes
from coordhooks.store.db import Transaction
from coordhooks.store.engine import Row

HEADERS = ("AGENT", "HARNESS", "STATE", "WHERE", "UNREAD", "TASK")
Facts = dict[str, object]

# Each state as it goes on after "is": with the column that says since when.
STATES = {
    "person": ("a person", None),
    "gone": ("gone until its conversation is resumed", None),
    "leaving": ("leaving", None),
    "attention": ("waits for its human", "attention_at"),
    "working": ("working", "turn_at"),
    "unprompted": ("never prompted", None),
    "idle": ("idle", "heartbeat_at"),
}


def listing(tx: Transaction, session: Session, everything: bool) -> list[Facts]:
    """Live agents with what can be told of each; ``called`` is what it answers to."""
    return [facts(tx, row) for row in runtimes.live_rows(tx, None if everything else session.project)]


def facts(tx: Transaction, row: Row) -> Facts:
    return {
        **runtimes.public(row),
        "called": called(row),
        "state": state(tx, row),
        "branch": branch(row["tree"]),
        "unread": messages.counts(tx, row["runtime_id"])["queued"],
    }


def cells(tx: Transaction, found: list[Facts]) -> list[list[object]]:
    return [
        [
            named(agent),
            HARNESSES.get(str(agent["harness"]), agent["harness"]),
            since(agent, str(agent["state"]), tx.now),
            where(agent),
            agent["unread"] or "",
            agent["task"],
        ]
        for agent in found
    ]


def called(row: Row) -> str:
    """What an agent is called: its chosen name, else its conversation's handle."""
    return str(row["name"] or row["conversation_handle"])


def named(agent: Facts) -> str:
    return f"{agent['called']} ({agent['label']})" if agent["label"] else str(agent["called"])


def state(tx: Transaction, row: Row) -> str:
    """One word of ``STATES``."""
    if row["runtime_id"] in runtimes.PERSONS:
        return "person"
    if runtimes.condition(tx, row) == runtimes.DEAD:
        return "gone"
    if row["leaving_at"] is not None:
        return "leaving"
    if row["attention_at"] is not None:
        return "attention"
    if row["turn_at"] is not None:
        return "working"
    return "idle" if row["prompted"] or row["agent_id"] else "unprompted"


def since(agent: "Facts | Row", word: str, now: float) -> str:
    """A state in words, with the time since when where that is known."""
    text, column = STATES[word]
    at = agent[column] if column else None
    return f"{text} since {show.clock(at, now)}" if isinstance(at, (int, float)) else text


def where(agent: Facts) -> str:
    """The working tree's own name, its branch, and the terminal or tmux pane."""
    place = os.path.basename(str(agent["tree"] or agent["cwd"]))
    if agent["branch"]:
        place += f" on {agent['branch']}"
    return f"{place} {agent['terminal']}".strip()


def branch(tree: str) -> str:
    """The branch that is checked out, read without starting git; empty if there is none."""
    from coordhooks.paths import metadata_folder

    try:
        with open(os.path.join(metadata_folder(tree), "HEAD"), encoding="utf-8", errors="replace") as file:
            head = file.read(512).strip()
    except OSError:
        return ""
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else ""
