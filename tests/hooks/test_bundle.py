"""The hooks' modules in one file: the same hooks, from fewer files; without a sound one they come as usual."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from coordhooks.install import bundle as maker
from hooks.codex_agent import CodexAgent
from hooks.test_hot_path import Watched
from hooks.world import World


@pytest.fixture
def bundle(world: World) -> Path:
    """The bundle of a copy of the program, which agents run from now on."""
    package = world.copy_program()
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", "import runpy, sys; sys.path.insert(0, sys.argv[1]);"
         " runpy.run_module('coordhooks.install.bundle', run_name='__main__')", str(package.parent)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    found = Path(done.stdout.strip())
    assert found.parent == package
    return found


def test_hooks_run_from_it_alone(world: World, bundle: Path) -> None:
    for path in bundle.parent.rglob("*.py"):
        if path != bundle.parent / "hook.py":  # without it the program counts as gone
            path.unlink()
    a, b = world.pair()
    assert not b.write(world.repo / "src/a.py").denied
    assert "src/a.py is being edited" in a.write(world.repo / "src/a.py").denied
    assert not a.bash("git status").denied
    a.stop()


@pytest.mark.parametrize(
    "content", [b"", b"\0\0\0\x05abcde", b"\xff" * 5000], ids=["empty", "text", "nonsense"]
)
def test_one_that_is_none_is_passed_over(world: World, bundle: Path, content: bytes) -> None:
    bundle.write_bytes(content)
    a, b = world.pair()
    assert not b.write(world.repo / "src/a.py").denied
    assert "src/a.py is being edited" in a.write(world.repo / "src/a.py").denied


@pytest.mark.parametrize("part", [0.02, 0.3, 0.9], ids=str)
@pytest.mark.parametrize("how", ["cut short", "overwritten"])
def test_what_is_damaged_in_it_comes_from_files(world: World, bundle: Path, part: float, how: str) -> None:
    data = bundle.read_bytes()
    at = int(len(data) * part)
    bundle.write_bytes(data[:at] + (b"\0" * (len(data) - at) if how == "overwritten" else b""))
    a, b = world.pair()
    assert not b.write(world.repo / "src/a.py").denied
    assert "src/a.py is being edited" in a.write(world.repo / "src/a.py").denied
    assert world.problems() == []


def test_a_damaged_one_is_repaired(bundle: Path) -> None:
    site, data = str(bundle.parent.parent), bundle.read_bytes()
    assert maker.sound(site) is True
    bundle.write_bytes(data[:-1])
    assert maker.sound(site) is False
    maker.write(site)
    assert maker.sound(site) is True
    bundle.unlink()
    assert maker.sound(site) is None


def test_another_interpreter_does_not_see_it(world: World, bundle: Path) -> None:
    bundle.rename(bundle.with_name("bundle-cpython-39.bin"))
    assert world.agent().write(world.repo / "src/a.py").silent


def test_its_modules_are_like_those_of_files(bundle: Path) -> None:
    """Each can be imported, and knows its place, which some ask for."""
    code = f"""
import sys
sys.path.insert(0, root := {str(bundle.parent.parent)!r})
from marshal import loads
bundle = open({str(bundle)!r}, "rb", 0)
exec(loads(bundle.read(int.from_bytes(bundle.read(4), "big"))))
finder = sys.meta_path[0]
assert len(finder.index) > 50
for name in finder.index:
    __import__(name)
    module = sys.modules[name]
    assert module.__spec__.loader is finder, name
    print(name, module.__file__, module.__package__)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        name, file, package = line.split(" ")
        assert Path(file).is_relative_to(bundle.parent)
        assert Path(file).is_file(), name
        assert package == (name if file.endswith("__init__.py") else name.rpartition(".")[0])


@pytest.mark.usefixtures("bundle")
def test_it_carries_out_a_call_of_coord_from_a_sandbox(world: World) -> None:
    agent = CodexAgent(world)
    agent.fire("UserPromptSubmit", prompt="Do it")
    assert "printf" in agent.shell("coord claim src/a.py").rewritten
    assert world.leases() == {"src/a.py": "thread-A"}
    assert world.problems() == []


def test_it_holds_what_the_hot_path_needs(world: World, bundle: Path) -> None:
    agent = world.agent()
    watched = Watched(world, agent)
    agent.write(world.repo / "src/a.py")
    data = bundle.read_bytes()
    missing = [
        name for name in watched["loaded"] if name.startswith("coordhooks") and name.encode() not in data
    ]
    assert missing == []
    assert json.dumps(watched["events"])
