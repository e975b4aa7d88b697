"""What a plain PreToolUse costs, in a form that does not vary with the machine: the modules that it loads.

The list is the price of every write of every agent. Whoever makes it longer, knows it here.
"""

import json
import platform
import subprocess
import sys
from typing import Any

import pytest

from hooks.agent import Agent
from hooks.world import CHECKOUT, World

pytestmark = pytest.mark.skipif(
    platform.python_implementation() != "CPython", reason="its C modules are pinned"
)

# Beyond what the bare interpreter has loaded itself.
OURS = {
    "coordhooks", "coordhooks.errors", "coordhooks.fastjson", "coordhooks.handlers", "coordhooks.handlers.attendance",
    "coordhooks.handlers.guard", "coordhooks.handlers.pre_tool_use", "coordhooks.harness",
    "coordhooks.harness.claude_code", "coordhooks.harness.wire", "coordhooks.hook", "coordhooks.locations",
    "coordhooks.model", "coordhooks.paths", "coordhooks.process", "coordhooks.stdin", "coordhooks.store",
    "coordhooks.store.calls", "coordhooks.store.db", "coordhooks.store.engine",
    "coordhooks.store.leases", "coordhooks.store.migrations", "coordhooks.store.notes", "coordhooks.store.overlap",
    "coordhooks.store.runtimes", "coordhooks.store.settings", "coordhooks.store.waits", "coordhooks.store.writes",
    "coordhooks.store.yielding", "coordhooks.targets", "coordhooks.targets.files", "coordhooks.targets.sharing",
    "coordhooks.validators", "coordhooks.validators.claude_code_pre_tool_use", "coordhooks.validators.errors",
}  # fmt: skip
STANDARD = {
    "_collections_abc",
    "_json",
    "_sqlite3",
    "_stat",
    "genericpath",
    "os",
    "os.path",
    "posixpath",
    "select",
    "stat",
}
OF_SQLITE = {"_functools"}

WATCH = """
import sys
bare = set(sys.modules)
events = []
sys.addaudithook(lambda name, arguments: events.append(name))
out, root = sys.argv[1:3]
del sys.argv[1:3]
sys.path.insert(0, root)
import coordhooks.hook as hook
def leave(status):
    loaded = sorted(set(sys.modules) - bare)
    import json
    with open(out, "w") as file:
        json.dump({"loaded": loaded, "events": events}, file)
    end(status)
end, hook.os._exit = hook.os._exit, leave
hook.main()
"""
STARTS = (
    "subprocess.Popen",
    "os.posix_spawn",
    "os.fork",
    "os.forkpty",
    "os.exec",
    "os.system",
    "os.spawn",
    "_posixsubprocess",
)


class Watched:
    """An agent whose hooks are watched: ``loaded`` modules and audit ``events`` of the last one."""

    def __init__(self, world: World, agent: Agent) -> None:
        self.out = world.home / "watched.json"
        self.agent = agent
        words = [
            sys.executable,
            "-I",
            "-S",
            "-B",
            "-c",
            WATCH,
            str(self.out),
            str(CHECKOUT),
            "--harness",
            "claude-code",
        ]
        agent.argv = lambda event, tool_class: [  # type: ignore[method-assign]
            *words, "--event", event, *(["--class", tool_class] if tool_class else [])
        ]  # fmt: skip

    def __getitem__(self, what: str) -> list[str]:
        found: dict[str, Any] = json.loads(self.out.read_text())
        return list(found[what])


@pytest.fixture
def watched(world: World) -> Watched:
    """Alone, with an open turn."""
    agent = world.agent()
    agent.start()
    agent.prompt()
    agent.write(world.repo / "src/b.py")
    return Watched(world, agent)


def test_a_plain_write_loads_these_modules_and_no_other(world: World, watched: Watched) -> None:
    assert watched.agent.write(world.repo / "src/a.py").silent
    loaded = set(watched["loaded"]) - OF_SQLITE
    assert sorted(loaded - OURS - STANDARD) == [], "new on the hot path"
    assert sorted(OURS - loaded) == [], "no longer needed there: shorten the list"


def test_a_write_again_loads_no_more(world: World, watched: Watched) -> None:
    assert watched.agent.write(world.repo / "src/b.py").silent
    assert set(watched["loaded"]) <= OURS | STANDARD | OF_SQLITE


def test_nothing_of_a_third_party_is_on_the_hot_path(world: World, watched: Watched) -> None:
    watched.agent.write(world.repo / "src/a.py")
    roots = {name.partition(".")[0] for name in watched["loaded"]}
    assert roots - {"coordhooks"} <= sys.stdlib_module_names


@pytest.mark.parametrize("event", ["a write", "a shell call", "a write in company"])
def test_no_process_is_started(world: World, watched: Watched, event: str) -> None:
    if event == "a write in company":
        world.agent("sess-B").write(world.repo / "lib/a.py")
    reply = (
        watched.agent.bash("true")
        if event == "a shell call"
        else watched.agent.write(world.repo / "src/a.py")
    )
    assert reply.silent
    assert [name for name in watched["events"] if name.startswith(STARTS)] == []
    assert watched["events"].count("sqlite3.connect") == 1


def test_the_installed_command_starts_no_process_beside_python(world: World) -> None:
    """sh becomes Python: the pid that the harness started is the one that answers."""
    world.tamper(
        "handlers/pre_tool_use.py",
        "def handle(event, around):\n import os\n return Decision(deny=f'{os.getpid()} {os.getppid()}')",
    )
    agent = world.agent()
    running = agent.begin_write(world.repo / "src/a.py")
    reply = running.reply()
    assert reply.denied == f"{running.started.result()} {agent.pid}", reply


def test_the_hook_needs_nothing_that_is_installed(world: World) -> None:
    """-I -S: no site-packages, no user site, no environment."""
    code = "import sys; assert not [p for p in sys.path if 'site-packages' in p], sys.path; import coordhooks.hook"
    subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-B",
            "-c",
            f"import sys; sys.path.insert(0, {str(CHECKOUT)!r}); {code}",
        ],
        check=True,
    )
