"""What would a shell command write, and would it be refused? For whoever asks why it was.

The question is put to a copy of the store, by the very code of the hooks: so the answer is theirs, and asking claims
nothing, tells nobody, and uses up no note that is told once.
"""

import os
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path

from coordhooks import locations
from coordhooks.cli import names, show, whoami
from coordhooks.cli.session import STORE_TIMEOUT, Session, note
from coordhooks.errors import StoreUnavailable
from coordhooks.handlers import git_rules, guard, shell_call
from coordhooks.harness import claude_code
from coordhooks.hook import Surroundings
from coordhooks.model import SHELL, Event, Identity
from coordhooks.paths import real, repository_of
from coordhooks.process import identity
from coordhooks.store import runtimes
from coordhooks.store.db import Database, Transaction
from coordhooks.store.engine import Row
from coordhooks.store.overlap import FILES
from coordhooks.targets import shell
from coordhooks.targets.shell.verdict import FILE, FOLDER, TREE, Verdict

FREE, REFUSED, COULD_NOT_TELL = 0, 1, 2
TOOLS = {shell.POSIX: "Bash", shell.POWERSHELL: shell_call.POWERSHELL_TOOL}
KINDS = {FILE: "file", FOLDER: "folder", TREE: "whole tree"}
NO_RULE = "no rule: git itself keeps what is changed"
# What an operation of git is refused for, in the words of daily use.
RULES = {
    "add-all": "not while it would stage uncommitted work of others",
    "commit-all": "not while it would commit uncommitted work of others",
    "commit": "not while it would commit what others have staged or changed",
    "stash": "not while it would take away uncommitted work of others, or a file is held",
    "stash-pop": "not while another agent holds a file in any working tree",
    "stash-drop": "not while another agent holds a file in any working tree",
    "reset-hard": "not while it would destroy uncommitted work of others",
    "checkout-tree": "not while it would destroy uncommitted work of others",
    "clean": "not while it would delete new files of others",
    "reset": "not while it would unstage work of others, or move HEAD under them",
    "unstage": "not while it would unstage work of others",
    "remove": "not while it would take uncommitted work of others out of git, or destroy it",
}
MOVES_HEAD = "not while another agent works in this checkout: it moves HEAD"
Facts = dict[str, object]


class _Copy(Surroundings):
    """The machine as a hook sees it, with a copy of the store in ``folder``."""

    def __init__(self, session: Session, process: Identity, folder: str) -> None:
        self.adapter = claude_code
        self.environ = os.environ
        self.state_dir = folder
        self.db = Database(os.path.join(folder, locations.DATABASE), time.time, STORE_TIMEOUT)
        self.here = session.db.here
        self.process = process


def answer(session: Session, command: str, dialect: str, *, as_json: bool) -> int:
    """Print what ``command`` would do in the working folder; the exit code says whether it would be refused now."""
    verdict = shell.judge(command, session.cwd, home=os.path.expanduser("~"), dialect=dialect)
    facts = _facts(session, verdict)
    facts["refused"], doubts = _asked(session, command, dialect)
    facts["untold"] = list(dict.fromkeys([*verdict.untold, *doubts]))
    if as_json:
        show.as_json(facts)
    else:
        _print(facts)
    return REFUSED if facts["refused"] else COULD_NOT_TELL if facts["untold"] else FREE


def _facts(session: Session, verdict: Verdict) -> Facts:
    targets = [
        {"path": names.typed(session, FILES, target.path), "kind": write.kind, "why": write.why}
        for target, write in shell.targets_of(verdict)
    ]
    git = [
        {"operation": each.operation, "folder": each.folder, "paths": list(each.paths), "rule": rule(each.operation)}
        for each in verdict.git
    ]  # fmt: skip
    return {"targets": targets, "git": git}


def rule(operation: str) -> str:
    """When an operation of git is refused."""
    if operation in RULES:
        return RULES[operation]
    return MOVES_HEAD if operation in git_rules.RULES else NO_RULE


def _asked(session: Session, command: str, dialect: str) -> tuple[str, list[str]]:
    """The text of the refusal that the command would get now, or an empty one; and what could not be told."""
    with session.transaction() as tx:
        me = whoami.me(tx, session)
    with tempfile.TemporaryDirectory(prefix="coord-check-") as folder:
        _copy(session.db.path, os.path.join(folder, locations.DATABASE))
        event, process = _event(session, me, command, dialect)
        around = _Copy(session, process, folder)
        try:
            return _decided(event, around, str(me["runtime_id"]))
        finally:
            around.db.close()


def _copy(source: str, copy: str) -> None:
    """Raises ``StoreUnavailable``."""
    try:
        with (
            closing(sqlite3.connect(f"{Path(source).as_uri()}?mode=ro", uri=True, timeout=STORE_TIMEOUT)) as old,
            closing(sqlite3.connect(copy)) as new,
        ):  # fmt: skip
            old.backup(new)
    except sqlite3.Error as error:
        raise StoreUnavailable(f"the store can't be copied: {error}") from error
    os.chmod(copy, 0o600)


def _event(session: Session, me: Row, command: str, dialect: str) -> tuple[Event, Identity]:
    """The call as its caller's hook would be told of it. A person is someone of whom nothing is known."""
    if me["runtime_id"] in runtimes.PERSONS:
        event, process = (
            Event("pre_tool_use", "claude-code", "a person"),
            identity(os.getpid(), session.db.here),
        )
    else:
        event = Event("pre_tool_use", str(me["harness"]), str(me["conversation_id"]))
        event.agent_id, process = str(me["agent_id"]), runtimes.process_of(me)
    event.cwd, event.tool_class, event.tool = session.cwd, SHELL, TOOLS[dialect]
    event.tool_input, event.call_id = {"command": command}, "coord-check"
    return event, process


def _decided(event: Event, around: Surroundings, runtime_id: str) -> tuple[str, list[str]]:
    plan = shell_call.plan(event, around)
    with Transaction(around.db) as tx:
        me = runtimes.require_live(tx, runtime_id)
        here = me["project"] if me["runtime_id"] not in runtimes.PERSONS else _project(event.cwd)
        if around.environ.get("COORD_OFF") == "1":
            note("COORD_OFF=1 is set here: every command is let through")
            return "", plan.untold
        if guard.switched_off(tx, plan.targets[0].project if plan.targets else here):
            note("the veto is off in this project: every command is let through")
            return "", plan.untold
        if not (plan.targets or plan.wants or plan.objection):
            return "", plan.untold
        return guard.authorize(tx, me, event, plan, patient=False).deny, plan.untold


def _project(folder: str) -> str:
    return repository_of(real(folder), is_folder=True)[1]


def _print(facts: Facts) -> None:
    targets, git, untold = (facts[name] for name in ("targets", "git", "untold"))
    assert isinstance(targets, list)
    assert isinstance(git, list)
    assert isinstance(untold, list)
    rows = [[each["path"], KINDS[each["kind"]], each["why"]] for each in targets]
    show.table(("WRITES", "WHAT", "BY"), rows, empty="" if git or untold else "writes nothing")
    for each in git:
        show.say(f"git {each['operation']}: {each['rule']}")
    for reason in untold:
        show.say(f"cannot tell: {reason}")
    show.say(f"would be refused now: {facts['refused']}" if facts["refused"] else "would be let through now")
