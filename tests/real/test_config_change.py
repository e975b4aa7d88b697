"""Someone switches the hooks off in the middle of a session of the real Claude Code."""

from collections.abc import Callable
from pathlib import Path

import pytest
from harness.claude import Claude
from harness.gate import until
from harness.scripted_model import ScriptedModel, hook_contexts
from harness.turn import say

from coordhooks.store import CoordStore


@pytest.mark.parametrize("guarded", [False, True], ids=["told", "refused"])
def test_hooks_switched_off_mid_session(
    claude: Claude,
    script: Callable[..., ScriptedModel],
    coord: Callable[..., str],
    store: CoordStore,
    repo: Path,
    worktree: Path,
    guarded: bool,
) -> None:
    """Settings of the main tree; the other agent works in a worktree, which has its own."""
    if guarded:
        config = claude.home / ".config" / "coordhooks" / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text("guard_config = true\n")
    settings = repo / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text("{}")
    mine, theirs = script(say("1"), say("2"), say("3")), script(say("1"), say("2"))
    with claude.session(model=mine, cwd=repo) as me, claude.session(model=theirs, cwd=worktree) as other:
        me.ask("one")
        other.ask("one")
        settings.write_text('{"disableAllHooks": true}')
        until(lambda: changes(store), "the change to be seen")
        assert changes(store)[0]["refused"] is guarded
        me.ask("two")  # by its end the change has taken effect, or not
        coord("send", "all", "the build is broken")
        me.ask("three")
        other.ask("two")
    said = "wanted to switch the hooks off" if guarded else "Hooks were switched off for"
    assert said in "\n".join(hook_contexts(theirs.turn_bodies()[-1]))
    hooks_still_fire = "the build is broken" in "\n".join(hook_contexts(mine.turn_bodies()[-1]))
    assert hooks_still_fire is guarded


def changes(store: CoordStore) -> list[dict[str, object]]:
    return [row["details"] for row in store.audit_events() if row["event"] == "config_changed"]
