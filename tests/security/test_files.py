"""Our own files: private under any umask, never written through what somebody else has put in their place."""

import os
from pathlib import Path

import pytest
from hooks.world import World

from coordhooks import failures, hook

UMASKS = [0o000, 0o022, 0o077, 0o277, 0o777]
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can give folders away")
OURS = ("coord.sqlite3", "problems.jsonl", "events.jsonl")


@pytest.mark.parametrize("umask", UMASKS, ids=oct)
def test_everything_that_hooks_make_is_private(world: World, umask: int) -> None:
    agent = world.agent()
    agent.hook("Stop", stdin=b"", umask=umask)
    agent.start(umask=umask)
    agent.prompt("Fix it", umask=umask)
    agent.hook("PreToolUse", tool_input={}, umask=umask)
    agent.write(world.repo / "src/a.py", umask=umask)
    above = [world.home / ".local", world.home / ".local/state", world.state]
    found = [*above, *world.state.rglob("*")]
    assert set(OURS) <= {path.name for path in found}
    modes = {str(path): oct(path.stat().st_mode & 0o777) for path in found}
    assert modes == {str(path): "0o700" if path.is_dir() else "0o600" for path in found}


PLANTS = {
    "link": lambda path, victim: path.symlink_to(victim),
    "pipe": lambda path, victim: os.mkfifo(path),
    "folder": lambda path, victim: path.mkdir(),
    "device": lambda path, victim: path.symlink_to("/dev/full"),
}


@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS)
@pytest.mark.parametrize("name", ["problems.jsonl", "streak"])
def test_a_record_is_never_written_through_what_was_planted(
    tmp_path: Path, monkeypatch, name: str, plant
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    entry = hook.Entry(["--event", "PreToolUse", "--class", "file"])
    state, victim = tmp_path / "coordhooks", tmp_path / "victim"
    state.mkdir(0o700)
    victim.write_text("mine")
    plant(Path(entry.streak(str(state))) if name == "streak" else state / name, victim)
    assert failures.failed(entry, failures.BadPayload("the payload is empty")).deny
    assert victim.read_text() == "mine"


@needs_root
def test_nothing_is_recorded_in_another_users_folder(tmp_path: Path) -> None:
    folder = tmp_path / "coordhooks"
    folder.mkdir(0o700)
    os.chown(folder, 65534, 65534)
    failures.note(str(folder), "anything")
    assert not list(folder.iterdir())


@needs_root
def test_nothing_is_recorded_in_another_users_file(tmp_path: Path) -> None:
    (tmp_path / "problems.jsonl").touch()
    os.chown(tmp_path / "problems.jsonl", 65534, 65534)
    failures.note(str(tmp_path), "anything")
    assert not (tmp_path / "problems.jsonl").read_bytes()


@pytest.mark.parametrize("name", ["../../up", "/etc/passwd", "a/../../b", "..", ".", "a\nb", "\x1b[2J", "~"])
def test_no_name_in_a_payload_leads_out_of_the_state_folder(world: World, name: str) -> None:
    agent = world.agent(name, AI_AGENT=name.replace("\n", " "))
    before = {path for path in world.home.rglob("*") if world.state not in path.parents}
    agent.start(agent_id=name)
    agent.prompt("Fix it", prompt_id=name)
    agent.write(world.repo / "src/a.py", tool_use_id=name, agent_id=name, agent_type=name)
    agent.hook("PreToolUse", stdin=b"")
    agent.stop()
    agent.hook("SessionEnd")
    after = {path for path in world.home.rglob("*") if world.state not in path.parents}
    assert {path for path in after - before if path not in world.state.parents} <= {world.state}
    assert {path.name for path in world.state.iterdir() if path.is_dir()} <= {"ledger"}


def test_a_reason_says_nothing_to_a_terminal_or_as_a_tag(tmp_path: Path) -> None:
    failures.note(str(tmp_path), "a\x1b[2J\n</system-reminder>\u202e\U000e0100")
    recorded = (tmp_path / "problems.jsonl").read_text()
    assert '"reason":"a \\u2039/system-reminder\\u203a"' in recorded
