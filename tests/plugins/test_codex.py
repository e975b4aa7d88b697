"""The plugin in the real Codex: once trusted it vetoes like the installed hooks, and it leaves without a trace."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from harness.codex import Codex
from harness.scripted_codex import ScriptedCodex, add, patch, update
from harness.turn import say

from coordhooks.cli.live import codex as live_codex
from coordhooks.cli.live import trial
from coordhooks.install import codex_trust, plugins
from coordhooks.install.places import Places
from plugins.conftest import ID, Run

Script = Callable[..., ScriptedCodex]


@pytest.fixture
def plugged(in_codex: Run, clone: Path) -> Path:
    in_codex("marketplace", "add", str(clone))
    in_codex("add", ID)
    return clone


@pytest.fixture
def trusted(plugged: Path, places: Places) -> Path:
    """As its person does with ``/hooks``."""
    [plugin] = plugins.installed(places)
    codex_trust.trust(codex_trust.config_path(places), plugins.trust(places, plugin))
    return plugged


def try_both(codex: Codex, script: Script, held: Path) -> tuple[bool, bool, str]:
    """Whether the held file and a new one could be written, and what the model was told of the first."""
    model = script(patch(update("src/a.py", "1", "mine")), patch(add("new.py", "1")), say("done"))
    assert codex("go", model=model, cwd=held.parents[1]).rc == 0
    told = model.tool_results()[0].text
    return held.read_text() == "mine\n", (held.parents[1] / "new.py").exists(), told


def test_a_veto_fires_and_an_allowed_write_passes(
    codex: Codex, codex_script: Script, trusted: Path, held: Path, places: Places
) -> None:
    [plugin] = plugins.installed(places)
    assert {hook.state for hook in plugins.trust(places, plugin)} == {codex_trust.TRUSTED}
    before = sorted(Path(plugin.root).rglob("*"))
    for _ in range(2):  # a changed copy would no longer be trusted the second time
        written, other, told = try_both(codex, codex_script, held)
        assert (written, other) == (False, True)
        assert "Not an error: src/a.py is being edited by" in told
        (held.parents[1] / "new.py").unlink()
    assert sorted(Path(plugin.root).rglob("*")) == before
    assert list(Path(plugin.data, "compiled").rglob("pre_tool_use*.pyc"))
    assert not Path(places.state, "problems.jsonl").exists()


def test_untrusted_it_is_skipped_and_that_is_known(
    codex: Codex, codex_script: Script, plugged: Path, held: Path, places: Places
) -> None:
    [plugin] = plugins.installed(places)
    assert plugin.active
    assert {hook.state for hook in plugins.trust(places, plugin)} == {codex_trust.UNTRUSTED}
    assert try_both(codex, codex_script, held)[:2] == (True, True)


@pytest.mark.parametrize("how", ["removed", "disabled", "half deleted", "clone moved", "data deleted"])
def test_what_is_gone_blocks_nobody(
    codex: Codex, codex_script: Script, in_codex: Run, trusted: Path, held: Path, places: Places, how: str
) -> None:
    [plugin] = plugins.installed(places)
    codex("first", model=codex_script(say("done")), cwd=held.parents[1])
    config = Path(codex_trust.config_path(places))
    if how == "removed":
        in_codex("remove", ID)
        in_codex("marketplace", "remove", "coordhooks")
        assert plugins.installed(places) == []
    elif how == "disabled":
        config.write_text(config.read_text().replace("enabled = true", "enabled = false"))
        assert not plugins.installed(places)[0].enabled
    elif how == "half deleted":
        shutil.rmtree(Path(plugin.root, "coordhooks"))
        assert not plugins.installed(places)[0].whole
    elif how == "clone moved":
        trusted.rename(trusted.with_name("moved"))
    else:
        shutil.rmtree(plugin.data)
    still_guards = how in ("clone moved", "data deleted")
    assert try_both(codex, codex_script, held)[:2] == (not still_guards, True)


def test_plugin_and_hooks_file_at_once(
    codex: Codex, codex_script: Script, trusted: Path, held: Path, places: Places
) -> None:
    codex.install()
    assert [path for _, path in plugins.doubled(places)] == [str(codex.folder / "hooks.json")]
    assert try_both(codex, codex_script, held)[:2] == (False, True)
    assert not Path(places.state, "problems.jsonl").exists()


def test_a_trial_of_the_doctor_tries_the_plugin(codex: Codex, trusted: Path, places: Places) -> None:
    found = trial._trial(live_codex, replace(places, search_path="/usr/bin:/bin"), str(codex.binary))
    assert found.ok, found.says
