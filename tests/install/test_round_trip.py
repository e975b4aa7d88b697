"""Every file in settings/ is some user's settings.json. A new odd form is a new file there."""

import codecs
import copy
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from coordhooks.install import (
    claude_code,
    folders,
    install,
    merge,
    packages,
    safefile,
    uninstall,
    wrapper,
)
from coordhooks.install.places import Places
from install.program import program

FILES = sorted((Path(__file__).parent / "settings").glob("*.json"))
ENTRIES = sum(len(classes) or 1 for _, classes in claude_code.EVENTS)


def value(content: bytes) -> Any:
    """What a settings file says."""
    text = content.removeprefix(codecs.BOM_UTF8).decode()
    return json.loads(text) if text.strip() else {}


def listing(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))


def test_there_are_many() -> None:
    assert len(FILES) >= 40


@pytest.mark.parametrize("case", FILES, ids=lambda p: p.stem)
def test_g01_g02_g07_install_adds_and_uninstall_restores(case: Path, settings: Path, places: Places) -> None:
    before = case.read_bytes()
    settings.write_bytes(before)
    install("user")
    first, stamp = settings.read_bytes(), settings.stat().st_mtime_ns

    assert merge.installed(value(first)) == ENTRIES
    assert without_ours(value(first)) == without_ours(value(before))
    assert first.startswith(codecs.BOM_UTF8) == before.startswith(codecs.BOM_UTF8)
    if before.count(b"\n") and before.count(b"\r\n") == before.count(b"\n"):
        assert first.count(b"\r\n") == first.count(b"\n")

    install("user")
    assert (settings.read_bytes(), settings.stat().st_mtime_ns) == (first, stamp)

    uninstall()
    assert settings.read_bytes() == before
    assert listing(settings.parent) == ["settings.json"]


@pytest.mark.parametrize("case", FILES, ids=lambda p: p.stem)
def test_without_the_record_nothing_of_others_is_lost(case: Path, settings: Path, places: Places) -> None:
    before = case.read_bytes()
    settings.write_bytes(before)
    install("user")
    Path(places.manifest).unlink()
    uninstall()
    assert merge.installed(value(settings.read_bytes())) == 0
    assert without_ours(value(settings.read_bytes())) == without_ours(value(before))


@pytest.mark.parametrize("case", FILES, ids=lambda p: p.stem)
def test_edited_in_between_only_ours_goes(case: Path, settings: Path, places: Places) -> None:
    before = value(case.read_bytes())
    settings.write_bytes(case.read_bytes())
    install("user")
    edited = value(settings.read_bytes())
    edited["added"] = "meanwhile"
    settings.write_text(json.dumps(edited, indent=2), newline="")  # as Claude Code itself rewrites it
    install("user")
    uninstall()
    assert value(settings.read_bytes()) == {**before, "added": "meanwhile"}


def without_ours(settings: Any) -> Any:
    """The settings without our entries and without empty containers."""
    result = copy.deepcopy(settings)
    hooks = result.get("hooks")
    for event, groups in list(hooks.items()) if isinstance(hooks, dict) else ():
        if isinstance(groups, list):
            hooks[event] = [g for g in groups if "--harness" not in json.dumps(g)]
        if not hooks[event]:
            del hooks[event]
    if hooks == {}:
        del result["hooks"]
    return result


def test_no_file_is_made_and_unmade(home: Path, places: Places) -> None:
    install("user")
    folder = home / ".claude"
    assert oct(folder.stat().st_mode)[-3:] == "700"
    assert oct((folder / "settings.json").stat().st_mode)[-3:] == "600"
    uninstall()
    assert not folder.exists()
    assert not Path(places.data).exists()


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o777])
def test_folders_that_are_made_are_private_whatever_the_umask(home: Path, places: Places, mask: int) -> None:
    """What is in them is run, or is a backup of somebody's settings."""
    shutil.rmtree(home / ".local")
    before = os.umask(mask)
    try:
        with safefile.lock(places.lock):
            pass
        program(places)
        install("user")
        wrapper.write(places)
        packages.prepare(str(home / "plugin" / "data"), places)
    finally:
        os.umask(before)
    made = [
        home / ".local",
        home / ".local/bin",
        Path(places.data),
        home / "plugin",
        home / "plugin/data/compiled",
    ]
    made += [home / ".claude", home / ".claude/skills", home / ".claude/skills/coord"]
    assert {str(folder): oct(folder.stat().st_mode)[-3:] for folder in made} == {str(f): "700" for f in made}


def test_folders_that_were_missing_before_us_go_and_others_stay(home: Path, places: Places) -> None:
    before = listing(home)
    folders.note(places, folders.missing(places.coord, os.path.join(places.state, "any")))
    (home / ".claude" / "skills").mkdir(parents=True)
    install("user")
    wrapper.write(places)
    Path(places.state).mkdir(parents=True)
    (home / ".local" / "bin" / "theirs").touch()
    uninstall()
    assert set(listing(home)) - set(before) == {
        ".claude",
        ".claude/skills",
        ".local/bin",
        ".local/bin/theirs",
    }


def test_a_file_made_by_us_stays_once_others_wrote_in_it(settings: Path, places: Places) -> None:
    install("user")
    settings.write_text(json.dumps(value(settings.read_bytes()) | {"model": "opus"}))
    uninstall()
    assert value(settings.read_bytes()) == {"model": "opus"}


def test_every_entry_is_as_the_harness_wants_it(settings: Path, places: Places) -> None:
    install("user")
    hooks = value(settings.read_bytes())["hooks"]
    assert [(e, len(g)) for e, g in hooks.items()] == [(e, len(c) or 1) for e, c in claude_code.EVENTS]
    closed = [
        (event, group.get("matcher"))
        for event, groups in hooks.items()
        for group in groups
        if group["hooks"][0].get("onFailure")
    ]
    assert closed == [("PreToolUse", "Write|Edit|MultiEdit|NotebookEdit")]
    assert "WorktreeCreate" not in hooks
    entry = hooks["PreToolUse"][0]["hooks"][0]
    assert entry["args"][2:] == [
        *("coordhooks", places.python, places.root),
        *("--harness", "claude-code", "--event", "PreToolUse", "--class", "file"),
    ]
    assert {e["timeout"] for groups in hooks.values() for g in groups for e in g["hooks"]} == {10}
