"""The plugin in the real Claude Code: it vetoes like the installed hooks, and it leaves without a trace."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import hooks
from harness.claude import BYPASS, Claude
from harness.scripted_model import ScriptedModel, hook_contexts
from harness.turn import Turn, bash, say, write

from coordhooks.install import plugins
from coordhooks.install.places import Places
from coordhooks.ledger import Ledger
from coordhooks.store import CoordStore
from plugins.conftest import ID, Run

Script = Callable[..., ScriptedModel]

DATA = ".claude/plugins/data/coordhooks-coordhooks"


@pytest.fixture
def plugged(in_claude: Run, clone: Path) -> Path:
    in_claude("marketplace", "add", str(clone))
    in_claude("install", ID)
    return clone


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_the_repository_is_valid(in_claude: Run, clone: Path) -> None:
    assert "Validation passed" in in_claude("validate", "--strict", str(clone))
    assert "Validation passed" in in_claude("validate", "--strict", str(clone / ".claude-plugin/plugin.json"))


def test_a_veto_fires_and_an_allowed_write_passes(
    claude: Claude, script: Script, plugged: Path, held: Path, home: Path
) -> None:
    before = files(plugged)
    model = script(
        write(held, "2\n"), write(held.with_name("b.py"), "2\n"), bash("command -v coord"), say("done")
    )
    assert claude("go", model=model, cwd=held.parents[1], args=BYPASS).text == "done"
    refused, written, found = model.tool_results()
    assert refused.is_error
    assert "Not an error: src/a.py is being edited by" in refused.text
    assert not written.is_error
    assert (held.read_text(), held.with_name("b.py").read_text()) == ("1\n", "2\n")
    assert str(plugged / "bin" / "coord") in found.text
    assert files(plugged) == before, "nothing is written into the clone"
    assert list((home / DATA / "compiled").rglob("pre_tool_use*.pyc"))
    assert os.access(home / DATA / "env/bin/python3", os.X_OK)
    assert not (home / ".local/state/coordhooks/problems.jsonl").exists()
    model.assert_no_stray_traffic()


@pytest.mark.parametrize(
    "how",
    ["uninstalled", "data deleted", *(pytest.param(how, marks=pytest.mark.torture) for how in ("disabled", "moved", "half deleted"))],
)  # fmt: skip
def test_what_is_gone_blocks_nobody(
    claude: Claude, script: Script, in_claude: Run, plugged: Path, held: Path, home: Path, how: str
) -> None:
    claude("first", model=script(say("done")), cwd=held.parents[1], args=BYPASS)
    if how == "uninstalled":
        in_claude("uninstall", ID)
        in_claude("marketplace", "remove", "coordhooks")
        assert not (home / DATA).exists()
    elif how == "disabled":
        in_claude("disable", ID)
    elif how == "moved":
        plugged.rename(plugged.with_name("moved"))
    elif how == "half deleted":
        shutil.rmtree(plugged / "coordhooks")
    else:
        shutil.rmtree(home / DATA)
    model = script(write(held, "2\n"), say("done"))
    assert claude("go", model=model, cwd=held.parents[1], args=BYPASS).text == "done"
    still_guards = how == "data deleted"
    assert model.tool_results()[0].is_error is still_guards
    assert held.read_text() == ("1\n" if still_guards else "2\n")


def test_plugin_and_settings_at_once_have_one_effect(
    claude: Claude, script: Script, plugged: Path, held: Path, home: Path, store: CoordStore, places: Places
) -> None:
    hooks.install(home)
    assert [path for _, path in plugins.doubled(places)] == [str(home / ".claude/settings.json")]
    sender = store.register_instance("the-messenger", cwd=str(held.parents[1]), ttl_seconds=3600)

    def second(_body: object) -> Turn:
        store.send_message(sender, body="mind the gap")
        return write(held.with_name("b.py"), "2\n")

    model = script(write(held, "2\n"), second, say("done"))
    assert claude("change b", model=model, cwd=held.parents[1], args=BYPASS).text == "done"
    refused, written = model.tool_results()
    assert (refused.is_error, written.is_error) == (True, False)
    assert "src/a.py is being edited by" in refused.text
    told = "\n".join(hook_contexts(model.turn_bodies()[-1]))
    assert told.count("mind the gap") == 1
    seen = [event["event"] for event in store.audit_events()]
    assert seen.count("leases_claimed") == 2, "the other's and one of ours"
    with Ledger(home / ".local/state/coordhooks/ledger") as ledger:
        types = [event["type"].removeprefix("Task") for event in ledger.events()]
    assert types == ["Created", "Leased", "LaunchAcknowledged", "Completed", "QuotaReported"]
    assert not (home / ".local/state/coordhooks/problems.jsonl").exists()


def test_what_is_known_of_it(in_claude: Run, plugged: Path, places: Places) -> None:
    [plugin] = plugins.installed(places)
    assert (plugin.id, plugin.root, plugin.active) == (ID, str(plugged), True)
    assert plugin.config == str(Path(places.claude_config, "settings.json"))
    assert plugins.doubled(places) == []
    project = Path(places.cwd, ".claude/settings.json")
    project.parent.mkdir()
    project.write_text('{"enabledPlugins": {"coordhooks@coordhooks": false}}')
    [off] = plugins.installed(places)
    assert (off.enabled, off.config) == (False, str(project))
    project.unlink()
    plugged.rename(plugged.with_name("moved"))
    [moved] = plugins.installed(places)
    assert (moved.enabled, moved.whole, moved.active) == (True, False, False)
    plugged.with_name("moved").rename(plugged)
    in_claude("uninstall", ID)
    assert plugins.installed(places) == []
