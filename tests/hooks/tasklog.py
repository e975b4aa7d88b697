"""The task ledger of a world, as tests look at it."""

import json
from typing import Any

from coordhooks.ledger import Ledger
from hooks.agent import Agent
from hooks.world import World

Event = dict[str, Any]


def ledger(world: World) -> Ledger:
    return Ledger(world.state / "ledger")


def events(world: World, *types: str) -> list[Event]:
    """All events, or those of these types, in order."""
    with ledger(world) as opened:
        return [event for event in opened.events() if not types or event["type"] in types]


def types(world: World, task_id: str = "") -> list[str]:
    """What happened, to one task or to all, without the ``Task`` before it."""
    found = [event for event in events(world) if task_id in ("", event["task_id"])]
    return [event["type"].removeprefix("Task") for event in found]


def tasks(world: World) -> list[Event]:
    with ledger(world) as opened:
        return opened.tasks()


def only(world: World) -> Event:
    """The one task that there is."""
    (task,) = tasks(world)
    return task


def queue(world: World, task_id: str = "task-0001", **facts: Any) -> str:
    """Queue a task as the command would."""
    payload = {
        "source": "coord",
        "external_id": task_id,
        "project": str(world.repo / ".git"),
        "title": task_id,
    }
    with ledger(world) as opened:
        opened.append(
            {
                "type": "TaskCreated",
                "task_id": task_id,
                "version": 1,
                "surface": "cli",
                "payload": payload | facts,
            }
        )
    return task_id


def transcript(agent: Agent, *turns: tuple[str | None, list[tuple[str, int, int]]]) -> None:
    """Write the agent's transcript: for each prompt id its messages, as (id, input, output) tokens."""
    lines: list[Event] = []
    for prompt_id, messages in turns:
        lines.append({"type": "user", "promptId": prompt_id, "message": {"role": "user", "content": "x"}})
        for message_id, sent, answered in messages:
            usage = {"input_tokens": sent, "output_tokens": answered, "cache_read_input_tokens": 10_000}
            record = {"type": "assistant", "message": {"id": message_id, "usage": usage}}
            lines += [record, record]  # one record for each block of a message
    path = agent.transcript(agent.session_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
