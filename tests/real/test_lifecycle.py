"""Sessions die, resume, fork, are cleared and compacted: what becomes of their leases and messages."""

from collections.abc import Callable
from pathlib import Path

from harness.claude import BYPASS, Claude, Run
from harness.gate import Gate
from harness.scripted_model import ScriptedModel, all_text, hook_contexts
from harness.turn import say, write

from coordhooks.store import CoordStore

Script = Callable[..., ScriptedModel]


def holder(claude: Claude, script: Script, repo: Path) -> Run:
    """A session that has written ``held.py`` and still works."""
    target = repo / "held.py"
    stays = Gate("its turn stays open")
    run = claude.start(
        "hold it", model=script(write(target, "1\n"), say("never").after(stays)), cwd=repo, args=BYPASS
    )
    stays.reached()
    return run


def messenger(store: CoordStore, repo: Path) -> str:
    return store.register_instance("the-messenger", cwd=str(repo), ttl_seconds=3600)


def told(model: ScriptedModel) -> str:
    """What hooks said to the model before its first answer."""
    return "\n".join(hook_contexts(model.turn_bodies()[0]))


def test_a_killed_holder_blocks_nobody(claude: Claude, script: Script, repo: Path) -> None:
    holder(claude, script, repo).kill9()
    model = script(write(repo / "held.py", "2\n"), say("done"))
    assert claude("take it", model=model, cwd=repo, args=BYPASS).rc == 0
    assert not model.tool_results()[0].is_error
    assert (repo / "held.py").read_text() == "2\n"


def test_unread_messages_survive_a_kill_and_are_shown_once(
    claude: Claude, script: Script, repo: Path, store: CoordStore
) -> None:
    run = holder(claude, script, repo)
    sender = messenger(store, repo)
    first = store.send_message(sender, recipient=run.session_id, kind="request", body="first unread thing")
    second = store.send_message(sender, recipient=run.session_id, body="second unread thing")
    run.kill9()

    resumed = script(say("read"), say("read on"))
    assert claude("go on", model=resumed, cwd=repo, args=BYPASS, resume=run.session_id).rc == 0
    for body in ("first unread thing", "second unread thing"):
        assert told(resumed).count(body) == 1

    heir = store.register_instance(run.session_id)
    assert {m["message_id"] for m in store.inbox(heir, mark_delivered=False)} <= {first, second}
    store.ack(heir, [first, second])
    store.end_instance(heir)
    again = script(say("nothing new"))
    assert claude("and now?", model=again, cwd=repo, args=BYPASS, resume=run.session_id).rc == 0
    assert all_text(again.turn_bodies()[0]).count("first unread thing") == 1  # as history, not anew


def test_a_fork_of_a_live_session_does_not_take_its_inbox(
    claude: Claude, script: Script, repo: Path, store: CoordStore
) -> None:
    run = holder(claude, script, repo)
    store.send_message(
        messenger(store, repo), recipient=run.session_id, kind="request", body="for the original"
    )
    forked = script(write(repo / "held.py", "by the fork\n"), say("done"))
    result = claude("fork it", model=forked, cwd=repo, args=BYPASS, resume=run.session_id, fork=True)
    assert result.rc == 0
    assert "for the original" not in told(forked)
    assert "held.py is being edited" in forked.tool_results()[-1].text
    original = store.resolve_runtime(run.session_id)
    assert [m["body"] for m in store.inbox(original, mark_delivered=False)] == ["for the original"]


def test_clear_keeps_leases_messages_and_handle(
    claude: Claude, script: Script, repo: Path, store: CoordStore
) -> None:
    model = script(say("one"), say("two"))
    with claude.session(model=model, cwd=repo, args=BYPASS) as session:
        session.ask("first")
        before = store.resolve_runtime(session.session_id)
        [handle] = [a["conversation_handle"] for a in store.live_instances()]
        store.claim(before, ["src"], tree=str(repo), ttl_seconds=3600)
        store.send_message(messenger(store, repo), recipient=before, kind="request", body="across the clear")
        session.ask("/clear")
        session.ask("second")
        after = store.resolve_runtime(session.session_id)
        [lease] = store.active_leases()
        assert after != before
        assert (lease["runtime_id"], lease["path"]) == (after, str(repo / "src"))
        assert store.resolve_runtime(str(handle)) == after
        assert "across the clear" in told_last(model)
        assert before not in [a["runtime_id"] for a in store.live_instances()]


def told_last(model: ScriptedModel) -> str:
    return "\n".join(hook_contexts(model.turn_bodies()[-1]))


def test_a_compaction_reminds_of_leases_and_messages(
    claude: Claude, script: Script, repo: Path, store: CoordStore
) -> None:
    model = script(say("one"), say("two"))
    with claude.session(model=model, cwd=repo, args=BYPASS) as session:
        session.ask("first")
        runtime = store.resolve_runtime(session.session_id)
        store.claim(runtime, ["src"], tree=str(repo), ttl_seconds=3600)
        store.send_message(
            messenger(store, repo), recipient=runtime, kind="request", body="before it forgets"
        )
        session.ask("/compact")
        session.ask("second")
        assert store.resolve_runtime(session.session_id) == runtime
        assert "You hold: src" in told_last(model)
        assert told_last(model).count("before it forgets") == 1
        assert [lease["runtime_id"] for lease in store.active_leases()] == [runtime]


def test_the_end_of_a_session_frees_everything(
    claude: Claude, script: Script, repo: Path, store: CoordStore
) -> None:
    run = claude.start(
        "write", model=script(write(repo / "new.py", "1\n"), say("done")), cwd=repo, args=BYPASS
    )
    assert run.wait().rc == 0
    assert store.active_leases() == []
    assert store.live_instances() == []


def test_the_next_agent_hears_of_uncommitted_work(claude: Claude, script: Script, repo: Path) -> None:
    claude("write", model=script(write(repo / "new.py", "1\n"), say("done")), cwd=repo, args=BYPASS)
    model = script(write(repo / "new.py", "2\n"), say("done"))
    claude("rewrite", model=model, cwd=repo, args=BYPASS)
    assert "new.py has uncommitted changes by" in told_last(model)
    assert "do not commit them as yours" in told_last(model)
