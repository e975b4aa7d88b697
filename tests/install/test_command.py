"""The written command, run for real (cases g06, g11, g12, g13, g19)."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from coordhooks.install import claude_code, install
from coordhooks.install.command import SCRIPT
from coordhooks.install.places import Places

PAYLOAD = b'{"tool_input": {"command": "echo \\"$HOME\\" `id` \'x\'"}, "odd": "\xc3\xa9\\u0000"}\n'
SHELLS = [s for s in ("dash", "bash", "busybox") if shutil.which(s)]
NAMES = [
    'it\'s a "home" $x & co',
    "two  spaces",
    "new\nline",
    "-dash",
    "Ünï",
    "back\\slash",
    "`id`;$(id)",
    "%s",
]


def run(entry: Any, *, path: str | None = "/usr/bin:/bin", shell: list[str] | None = None) -> Any:
    """What comes out of a hook entry, started as the harness does: no shell around it, any folder."""
    environ = {
        "HOME": "/nonexistent",
        "PYTHONPATH": os.getcwd(),
        "PYTHONWARNINGS": "error",
        "PYTHONHOME": "/x",
    }
    if path is not None:
        environ["PATH"] = path
    done = subprocess.run(
        [*(shell or [entry["command"]]), *entry["args"]],
        input=PAYLOAD,
        capture_output=True,
        env=environ,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode()
    return json.loads(text) if text.startswith("{") else ast.literal_eval(text)


def entries(places: Places) -> list[Any]:
    install("user")
    hooks = json.loads(Path(places.claude_config, "settings.json").read_bytes())["hooks"]
    return [handler for groups in hooks.values() for group in groups for handler in group["hooks"]]


def file_entry(places: Places) -> Any:
    return next(e for e in entries(places) if e.get("onFailure"))


@pytest.mark.parametrize("home_name", NAMES)
def test_g06_every_entry_runs_in_a_home_with_any_name(settings: Path, places: Places) -> None:
    for entry in entries(places)[:6]:
        arguments, stdin, path, isolated = run(entry)
        assert arguments == entry["args"][5:]
        assert arguments[:2] == ["--harness", claude_code.NAME]
        assert stdin == PAYLOAD
        assert path[0] == places.root
        assert isolated == 1


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("path", ["/usr/bin:/bin", "", None])
@pytest.mark.parametrize("broken", [False, True])
def test_g11_any_shell_and_no_path(
    settings: Path, places: Places, shell: str, path: str | None, broken: bool
) -> None:
    entry = file_entry(places)
    if broken:
        Path(places.python).unlink()
        if not shutil.which("python3", path="/usr/bin:/usr/local/bin"):
            pytest.skip("no other interpreter in a usual place")
    full = shutil.which(shell) or ""
    arguments, stdin, _, _ = run(entry, path=path, shell=[full, "sh"] if shell == "busybox" else [full])
    assert (arguments, stdin) == (entry["args"][5:], PAYLOAD)


def test_the_usual_case_starts_no_second_process(settings: Path, places: Places) -> None:
    entry = file_entry(places)
    Path(places.root, "coordhooks", "hook.py").write_text("import os\ndef main(): print(os.getpid())\n")
    process = subprocess.Popen(
        [entry["command"], *entry["args"]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    out, _ = process.communicate()
    assert int(out) == process.pid


def stub(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


def test_g11_stubs_and_old_ones_are_passed_over(settings: Path, places: Places, tmp_path: Path) -> None:
    """A store stub (exit 49), an old Python, one that eats stdin; then a good one under the last name."""
    entry = file_entry(places)
    Path(places.python).unlink()
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    stub(bin_, "python3", "#!/bin/sh\necho Python was not found\nexit 49\n")
    stub(bin_, "python3.14", '#!/bin/sh\n[ "$3" = -c ] && exit 1\necho wrong\n')
    stub(bin_, "python3.13", "#!/bin/sh\ncat >/dev/null\nexit 1\n")
    (bin_ / "python3.12").symlink_to(sys.executable)
    without_fixed_places(places)
    arguments, stdin, _, _ = run(entry, path=f"{bin_}:/usr/bin:/bin")
    assert (arguments, stdin) == (entry["args"][5:], PAYLOAD)


def test_g11_no_interpreter_at_all_is_visible_and_blocks_nothing(
    settings: Path, places: Places, tmp_path: Path
) -> None:
    entry = file_entry(places)
    Path(places.python).unlink()
    without_fixed_places(places)
    assert "no Python 3.11" in run(entry, path=str(tmp_path))["systemMessage"]


def without_fixed_places(places: Places) -> None:
    """As on a machine with nothing at the fixed paths."""
    launcher = Path(places.root, "coordhooks", "_hooks", "launch.sh")
    launcher.write_text(launcher.read_text().replace("/usr/", "/nowhere/").replace("/opt/", "/nowhere/"))


@pytest.mark.parametrize("gone", ["data", "root", "hook", "launcher", "boot", "broken import", "cut file"])
def test_g12_a_program_that_is_gone_is_visible_and_blocks_nothing(
    settings: Path, places: Places, gone: str
) -> None:
    entry = file_entry(places)
    hook = Path(places.root, "coordhooks", "hook.py")
    match gone:
        case "data":
            shutil.rmtree(places.data)
        case "root":
            shutil.rmtree(hook.parent)
        case "hook":
            hook.unlink()
        case "launcher":
            (hook.parent / "_hooks" / "launch.sh").unlink()
        case "boot":
            (hook.parent / "_hooks" / "boot.py").unlink()
        case "broken import":
            hook.write_text("from coordhooks import half_of_it_is_gone\n")
        case "cut file":
            hook.write_text("def main(:\n")
    answer = run(entry)
    assert list(answer) == ["systemMessage"]
    assert "install.sh" in answer["systemMessage"]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("broken", ["folder", "loader"])
def test_an_interpreter_that_can_not_start_blocks_nothing(
    settings: Path, places: Places, shell: str, broken: str
) -> None:
    """A half removed one: executable, but its loader is gone. Either another one answers, or a warning does."""
    entry = file_entry(places)
    Path(places.python).unlink()
    if broken == "folder":
        Path(places.python).mkdir()
    else:
        stub(Path(places.python).parent, "python3", "#!/nowhere/loader\n")
    full = shutil.which(shell) or ""
    done = subprocess.run(
        [full, *(["sh"] if shell == "busybox" else []), *entry["args"]],
        input=PAYLOAD,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    text = done.stdout.decode()
    assert text.startswith("(['--harness'") or list(json.loads(text)) == ["systemMessage"]


@pytest.mark.parametrize("other", [True, False], ids=["another one", "no other"])
def test_an_interpreter_without_its_library_blocks_nothing(
    settings: Path, places: Places, tmp_path: Path, other: bool
) -> None:
    """It starts and ends with 1, which Claude Code would take for a refusal of every write."""
    entry = file_entry(places)
    Path(places.python).unlink()
    stub(Path(places.python).parent, "python3", "#!/bin/sh\necho Fatal Python error >&2\nexit 1\n")
    Path(places.root).with_name("stdlib").symlink_to(tmp_path / "removed")
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    if other:
        (bin_ / "python3").symlink_to(sys.executable)
    without_fixed_places(places)
    answer = run(entry, path=str(bin_))
    assert answer[1] == PAYLOAD if other else "no Python 3.11" in answer["systemMessage"]


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
@pytest.mark.parametrize("linked", [True, False], ids=["linked library", "no link"])
@pytest.mark.parametrize("other", [True, False], ids=["another one", "no other"])
def test_an_interpreter_that_dies_blocks_nobody_after_the_next_prompt(
    settings: Path, places: Places, tmp_path: Path, event: str, linked: bool, other: bool
) -> None:
    """However it is broken, its library being there; and it is taken again when it is well."""
    written = entries(places)
    file, prompt = (
        next(e for e in written if said(e) == words) for words in (("PreToolUse", "file"), (event, ""))
    )
    if linked:
        Path(places.root).with_name("stdlib").symlink_to(os.path.dirname(os.__file__))
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    if other:
        (bin_ / "python3").symlink_to(sys.executable)
    without_fixed_places(places)
    Path(places.python).unlink()
    stub(Path(places.python).parent, "python3", "#!/bin/sh\nexit 1\n")
    for entry in (prompt, file, file):
        answer = run(entry, path=str(bin_))
        assert answer[1] == PAYLOAD if other else "no Python 3.11" in answer["systemMessage"]
    Path(places.python).unlink()
    Path(places.python).symlink_to(sys.executable)
    for entry in (prompt, file):
        assert run(entry, path=str(tmp_path))[1] == PAYLOAD
    assert (Path(places.root).with_name("stdlib") / "encodings" / "__init__.py").exists()


def said(entry: Any) -> tuple[str, str]:
    """The event and the class of tools in an entry."""
    words = dict(zip(entry["args"][5::2], entry["args"][6::2], strict=True))
    return words["--event"], words.get("--class", "")


def test_g19_an_interpreter_whose_library_has_moved_is_still_the_one(
    settings: Path, places: Places, tmp_path: Path
) -> None:
    """As after an upgrade by a package manager that has a folder for each release."""
    entry = file_entry(places)
    Path(places.root).with_name("stdlib").symlink_to(tmp_path / "removed")
    without_fixed_places(places)
    assert run(entry, path=str(tmp_path))[1] == PAYLOAD


def test_the_exit_code_of_the_program_is_kept(settings: Path, places: Places) -> None:
    entry = file_entry(places)
    Path(places.root, "coordhooks", "hook.py").write_text("def main(): return 2\n")
    done = subprocess.run([entry["command"], *entry["args"]], input=PAYLOAD, check=False)
    assert done.returncode == 2


def test_g13_nothing_of_the_project_is_imported(settings: Path, places: Places) -> None:
    entry = file_entry(places)
    for name in ("json.py", "sqlite3.py", "types.py", "coordhooks.py", "sitecustomize.py"):
        Path(name).write_text("open('marker', 'w'); raise SystemExit(3)\n")
    Path(places.root, "coordhooks", "hook.py").write_text(
        "import json, sqlite3, types\ndef main(): print(json.dumps({'systemMessage': 'fine'}))\n"
    )
    assert run(entry) == {"systemMessage": "fine"}
    assert not Path("marker").exists()
    assert not Path("__pycache__").exists()


def test_nothing_is_written_beside_the_program(settings: Path, places: Places) -> None:
    run(file_entry(places))
    assert not Path(places.root, "coordhooks", "__pycache__").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_g19_the_script_parses_and_is_one_line(shell: str, tmp_path: Path) -> None:
    (tmp_path / "script").write_text(SCRIPT)
    extra = ["sh"] if shell == "busybox" else []
    subprocess.run([shell, *extra, "-n", tmp_path / "script"], check=True)
    assert "\n" not in SCRIPT
    assert len(SCRIPT) < 1200
