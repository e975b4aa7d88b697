"""The main job: of two real agents that go for one file, the second is refused in words it can act on."""

from collections.abc import Callable
from pathlib import Path

import pytest
from harness.claude import ACCEPT_EDITS, BYPASS, Claude
from harness.gate import Gate
from harness.scripted_model import ScriptedModel, ToolResult, hook_contexts
from harness.turn import agent, say, write

from coordhooks.store import CoordStore, friendly_handle

Script = Callable[..., ScriptedModel]


class Pair:
    """The first agent writes ``new.py`` and keeps its turn open until the second one is done."""

    def __init__(self, claude: Claude, script: Script, repo: Path) -> None:
        self.claude, self.repo, self.script = claude, repo, script
        self.target = repo / "new.py"
        self.second_is_done = Gate("the second agent is done")
        self.first_model = script(write(self.target, "first\n"), say("first done").after(self.second_is_done))

    def run(self, second_model: ScriptedModel, *, cwd: Path | None = None, args: tuple[str, ...]) -> None:
        """Start the first, then the second; both must end well."""
        self.first = self.claude.start(
            'add the "new" module', model=self.first_model, cwd=self.repo, args=args
        )
        self.second = self.claude.start(
            "do the other thing", model=second_model, cwd=cwd or self.repo, args=args
        )
        assert self.second.wait().rc == 0
        self.second_is_done.open()
        assert self.first.wait().rc == 0

    def assert_refused(self, told: ToolResult) -> None:
        assert told.is_error
        assert "Not an error: new.py is being edited by" in told.text
        assert friendly_handle(self.first.session_id, "conversation") in told.text
        assert 'add the \\"new\\" module' in told.text
        assert "Next: run `coord wait " in told.text


@pytest.fixture
def pair(claude: Claude, script: Script, repo: Path) -> Pair:
    return Pair(claude, script, repo)


@pytest.mark.parametrize("args", [ACCEPT_EDITS, BYPASS], ids=["acceptEdits", "bypass"])
def test_the_second_writer_is_refused_and_goes_on(pair: Pair, args: tuple[str, ...]) -> None:
    model = pair.script(
        write(pair.target, "second\n").after(pair.target.exists),
        write(pair.repo / "other.py", "other\n"),
        say("second done"),
    )
    pair.run(model, args=args)
    refused, written = model.tool_results()
    pair.assert_refused(refused)
    assert not written.is_error
    assert pair.target.read_text() == "first\n"
    assert (pair.repo / "other.py").read_text() == "other\n"
    model.assert_no_stray_traffic()


def test_a_sub_agent_is_refused_as_well(pair: Pair) -> None:
    model = pair.script(agent("Be the HELPER").after(pair.target.exists), say("second done"))
    model.stream("HELPER", write(pair.target, "second\n"), say("refused"))
    pair.run(model, args=BYPASS)
    pair.assert_refused(model.tool_results("HELPER")[0])
    assert pair.target.read_text() == "first\n"


def test_a_linked_worktree_is_another_place(pair: Pair, worktree: Path) -> None:
    model = pair.script(write(worktree / "new.py", "second\n").after(pair.target.exists), say("second done"))
    pair.run(model, cwd=worktree, args=BYPASS)
    assert not model.tool_results()[0].is_error
    assert (pair.target.read_text(), (worktree / "new.py").read_text()) == ("first\n", "second\n")


def test_from_a_worktree_the_main_checkout_is_guarded(pair: Pair, worktree: Path) -> None:
    model = pair.script(write(pair.target, "second\n").after(pair.target.exists), say("second done"))
    pair.run(model, cwd=worktree, args=BYPASS)
    pair.assert_refused(model.tool_results()[0])


def test_a_session_in_a_subfolder_is_guarded(pair: Pair) -> None:
    model = pair.script(write(pair.target, "second\n").after(pair.target.exists), say("second done"))
    pair.run(model, cwd=pair.repo / "src", args=BYPASS)
    pair.assert_refused(model.tool_results()[0])
    assert pair.target.read_text() == "first\n"


def test_sub_agents_of_one_session_collide(claude: Claude, script: Script, repo: Path) -> None:
    done = Gate("the second helper is done")
    target = repo / "new.py"
    both = agent("Be the FIRST").tools + agent("Be the SECOND").tools
    model = script(say("").__class__(tools=both), say("all done"))
    model.stream("FIRST", write(target, "first\n"), say("ok").after(done))

    def finish(_body: object) -> object:
        done.open()
        return say("refused")

    model.stream("SECOND", write(target, "second\n").after(target.exists), finish)
    assert claude("go", model=model, cwd=repo, args=BYPASS).text == "all done"
    [told] = model.tool_results("SECOND")
    assert told.is_error
    assert "new.py is being edited by" in told.text
    assert target.read_text() == "first\n"


def test_whoever_is_alone_hears_nothing(
    claude: Claude, script: Script, repo: Path, store: CoordStore
) -> None:
    model = script(write(repo / "src/a.py", "2\n"), say("done"))
    with claude.session(model=model, cwd=repo, args=BYPASS) as session:
        assert session.ask("change a.py")["result"] == "done"
        said = [m for m in session.messages if m["type"] == "system" and "hook" not in m.get("subtype", "")]
    assert not [m for m in said if "coordhooks" in str(m) or "says" in str(m.get("content"))]
    for body in model.turn_bodies():
        assert not [text for text in hook_contexts(body) if "hook additional context" in text]
    [claimed] = [e for e in store.audit_events() if e["event"] == "leases_claimed"]
    assert str(repo / "src/a.py") in str(claimed["details"])
