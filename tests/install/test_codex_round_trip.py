"""Every file in codex_hooks/ and codex_config/ is some user's: installing and uninstalling leaves each byte as it was."""

import copy
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from coordhooks.install import codex, codex_trust, install, merge, uninstall
from coordhooks.install.places import Places

HOOKS = sorted((Path(__file__).parent / "codex_hooks").glob("*.json"))
CONFIGS = sorted((Path(__file__).parent / "codex_config").glob("*.toml"))
ENTRIES = sum(len(classes) or 1 for _, classes in codex.EVENTS)


@pytest.fixture
def folder(places: Places) -> Path:
    """Codex's own folder, in use."""
    folder = Path(places.codex_home)
    folder.mkdir()
    return folder


def hooks_of(content: bytes) -> Any:
    return json.loads(content) if content.strip() else {}


def without_ours(value: Any) -> Any:
    """A hooks file without our groups, and without what is empty then."""
    hooks = copy.deepcopy(value).get("hooks") or {}
    for event, groups in hooks.items():
        hooks[event] = [g for g in groups if not merge.installed({"hooks": {event: [g]}})]
    return {**value, "hooks": {event: groups for event, groups in hooks.items() if groups}}


def config_of(content: bytes) -> Any:
    """A configuration without our trust, and without what is empty then; NaN is no number that equals itself."""
    value = tomllib.loads(content.decode(), parse_float=str)
    hooks = value.pop("hooks", {})
    state = {key: entry for key, entry in hooks.pop("state", {}).items() if "/home/.codex/" not in key}
    return {**value, "hooks": {**hooks, **({"state": state} if state else {})}}


def test_there_are_many() -> None:
    assert len(HOOKS) >= 20
    assert len(CONFIGS) >= 20


@pytest.mark.parametrize("case", HOOKS, ids=lambda p: p.stem)
def test_a_hooks_file_is_given_back(case: Path, folder: Path) -> None:
    path, before = folder / codex.HOOKS, case.read_bytes()
    path.write_bytes(before)
    install("user")
    first, stamp = path.read_bytes(), path.stat().st_mtime_ns
    assert merge.installed(hooks_of(first)) == ENTRIES
    expected, found = without_ours({"hooks": {}} | hooks_of(before)), without_ours(hooks_of(first))
    assert {**found, "hooks": None} == {**expected, "hooks": None}
    for event, groups in expected["hooks"].items():
        assert found["hooks"][event] == groups

    install("user")
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (first, stamp)

    uninstall()
    assert path.read_bytes() == before
    assert [p.name for p in folder.iterdir()] == [codex.HOOKS]


@pytest.mark.parametrize("case", CONFIGS, ids=lambda p: p.stem)
def test_a_configuration_is_given_back(case: Path, folder: Path) -> None:
    path, before = folder / codex.CONFIG, case.read_bytes()
    path.write_bytes(before)
    install("user", trust_codex=True)
    first, stamp = path.read_bytes(), path.stat().st_mtime_ns
    assert {hook.state for hook in codex_trust.hooks(Places.here())} == {codex_trust.TRUSTED}
    assert config_of(first) == config_of(before)

    install("user", trust_codex=True)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (first, stamp)

    uninstall()
    assert path.read_bytes() == before
    assert [p.name for p in folder.iterdir()] == [codex.CONFIG]
