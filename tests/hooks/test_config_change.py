"""The harness's settings change while agents work: who switches our hooks off is told on, or refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from coordhooks.install import claude_code
from hooks.world import World

OURS = {"hooks": claude_code.groups("/usr/bin/python3", "/opt/site")}
WITHOUT_THE_VETO = {"hooks": {name: found for name, found in OURS["hooks"].items() if name != "PreToolUse"}}
OFF = {
    "all hooks off": {**OURS, "disableAllHooks": True},
    "our plugin off": {**OURS, "enabledPlugins": {"coordhooks@somewhere": False}},
    "our entries gone": {"model": "opus"},
    "the veto gone": WITHOUT_THE_VETO,
    "hooks null": {"hooks": None},
    "no object": [],
    "no JSON": '{"model": "opus",}',
    "absurd nesting": "[" * 100_000,
    "no file": None,
}
ON = {
    "another key": {**OURS, "model": "opus"},
    "hooks on": {**OURS, "disableAllHooks": False},
    "another plugin off": {
        **OURS,
        "enabledPlugins": {"other@somewhere": False, "coordhooks@somewhere": True},
    },
}


def change(path: Path, value: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    if value is None:
        path.unlink(missing_ok=True)
    else:
        path.write_text(value if isinstance(value, str) else json.dumps(value))


@pytest.fixture
def settings(world: World) -> Path:
    """The user's settings, where the installer has put our hooks."""
    path = world.home / ".claude" / "settings.json"
    change(path, OURS)
    record = world.home / ".local/share/coordhooks/installed.json"
    record.parent.mkdir(parents=True)
    record.write_text(json.dumps({"files": {str(path): {}}}))
    return path


@pytest.mark.parametrize("value", OFF.values(), ids=OFF)
def test_the_others_hear_when_someone_switches_the_hooks_off(
    world: World, settings: Path, value: object
) -> None:
    a, b = world.pair()
    change(settings, value)
    assert a.hook("ConfigChange", file_path=str(settings)).silent
    handle = world.runtime("sess-A")["conversation_handle"]
    assert f"Hooks were switched off for {handle} (in {settings})" in b.bash("true").context
    assert world.audit("config_changed") == [{"path": str(settings), "hooks_off": True, "refused": False}]


@pytest.mark.parametrize("value", ON.values(), ids=ON)
def test_any_other_change_is_recorded_and_nobody_hears_of_it(
    world: World, settings: Path, value: object
) -> None:
    world.configure("guard_config = true")
    a, b = world.pair()
    a.start()
    change(settings, value)
    assert a.hook("ConfigChange", file_path=str(settings)).silent
    assert b.bash("true").silent
    assert world.audit("config_changed") == [{"path": str(settings), "hooks_off": False, "refused": False}]


@pytest.mark.parametrize("value", ['{"model": ', {"hooks": {}}, None], ids=repr)
def test_a_file_that_never_held_ours_switches_nothing_off(
    world: World, settings: Path, value: object
) -> None:
    a, b = world.pair()
    other = world.repo / ".claude" / "settings.local.json"
    change(other, value)
    assert a.hook("ConfigChange", file_path=str(other)).silent
    assert b.bash("true").silent


def test_a_link_to_the_file_on_record_is_that_file(world: World, settings: Path) -> None:
    a, _ = world.pair()
    change(settings, {})
    (world.home / "link").symlink_to(settings.parent)
    a.hook("ConfigChange", file_path=str(world.home / "link" / "settings.json"))
    assert world.audit("config_changed")[0]["hooks_off"]


def test_a_guarded_configuration_refuses_it_and_says_so_to_everybody(world: World, settings: Path) -> None:
    world.configure("guard_config = true")
    a, b = world.pair()
    a.start()
    change(settings, {"disableAllHooks": True})
    reply = a.hook("ConfigChange", file_path=str(settings))
    assert reply.json is not None
    assert reply.json["decision"] == "block"
    assert str(settings) in reply.held
    assert "guard_config" in reply.notice
    assert "wanted to switch the hooks off" in b.bash("true").context
    assert world.audit("config_changed") == [{"path": str(settings), "hooks_off": True, "refused": True}]


def test_a_guard_is_for_the_project_that_has_it(world: World, settings: Path) -> None:
    world.configure(f'[project."{world.home}"]\nguard_config = true\n')
    a = world.agent()
    a.start()
    change(settings, {"disableAllHooks": True})
    assert a.hook("ConfigChange", file_path=str(settings)).silent


def test_who_is_alone_tells_nobody(world: World, settings: Path) -> None:
    a = world.agent()
    a.start()
    change(settings, {"disableAllHooks": True})
    assert a.hook("ConfigChange", file_path=str(settings)).silent
    assert world.rows("SELECT * FROM messages") == []
