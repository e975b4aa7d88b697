"""Shell calls in the real program: refused where the command says what it writes, found afterwards where it does not."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness.claude import BYPASS, Claude
from harness.gate import Gate, until
from harness.hooks import HookLog
from harness.scripted_model import ScriptedModel, all_text, hook_contexts
from harness.stream_session import StreamSession
from harness.turn import bash, say, use, write

from coordhooks.store import CoordStore, friendly_handle

Script = Callable[..., ScriptedModel]

SLY = """node -e "require('fs').writeFileSync(['src', 'new.py'].join('/'), 'of nobody knows')" """


class Holder:
    """Has written ``src/new.py`` long ago, and thinks: its turn is open, no call of it is."""

    def __init__(self, claude: Claude, script: Script, repo: Path, home: Path) -> None:
        self.target = repo / "src/new.py"
        self.thinks = Gate("the holder thinks")
        done = say("done").after(self.thinks)
        self.model = script(write(self.target, "first\n"), done, say("heard it"), say("heard it again"))
        self.session: StreamSession = claude.session(model=self.model, cwd=repo, args=BYPASS)
        self.session.prompt("write it")
        self.thinks.reached()
        be_quiet(home)

    @property
    def handle(self) -> str:
        return friendly_handle(self.session.session_id, "conversation")


def be_quiet(home: Path) -> None:
    """Let all that happened so far have happened a minute ago."""
    connection = sqlite3.connect(home / ".local/state/coordhooks/coord.sqlite3", timeout=10)
    with connection:
        connection.execute("UPDATE runtimes SET heartbeat_at = heartbeat_at - 60")
        connection.execute("UPDATE writes SET at = at - 60")
    connection.close()


@pytest.fixture
def holder(claude: Claude, script: Script, repo: Path, home: Path) -> Iterator[Holder]:
    holder = Holder(claude, script, repo, home)
    yield holder
    holder.thinks.open()
    holder.session.close()


def test_a_sed_on_a_held_file_is_refused(claude: Claude, script: Script, repo: Path, holder: Holder) -> None:
    model = script(bash("sed -i s/first/second/ src/new.py"), bash("sed -n p src/new.py"), say("refused"))
    assert claude("change it", model=model, cwd=repo, args=BYPASS).rc == 0
    refused, read = model.tool_results()
    assert refused.is_error
    assert "Not an error: src/new.py is being edited by" in refused.text
    assert holder.handle in refused.text
    assert "Next: run `coord wait src/new.py`" in refused.text
    assert (read.is_error, read.text) == (False, "first")
    assert holder.target.read_text() == "first\n"


def test_what_slips_through_is_told_to_both(
    claude: Claude, script: Script, repo: Path, holder: Holder, store: CoordStore
) -> None:
    model = script(bash(SLY), say("oh"))
    offender = claude.start("change it", model=model, cwd=repo, args=BYPASS)
    assert offender.wait().rc == 0
    assert holder.target.read_text() == "of nobody knows"
    told = "\n".join(hook_contexts(model.turn_bodies()[-1]))
    assert "Your command changed src/new.py" in told
    assert holder.handle in told
    holder.thinks.open()
    holder.session.wait_result()
    holder.session.ask("go on")
    heard = all_text(holder.model.turn_bodies()[-1])
    assert heard.count("src/new.py, which you hold, was changed by a shell command of") == 1
    assert friendly_handle(offender.session_id, "conversation") in heard
    [breach] = [e["details"] for e in store.audit_events() if e["event"] == "breach"]
    assert breach["author_known"] is True


def test_a_background_command_keeps_its_file_until_it_is_over(
    claude: Claude, script: Script, repo: Path, home: Path, store: CoordStore
) -> None:
    log = HookLog(home, "PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit")
    goes_on = repo.parent / "go-on"
    command = f"while [ ! -e {goes_on} ]; do sleep 0.05; done; echo 2 > src/b.py"
    model = script(use("Bash", command=command, run_in_background=True), say("one"), say("two"), say("three"))
    with claude.session(model=model, cwd=repo, args=BYPASS) as session:
        session.ask("do it beside")
        [stop] = log.seen("Stop")
        [task] = stop.payload["background_tasks"]
        assert (task["type"], task["status"]) == ("shell", "running")
        [lease] = store.active_leases()
        assert (lease["path"], lease["kind"]) == (str(repo / "src/b.py"), "background")
        other = script(write(repo / "src/b.py", "other\n"), say("refused"))
        claude("write it", model=other, cwd=repo, args=BYPASS)
        assert "src/b.py is being edited by" in other.tool_results()[-1].text
        goes_on.touch()
        until(lambda: len(log.seen("Stop")) == 3, "the turn after the command's end")
        assert log.seen("Stop")[-1].payload["background_tasks"] == []
        until(lambda: store.active_leases() == [], "the lease of the command to end")
