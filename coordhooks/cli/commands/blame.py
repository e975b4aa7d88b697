"""Who wrote a file, when and in which task, and how to ask that conversation about it."""

import click

from coordhooks.cli import show
from coordhooks.cli.commands import files
from coordhooks.cli.options import as_json, here
from coordhooks.cli.session import Refused, Session
from coordhooks.handlers.texts import shell_word
from coordhooks.paths import locate
from coordhooks.store import runtimes, writes
from coordhooks.store.db import Transaction

RESUME = {"claude-code": "claude --resume", "codex": "codex resume"}


@click.command()
@click.argument("path")
@as_json
@here
def blame(session: Session, path: str, as_json: bool) -> None:
    """Show which conversations wrote PATH, newest first."""
    target = locate(path, session.cwd)
    with session.transaction() as tx:
        found = [
            files.public(tx, row) | {"resume": _resume(tx, row["runtime_id"], row["conversation_id"])}
            for row in writes.of_path(tx, target)
        ]
        now = tx.now
    if not found:
        raise Refused(
            f"no agent's write of {session.short(target.path)} is on record: `git log` knows the rest"
        )
    if as_json:
        show.as_json(found)
        return
    for write in found:
        show.say(_text(write, now))


def _text(write: dict[str, object], now: float) -> str:
    at = write["at"] if isinstance(write["at"], float) else None
    state = "landed" if write["landed"] else "not landed"
    lines = [f"{write['called']}  {show.clock(at, now)}, {state}"]
    if write["task"]:
        lines.append(f"  task: {write['task']}")
    if write["resume"]:
        lines.append(f"  resume: {write['resume']}")
    return "\n".join(lines)


def _resume(tx: Transaction, runtime_id: str, conversation_id: str) -> str:
    """The command that resumes the conversation in its own folder, ready to run."""
    row = runtimes.get(tx, runtime_id)
    if row is None or row["harness"] not in RESUME:
        return ""
    command = f"{RESUME[row['harness']]} {shell_word(conversation_id)}"
    return f"cd {shell_word(row['cwd'])} && {command}" if row["cwd"] else command
