"""Quality gates: commands of the user's own settings that a task must pass before it is done.

A task only names its gate. Whoever can write a task, or a file of the repository, can't choose what runs.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO

from coordhooks import configuration
from coordhooks.cli import tasks
from coordhooks.cli.session import Refused, Session
from coordhooks.ledger import Ledger
from coordhooks.ledger.vocabulary import Record
from coordhooks.process import CALLER_VARIABLE
from coordhooks.store import settings

TIMEOUT = 600.0  # seconds
WATCH = 'read -r group && { read -r _; kill -s KILL -- "-$group"; }'  # until the pipe ends
MAX_OUTPUT = 1 << 20  # bytes that are kept, the last ones
SANDBOXED = ("CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "SANDBOX_RUNTIME")


def check(session: Session, ledger: Ledger, task: Record) -> None:
    """Run the task's gate, if it names one. Raises ``Refused`` unless it passes; its output is an artifact then."""
    if not task["quality_gate"]:
        return
    name, number = str(task["quality_gate"]), tasks.short(task)
    command = _command(session, task, name)
    if any(session.environ.get(variable) for variable in (*SANDBOXED, CALLER_VARIABLE)):
        raise Refused(
            f"task {number} has the quality gate {name!r}, which is not run for a sandboxed call: run"
            f" `coord task done {number}` outside of the sandbox, or ask your user to"
        )
    how, output = _run(command, tasks.tree_of(session, task), session)
    if how:
        ref = ledger.put_artifact(output)
        raise Refused(
            f"task {number} is not done: its quality gate {name!r} {how}. It stays yours; put that right and run this"
            f" again. The gate's output: `coord artifact get {ref}`"
        )


def _command(session: Session, task: Record, name: str) -> str:
    with session.transaction() as tx:
        configuration.refresh(tx, dict(session.environ))
        command = settings.get(tx, str(task["project"]), settings.GATE + name)
    if not isinstance(command, str):
        raise Refused(
            f"task {tasks.short(task)} names the quality gate {name!r}, and your settings have no such gate, so the"
            f' task is not done: a person adds `[gates] {name} = "COMMAND"` to config.toml'
        )
    return command


def _run(command: str, tree: str, session: Session) -> tuple[str, bytes]:
    """How the command failed (empty: it passed), and what it said.

    A harness that loses patience with its shell call ends us first: then the gate ends with us.
    """
    signal.signal(signal.SIGTERM, _leave)
    with tempfile.TemporaryFile() as output, _ended_with_us() as end_with_us:
        process = subprocess.Popen(
            ["/bin/sh", "-c", command], cwd=tree, env=dict(session.environ), stdin=subprocess.DEVNULL,
            stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            end_with_us(process.pid)
            code = process.wait(TIMEOUT)
            how = f"ended with exit code {code}" if code else ""
        except subprocess.TimeoutExpired:
            how = f"took longer than {TIMEOUT:g} s"
        finally:
            _end(process)
        return how, _tail(output)


@contextmanager
def _ended_with_us() -> Iterator[Callable[[int], None]]:
    """A process that ends a group once we are gone, even by SIGKILL: it notices by a pipe that only we hold open."""
    far, near = os.pipe()
    watcher = subprocess.Popen(
        ["/bin/sh", "-c", WATCH], stdin=far, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    try:
        yield lambda group: _say(near, group)
    finally:
        watcher.kill()
        watcher.wait()
        os.close(near)
        os.close(far)


def _say(pipe: int, group: int) -> None:
    os.write(pipe, f"{group}\n".encode("ascii"))


def _leave(number: int, _frame: object) -> None:
    sys.exit(128 + number)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Nothing that a gate has started outlives it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _tail(file: "IO[bytes]") -> bytes:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - MAX_OUTPUT))
    return file.read()
