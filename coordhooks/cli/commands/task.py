"""Tasks: queue them, take them, end them."""

import time
from typing import BinaryIO

import click

from coordhooks.cli import gates, show, tasks
from coordhooks.cli.options import DURATION, Command, acting, as_json, here
from coordhooks.cli.saying import AMENDING, MAKING, facts_of, saying
from coordhooks.cli.session import Refused, Session
from coordhooks.fastjson import dumps
from coordhooks.handlers.holding import append, owner
from coordhooks.ledger import Ledger
from coordhooks.ledger.vocabulary import COMPLETED, QUEUED, STATES, Record
from coordhooks.store import runtimes, turns

SOURCE = "coord"
TTL = turns.WORK_TTL


def file_option(name: str, text: str) -> Command:
    return click.option(name, type=click.File("rb"), metavar="FILE|-", help=text)


identity = click.argument("number", metavar="ID")
ttl_option = click.option("--ttl", type=DURATION, default=TTL, help="From now on; 1h if not given.")


@click.group()
def task() -> None:
    """Queue tasks, take them, and end them."""


@task.command()
@saying(*AMENDING, *MAKING)
@as_json
@here
def add(session: Session, as_json: bool, **said: object) -> None:
    """Queue a task."""
    if not said["title"]:
        raise click.UsageError("say what is to be done with --title")
    task_id = runtimes.new_id()
    with tasks.ledger(session) as ledger:
        facts = {"project": session.project} | facts_of(ledger, said)
        payload = {"source": SOURCE, "external_id": task_id, **facts}
        event = {
            "type": "TaskCreated",
            "task_id": task_id,
            "version": 1,
            "surface": "cli",
            "payload": payload,
        }
        ledger.append(event)
        made = ledger.task(task_id)
    _say(made, as_json, f"queued {tasks.short(made)}")


@task.command("list")
@click.option("--state", type=click.Choice(sorted(STATES)), help="Only these; open ones if not given.")
@click.option("--all", "everything", is_flag=True, help="In all projects.")
@as_json
@here
def list_(session: Session, state: str | None, everything: bool, as_json: bool) -> None:
    """List the open tasks of this project, or those of a state."""
    with tasks.ledger(session) as ledger:
        found = ledger.tasks() if state else ledger.scheduling_snapshot()["tasks"]
    found = [
        t for t in found if state in (None, t["state"]) and (everything or t["project"] == session.project)
    ]
    if as_json:
        show.as_json(found)
    else:
        show.table(tasks.HEADERS, tasks.cells(session, found, time.time()), empty="no such tasks here")


@task.command("show")
@identity
@as_json
@here
def show_(session: Session, number: str, as_json: bool) -> None:
    """Show all that is known of a task."""
    with tasks.ledger(session) as ledger:
        found = tasks.find(ledger, number)
    if as_json:
        show.as_json(found)
        return
    values = [(name, value) for name, value in found.items() if value not in (None, [], "")]
    rows = [(name, value if isinstance(value, str) else dumps(value)) for name, value in values]
    show.table(("FIELD", "VALUE"), [*rows, *_called(session, found)])


def _called(session: Session, found: Record) -> list[tuple[str, str]]:
    return [("owner", tasks.name_of(session, owner(found)))] if owner(found) else []


@task.command()
@identity
@ttl_option
@as_json
@acting
def lease(session: Session, number: str, ttl: float, as_json: bool) -> None:
    """Take a queued task: nobody else can end it then."""
    me = tasks.caller(session)
    with tasks.ledger(session) as ledger:
        found = _queued(session, ledger, number)
        taken = ledger.lease(found["task_id"], me["runtime_id"], ttl, surface="cli")
    if me["runtime_id"] not in runtimes.PERSONS:
        with session.transaction() as tx:
            turns.take_on(tx, me["runtime_id"], taken["task_id"], taken["title"] or "")
    _say(
        taken, as_json, f"leased {tasks.short(taken)}: end it with `coord task done`, fail, block or release"
    )


@task.command()
@identity
@ttl_option
@acting
def renew(session: Session, number: str, ttl: float) -> None:
    """Give your lease on a task a new expiry."""
    with tasks.ledger(session) as ledger:
        found = _leased(session, ledger, number, "renew")
        held = found["lease"]
        ledger.renew_lease(
            found["task_id"], held["harness_id"], held["lease_epoch"], found["version"], ttl, surface="cli"
        )
    show.say(f"renewed {tasks.short(found)} until {show.clock(time.time() + ttl, time.time())}")


@task.command()
@identity
@file_option("--report", "What was done; it is kept as an artifact.")
@acting
def done(session: Session, number: str, report: BinaryIO | None) -> None:
    """End a task: it is done. Its quality gate, if it has one, must pass."""
    with tasks.ledger(session) as ledger:
        before = tasks.owned(session, ledger, number, "complete")
        gates.check(session, ledger, before)
        found = tasks.owned(session, ledger, before["task_id"], "complete")  # a gate takes its time
        tasks.refuse_another_lease(before, found)
        append(ledger, found, "TaskCompleted", surface="cli", **_kept(ledger, "report_ref", report))
    show.say(f"done {tasks.short(found)}")


@task.command()
@identity
@click.option("--reason", required=True, metavar="TEXT", help="Why.")
@file_option("--report", "What was found; it is kept as an artifact.")
@acting
def fail(session: Session, number: str, reason: str, report: BinaryIO | None) -> None:
    """End a task: it can't be done."""
    with tasks.ledger(session) as ledger:
        found = tasks.owned(session, ledger, number, "fail")
        append(
            ledger, found, "TaskFailed", surface="cli", reason=reason, **_kept(ledger, "report_ref", report)
        )
    show.say(f"failed {tasks.short(found)}")


@task.command()
@identity
@click.option("--reason", required=True, metavar="TEXT", help="What it waits for.")
@acting
def block(session: Session, number: str, reason: str) -> None:
    """Set a task aside until something happens; `coord task correct ID --state queued` queues it again."""
    with tasks.ledger(session) as ledger:
        found = tasks.owned(session, ledger, number, "block")
        append(ledger, found, "TaskBlocked", surface="cli", blocker=reason)
    show.say(f"blocked {tasks.short(found)}")


@task.command()
@identity
@click.option("--reason", default="released", metavar="TEXT", help="Why.")
@file_option("--handoff", "What the next worker should know; without it this counts as a failed attempt.")
@acting
def release(session: Session, number: str, reason: str, handoff: BinaryIO | None) -> None:
    """Give a task back to the queue."""
    with tasks.ledger(session) as ledger:
        found = _leased(session, ledger, number, "release")
        append(
            ledger,
            found,
            "TaskReleased",
            surface="cli",
            reason=reason,
            **_kept(ledger, "handoff_ref", handoff),
        )
    show.say(f"released {tasks.short(found)}")


@task.command()
@identity
@saying(*AMENDING)
@here
def amend(session: Session, number: str, **facts: object) -> None:
    """Say a task's title, description, priority or due time anew."""
    with tasks.ledger(session) as ledger:
        found, changes = tasks.find(ledger, number), facts_of(ledger, facts)
        if not changes:
            raise click.UsageError("say what to change")
        append(ledger, found, "TaskAmended", surface="cli", **changes)
    show.say(f"amended {tasks.short(found)}")


@task.command()
@identity
@click.option("--event", metavar="EVENT", default="", help="The event that was wrong; its last if not given.")
@click.option("--state", type=click.Choice(sorted(STATES)), help="What state it is in, really.")
@saying(*AMENDING, *MAKING)
@acting
def correct(session: Session, number: str, event: str, state: str | None, **facts: object) -> None:
    """Put right what an earlier event said of a task: what it is, or its state."""
    with tasks.ledger(session) as ledger:
        found, changes = tasks.find(ledger, number), facts_of(ledger, facts)
        if not changes and state is None:
            raise click.UsageError("say what is right")
        if state == COMPLETED or "quality_gate" in changes:
            tasks.refuse_agents(session, "go around a quality gate")
        if state is not None and owner(found):
            found = _leased(session, ledger, found["task_id"], "correct")
        payload = {"corrects": _wrong(ledger, found, event), "metadata": changes, "state": state}
        append(ledger, found, "TaskCorrected", surface="cli", **payload)
    show.say(f"corrected {tasks.short(found)}")


def _wrong(ledger: Ledger, found: Record, said: str) -> str:
    """The id of the event that is corrected."""
    own = [event["id"] for event in ledger.events() if event["task_id"] == found["task_id"]]
    fitting = [
        event_id for event_id in own if event_id == said or (len(said) >= 8 and event_id.startswith(said))
    ]
    if said and len(fitting) != 1:
        raise Refused(
            f"{said} is not one event of task {tasks.short(found)}: `coord log --task ID --json` has their ids"
        )
    return str(fitting[0] if said else own[-1])


def _queued(session: Session, ledger: Ledger, number: str) -> Record:
    """A task that can be leased."""
    found = tasks.find(ledger, number)
    if found["state"] != QUEUED:
        by = f" by {tasks.name_of(session, owner(found))}" if owner(found) else ""
        raise Refused(f"task {tasks.short(found)} is {found['state']}{by}: only a queued one can be leased")
    return found


def _leased(session: Session, ledger: Ledger, number: str, what: str) -> Record:
    """One's own task, that is leased."""
    found = tasks.owned(session, ledger, number, what)
    if not owner(found):
        raise Refused(f"nobody has leased task {tasks.short(found)}, so there is nothing to {what}")
    return found


def _kept(ledger: Ledger, name: str, file: BinaryIO | None) -> Record:
    return {} if file is None else {name: ledger.put_artifact(file.read())}


def _say(found: Record, as_json: bool, sentence: str) -> None:
    if as_json:
        show.as_json(found)
    else:
        show.say(sentence)
