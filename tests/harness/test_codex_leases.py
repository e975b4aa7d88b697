"""The main job in the real Codex: who holds a file keeps it, whatever way the other one takes."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from coordhooks.store import CoordStore, friendly_handle
from harness.codex import Codex, CodexRun
from harness.gate import Gate, until
from harness.scripted_codex import (
    CODE_MODE,
    ScriptedCodex,
    add,
    agent,
    delete,
    patch,
    patch_text,
    script,
    shell,
    update,
)
from harness.turn import Turn, say, use

Script = Callable[..., ScriptedCodex]


@pytest.fixture(autouse=True)
def hooked(codex: Codex) -> None:
    codex.install()


@pytest.fixture
def store(home: Path) -> Iterator[CoordStore]:
    store = CoordStore(home / ".local/state/coordhooks/coord.sqlite3")
    yield store
    store.close()


class Holder:
    """A Codex that wrote ``src/a.py`` in its turn, which goes on until ``done``."""

    def __init__(self, codex: Codex, model: Script, repo: Path) -> None:
        self.done = Gate("the other one is done")
        self.model = model(patch(update("src/a.py", "1", "mine")), say("done").after(self.done))
        self.run: CodexRun = codex.start("guard a.py", model=self.model, cwd=repo)
        until(lambda: (repo / "src/a.py").read_text() == "mine\n", "the holder's write")

    def assert_named(self, text: str) -> None:
        assert "Not an error: src/a.py is being edited by" in text
        assert friendly_handle(self.run.session_id, "conversation") in text
        assert "guard a.py" in text

    def finish(self) -> None:
        self.done.open()
        self.run.wait()


@pytest.fixture
def holder(codex: Codex, codex_script: Script, repo: Path) -> Iterator[Holder]:
    holder = Holder(codex, codex_script, repo)
    yield holder
    holder.finish()


REFUSED = {
    "update": patch(update("src/a.py", "mine", "yours")),
    "add": patch(add("src/a.py", "yours")),
    "delete": patch(delete("src/a.py")),
    "move away": patch(update("src/a.py", "mine", "yours", to="src/c.py")),
    "move to": patch(add("free.py", "x"), update("notes.txt", "1", "2", to="src/a.py")),
    "padded, CRLF": use(
        "apply_patch",
        input="*** Begin Patch\r\n  *** Delete File: src/../src/a.py  \r\n*** End Patch\r\n",
    ),
}


@pytest.mark.parametrize("turn", REFUSED.values(), ids=REFUSED)
def test_a_patch_of_a_held_file_is_refused_whole(
    codex: Codex, codex_script: Script, repo: Path, holder: Holder, store: CoordStore, turn: Turn
) -> None:
    model = codex_script(turn, patch(add("other.py", "x")), say("done"))
    assert codex("do the other thing", model=model, cwd=repo).rc == 0
    refused, written = model.tool_results()
    holder.assert_named(refused.text)
    assert "Success" in written.text
    assert (repo / "src/a.py").read_text() == "mine\n"
    assert (repo / "notes.txt").read_text() == "1\n"
    assert not (repo / "free.py").exists()
    claimed = [str(e["details"]) for e in store.audit_events() if e["event"] == "leases_claimed"]
    assert len(claimed) == 2  # the holder's, and that of the second patch: a refused one claims nothing
    assert not [text for text in claimed if "free.py" in text]


def test_a_header_that_is_content_is_content(
    codex: Codex, codex_script: Script, repo: Path, holder: Holder
) -> None:
    model = codex_script(patch("*** Add File: doc.md\n+*** Delete File: src/a.py\n+ x"), say("done"))
    assert codex("write about patches", model=model, cwd=repo).rc == 0
    assert "Success" in model.tool_results()[0].text
    assert (repo / "doc.md").read_text() == "*** Delete File: src/a.py\n x\n"


def test_a_script_of_code_mode_is_refused_and_can_read_why(
    codex: Codex, codex_script: Script, repo: Path, holder: Holder
) -> None:
    text = patch_text(update("notes.txt", "1", "2", to="src/a.py")).replace("\n", "\\n")
    thrown = script(f'const r = await tools.apply_patch("{text}"); text(r);')
    caught = script(
        f'try {{ await tools.apply_patch("{text}"); text("written"); }} catch (e) {{ text("CAUGHT " + e); }}'
    )
    model = codex_script(thrown, caught, say("done"))
    assert codex("do the other thing", model=model, cwd=repo, slug=CODE_MODE).rc == 0
    for told in model.tool_results():
        holder.assert_named(told.text)
    assert "CAUGHT" in model.tool_results()[1].text
    assert (repo / "src/a.py").read_text() == "mine\n"


def test_a_resumed_conversation_gets_what_was_written_to_it(
    codex: Codex, codex_script: Script, repo: Path, home: Path
) -> None:
    first = codex.start("hello", model=codex_script(patch(add("n.py", "1")), say("done")), cwd=repo)
    thread = first.session_id
    assert first.wait().rc == 0
    other = codex_script(
        shell(f"coord send {friendly_handle(thread, 'conversation')} 'the tests moved'"), say("done")
    )
    assert codex("write to it", model=other, cwd=repo).rc == 0
    assert "sent" in other.tool_results()[0].text
    model = codex_script(say("read it"))
    run = codex.start("go on", model=model, cwd=repo, resume=thread)
    assert run.wait().rc == 0
    assert run.session_id == thread
    assert "the tests moved" in model.hook_contexts()


def test_subagents_of_one_session_collide(codex: Codex, codex_script: Script, repo: Path) -> None:
    done = Gate("the second is done")
    target = repo / "new.py"
    both = agent("Be the FIRST").tools + agent("Be the SECOND").tools
    model = codex_script(Turn(tools=both), say("over").after(done))
    model.stream("FIRST", patch(add("new.py", "first")), say("ok").after(done))

    def finish(_body: object) -> Turn:
        done.open()
        return say("refused")

    model.stream("SECOND", patch(add("new.py", "second")).after(target.exists), finish)
    assert codex("go", model=model, cwd=repo).rc == 0
    [told] = model.tool_results("SECOND")[-1:]
    assert "new.py is being edited by" in told.text
    assert target.read_text() == "first\n"


def test_a_killed_one_blocks_nobody(codex: Codex, codex_script: Script, repo: Path, holder: Holder) -> None:
    holder.run.kill9()
    model = codex_script(patch(update("src/a.py", "mine", "yours")), say("done"))
    assert codex("take over", model=model, cwd=repo).rc == 0
    assert "Success" in model.tool_results()[0].text
    assert (repo / "src/a.py").read_text() == "yours\n"
