"""install.sh as a whole: finding a Python, refusing early, and one real installation."""

import errno
import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import platformdirs
import pytest

from coordhooks.errors import InstallError
from coordhooks.install import (
    environment,
    installer,
    interpreter,
    merge,
    pip,
    program,
    uninstall,
    wishes,
    wrapper,
)
from coordhooks.install.places import Places

CHECKOUT = Path(__file__).parents[2]
SCRIPT = CHECKOUT / "install.sh"
SHELLS = [s for s in ("dash", "bash", "busybox") if shutil.which(s)]


def run(
    *arguments: str,
    path: str = "/usr/bin:/bin",
    shell: str = "/bin/sh",
    script: Path = SCRIPT,
    **environ: str,
) -> "subprocess.CompletedProcess[str]":
    env = {"HOME": os.environ["HOME"], "PATH": path, **environ}
    return subprocess.run(
        [shell, script, *arguments],
        env=env,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("script", ["install.sh", "hooks/launch.sh"])
def test_g19_parses(shell: str, script: str) -> None:
    subprocess.run([shell, *(["sh"] if shell == "busybox" else []), "-n", CHECKOUT / script], check=True)


def test_uses_nothing_that_only_bash_knows() -> None:
    text = SCRIPT.read_text()
    assert text.startswith("#!/bin/sh\n")
    code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    for bashism in ("[[", "function ", "local ", "<<<", "${!", "source ", "&>", "pipefail", "readlink -f"):
        assert bashism not in code
    if shutil.which("shellcheck"):
        subprocess.run(["shellcheck", "-s", "sh", SCRIPT], check=True)


@pytest.fixture
def bin_(tmp_path: Path) -> Path:
    """A PATH with the tools of install.sh, but no Python."""
    folder = tmp_path / "a bin"
    folder.mkdir()
    for tool in ("dirname", "uname"):
        (folder / tool).symlink_to(shutil.which(tool) or "")
    return folder


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A copy of the source in an odd place, whose install.sh knows no Python at a fixed path."""
    folder = tmp_path / 'it\'s a "checkout" $x & co'
    folder.mkdir()
    for name in ("coordhooks", "skills"):
        (folder / name).symlink_to(CHECKOUT / name)
    (folder / "install.sh").write_text(
        SCRIPT.read_text().replace("/usr/", "/nowhere/").replace("/opt/", "/nowhere/")
    )
    return folder / "install.sh"


def stub(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


STUB = "#!/bin/sh\necho 'Python was not found; run without arguments to install'\nexit 49\n"
OLD = "#!/bin/sh\nexit 1\n"
LIAR = "#!/bin/sh\nexit 0\n"


@pytest.mark.parametrize("good", ["python", "python3", "python3.12"])
@pytest.mark.parametrize("bad", [STUB, OLD, LIAR], ids=["stub", "old", "liar"])
def test_g11_finds_the_python_that_works(bin_: Path, script: Path, good: str, bad: str) -> None:
    for name in ("python3.14", "python3.13", "python3"):
        if name != good:
            stub(bin_, name, bad)
    stub(bin_, good, f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    done = run("--dry-run", path=str(bin_), script=script)
    assert done.returncode == 0, done.stderr
    assert "would build" in done.stdout
    assert os.listdir(os.environ["HOME"]) == ["project"]


@pytest.mark.parametrize("arguments", [["--dry-run"], ["--dry-run", "--python", "{bad}"], ["--python={bad}"]])
def test_g11_no_python_is_said_and_nothing_is_written(bin_: Path, script: Path, arguments: list[str]) -> None:
    stub(bin_, "python3", STUB)
    done = run(*(a.format(bad=bin_ / "python3") for a in arguments), path=str(bin_), script=script)
    assert done.returncode == 1
    assert "3.11" in done.stderr
    assert os.listdir(os.environ["HOME"]) == ["project"]


def test_the_named_python_is_taken(bin_: Path, script: Path) -> None:
    named = bin_ / "my python"
    stub(bin_, "my python", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    stub(bin_, "python3", STUB)
    assert run("--python", str(named), "--dry-run", path=str(bin_), script=script).returncode == 0
    assert run("--dry-run", path=str(bin_), script=script, PYTHON=str(named)).returncode == 0


@pytest.mark.parametrize("shell", [s for s in SHELLS if s != "busybox"])
def test_dry_run_from_any_folder(shell: str, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    (home / "json.py").write_text("raise SystemExit('the project was imported')")
    monkeypatch.chdir(home)
    done = run(
        "--dry-run",
        "--python",
        sys.executable,
        shell=shutil.which(shell) or "",
        CDPATH="/",
        XDG_DATA_HOME="rel",
    )
    assert done.returncode == 0, done.stderr
    assert f"--- /dev/null\n+++ {home}/.claude/settings.json" in done.stdout
    assert str(home / ".local" / "share" / "coordhooks") in done.stdout or sys.platform == "darwin"
    assert sorted(os.listdir(home)) == ["json.py", "project"]


@pytest.mark.parametrize("content", ['{"a": 1,}', "// note\n{}", "[]"])
def test_g01_g02_refuses_before_anything_is_written(home: Path, content: str) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text(content)
    done = run("--python", sys.executable)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 2
    assert "`install.sh --snippet claude-code` prints them" in done.stderr
    assert sorted(p.name for p in home.rglob("*")) == [".claude", "project", "settings.json"]
    assert (home / ".claude" / "settings.json").read_text() == content


def test_another_coord_is_left_alone(home: Path) -> None:
    other = home / ".local" / "bin" / "coord"
    other.parent.mkdir(parents=True)
    other.write_text("#!/bin/sh\necho other\n")
    done = run("--python", sys.executable)
    assert done.returncode == 1
    assert "another program's" in done.stderr
    assert not (home / ".claude").exists()
    assert run("--uninstall", "--python", sys.executable).returncode == 0
    assert other.read_text() == "#!/bin/sh\necho other\n"


@pytest.mark.parametrize("said", [None, "", "relative", "~", "/nowhere/at/all"])
def test_a_home_that_is_not_said_is_not_guessed(said: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", said) if said is not None else monkeypatch.delenv("HOME")
    for act in (
        partial(installer.install, "user"),
        partial(installer.install, "user", dry_run=True),
        uninstall,
    ):
        with pytest.raises(InstallError, match=r"HOME.*; nothing was changed"):
            act()


def test_a_home_that_is_not_said_is_told_by_install_sh() -> None:
    done = run("--python", sys.executable, HOME="")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("install.sh: HOME is empty: set it (HOME=/")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders away")
def test_home_of_another_user(home: Path) -> None:
    os.chown(home, 12345, 12345)
    done = run("--python", sys.executable)
    assert done.returncode == 1
    assert "without sudo" in done.stderr
    assert os.listdir(home) == ["project"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
@pytest.mark.parametrize("name", [".claude/settings.json", ".codex/config.toml", ".codex/hooks.json"])
def test_a_pipe_in_a_files_place_is_said_and_hangs_nobody(home: Path, name: str) -> None:
    (home / name).parent.mkdir()
    os.mkfifo(home / name)
    done = run("--dry-run", "--trust-codex", "--python", sys.executable)
    assert (done.returncode, "not a regular file" in done.stderr) == (1, True), done.stderr


def test_started_by_a_link(home: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.sh"
    link.symlink_to(SCRIPT)
    done = run("--uninstall", "--python", sys.executable, script=link)
    assert (done.returncode, done.stdout) == (0, "nothing to change\n"), done.stderr


def test_purge_is_for_uninstall(home: Path) -> None:
    done = run("--purge", "--python", sys.executable)
    assert (done.returncode, "--uninstall" in done.stderr) == (2, True)
    assert os.listdir(home) == ["project"]


def test_uninstall_of_nothing(home: Path) -> None:
    done = run("--uninstall", "--purge", "--python", sys.executable)
    assert (done.returncode, done.stdout) == (0, "nothing to change\n")
    assert os.listdir(home) == ["project"]


@pytest.mark.parametrize("harness", wishes.HARNESSES)
def test_the_hooks_to_put_there_by_hand(harness: str, home: Path) -> None:
    done = run("--snippet", harness, "--python", sys.executable)
    assert (done.returncode, done.stderr) == (0, "")
    assert merge.installed(json.loads(done.stdout)) == sum(
        len(classes) or 1 for _, classes in wishes.HARNESSES[harness].EVENTS
    )
    assert os.listdir(home) == ["project"]


# -- the parts --------------------------------------------------------------------------------------------


def test_g19_a_lasting_path_is_preferred(tmp_path: Path) -> None:
    cellar = tmp_path / "Cellar" / "python@3.12" / "3.12.4" / "bin" / "python3"
    cellar.parent.mkdir(parents=True)
    shutil.copy(os.path.realpath(sys.executable), cellar)
    folder = tmp_path / "bin"
    folder.mkdir()
    assert interpreter.stable(str(cellar), (str(folder),)) == str(cellar)
    (folder / "python3").symlink_to(cellar)
    assert interpreter.stable(str(cellar), (str(folder),)) == str(folder / "python3")
    (folder / f"python3.{sys.version_info[1]}").symlink_to(cellar)
    assert interpreter.stable(str(cellar), (str(folder),)).endswith(f"python3.{sys.version_info[1]}")
    (folder / "python3").unlink()
    (folder / f"python3.{sys.version_info[1]}").unlink()
    (folder / "python3").symlink_to("/bin/sh")
    assert interpreter.stable(str(cellar), (str(folder),)) == str(cellar)


def test_never_built_on_a_virtual_environment() -> None:
    assert not interpreter.stable().startswith(sys.prefix + os.sep) or sys.prefix == sys.base_prefix


def test_places_are_those_of_platformdirs(home: Path) -> None:
    places = Places.here()
    assert places.data == platformdirs.user_data_dir("coordhooks")
    assert places.state == platformdirs.user_state_dir("coordhooks")
    assert places.config == platformdirs.user_config_dir("coordhooks")


def test_old_versions_go_but_the_one_before(places: Places) -> None:
    for name in ("2", "3", "4"):
        os.mkdir(os.path.join(places.versions, name))
        environment.activate(places, name)
    assert sorted(os.listdir(places.versions)) == ["3", "4"]
    assert os.readlink(places.current) == "versions/4"
    assert environment.activate(places, "4") == []


def test_the_name_follows_the_content(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "coordhooks").mkdir(parents=True)
    (source / "coordhooks" / "a.py").write_text("1")
    name = environment.version_name(str(source), "/usr/bin/python3")
    (source / "coordhooks" / "__pycache__").mkdir()
    (source / "coordhooks" / "__pycache__" / "a.pyc").touch()
    assert environment.version_name(str(source), "/usr/bin/python3") == name
    assert environment.version_name(str(source), "/opt/python3") != name
    (source / "coordhooks" / "a.py").write_text("2")
    assert environment.version_name(str(source), "/usr/bin/python3") != name


@pytest.mark.parametrize("home_name", ['it\'s a "home" $x & co'])
def test_the_command_runs_in_a_home_with_any_name(places: Places, home: Path) -> None:
    assert wrapper.write(places)
    assert wrapper.write(places) == []
    cli = Path(places.root, "coordhooks", "cli.py")
    cli.write_text("import sys\ndef main(): print(sys.argv); return 5\n")
    # The stand-in has no site-packages: without -I it finds its package in the current folder.
    Path(places.python).unlink()
    stub(Path(places.current, "bin"), "python3", f'#!/bin/sh\nshift; exec "{sys.executable}" "$@"\n')
    done = subprocess.run([places.coord, "b c"], cwd=places.root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (5, "['coord', 'b c']\n"), done.stderr
    shutil.rmtree(places.data)
    done = subprocess.run([places.coord], capture_output=True, text=True, check=False)
    assert done.returncode == 127
    assert "install.sh" in done.stderr


def fails(*_: str) -> None:
    raise InstallError("pip could not install coordhooks; nothing was changed.")


def full(*_: str) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def interrupted(*_: str) -> None:
    raise KeyboardInterrupt


def makes(python: str, folder: str) -> None:
    """An environment as far as it was filled before something failed."""
    Path(folder, "bin").mkdir(parents=True)
    Path(folder, "bin", "python3").touch()


FAILURES = [(pip, "make_environment", full), (pip, "install", fails), (pip, "install", interrupted),
            (environment, "_finish", full), (environment, "activate", full), (wrapper, "write", full)]  # fmt: skip


@pytest.mark.parametrize(
    ("module", "step", "failure"), FAILURES, ids=lambda part: getattr(part, "__name__", part)
)
def test_a_failed_installation_leaves_nothing(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, step: str, failure: Any
) -> None:
    for name, stand_in in (("make_environment", makes), ("install", lambda *_: None)):
        monkeypatch.setattr(pip, name, stand_in)
    monkeypatch.setattr(environment, "_finish", lambda *_: None)
    monkeypatch.setattr(environment, "version_name", lambda *_: "1")
    monkeypatch.setattr(module, step, failure)
    with pytest.raises((InstallError, OSError, KeyboardInterrupt)):
        program.put(str(tmp_path), sys.executable, Places.here(), lambda _: None)
    assert os.listdir(home) == ["project"]


def test_a_failed_upgrade_leaves_the_version_in_use(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "version_name", lambda *_: "2")
    monkeypatch.setattr(pip, "make_environment", makes)
    monkeypatch.setattr(pip, "install", fails)
    with pytest.raises(InstallError):
        program.put(str(tmp_path), sys.executable, places, lambda _: None)
    assert os.listdir(places.versions) == ["1-test"]
    assert os.path.exists(places.python)


def test_a_full_disk_is_named_beside_what_pip_says(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "NEEDED", 1 << 40)
    monkeypatch.setattr(environment, "version_name", lambda *_: "2")
    monkeypatch.setattr(pip, "make_environment", fails)
    with pytest.raises(InstallError, match=rf"(?s)pip could not.*Only \d+ MB are free in {places.versions}"):
        program.put(str(tmp_path), sys.executable, places, lambda _: None)


# -- for real ---------------------------------------------------------------------------------------------


def index_answers(folder: Path) -> bool:
    """Whether pip, set up as it is here, reaches its index."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--retries", "0", "hatchling"]
    return subprocess.run([*command, "-d", str(folder)], capture_output=True, check=False).returncode == 0


def copy_of_the_source(folder: Path) -> Path:
    """So that an edit of the source during the test is not another version. Its install.sh."""
    folder.mkdir()
    for name in ("coordhooks", "hooks", "schemas", "skills"):
        shutil.copytree(CHECKOUT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "install.sh"):
        shutil.copy(CHECKOUT / name, folder / name)
    return folder / "install.sh"


@pytest.mark.parametrize("home_name", ['it\'s a "home" $x & co'])
def test_a_whole_installation(home: Path, tmp_path: Path) -> None:
    if not index_answers(tmp_path / "index"):
        pytest.skip("the package index can't be reached: install.sh as a whole was NOT tested")
    keep = {
        k: v
        for k, v in os.environ.items()
        if k.startswith(("PIP_", "SSL_")) or k.lower().endswith("_proxy")
        if k not in ("PIP_DISABLE_PIP_VERSION_CHECK", "PIP_NO_CACHE_DIR", "PIP_CACHE_DIR")
    }
    script = copy_of_the_source(tmp_path / "a 'check out' [x]")
    first = run("--python", sys.executable, script=script, **keep)
    assert first.returncode == 0, first.stderr
    settings = home / ".claude" / "settings.json"
    assert str(settings) in first.stdout
    assert "not on your PATH" in first.stdout
    stamp = settings.stat().st_mtime_ns
    environments = os.listdir(home / ".local" / "share" / "coordhooks" / "versions")

    second = run("--python", sys.executable, path=f"/usr/bin:/bin:{home}/.local/bin", script=script, **keep)
    assert (second.returncode, second.stdout) == (0, "nothing to change\n")
    assert settings.stat().st_mtime_ns == stamp
    assert os.listdir(home / ".local" / "share" / "coordhooks" / "versions") == environments

    entry = json.loads(settings.read_bytes())["hooks"]["SessionEnd"][0]["hooks"][0]
    assert os.access(entry["args"][3], os.X_OK)
    assert Path(entry["args"][4], "coordhooks", "install", "__init__.py").exists()
    assert os.access(home / ".local" / "bin" / "coord", os.X_OK)

    gone = run("--uninstall", "--python", sys.executable, script=script, **keep)
    assert gone.returncode == 0, gone.stderr
    assert set(os.listdir(home)) - {".rustup"} == {"project"}  # what a package is built with may leave that
