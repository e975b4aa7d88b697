"""Case g16: SIGKILL at every system call that writes. Each file is old or new, and what comes next repairs the rest."""

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from harness import torture

from coordhooks.install.places import Places
from install.program import program

# What changes a file system; signals are injected as the call is entered.
WRITES = (
    *(
        "write",
        "pwrite64",
        "rename",
        "renameat",
        "renameat2",
        "link",
        "linkat",
        "symlink",
        "symlinkat",
        "unlink",
    ),
    *("unlinkat", "rmdir", "mkdir", "mkdirat", "fsync", "fdatasync", "fchown", "chmod", "fchmod", "fchmodat"),
    *("utimensat", "ftruncate", "sendfile", "copy_file_range"),
)
RUN = (
    "import sys; from coordhooks.install import __main__, safefile; safefile.SETTLE_SECONDS = 0;"
    " sys.exit(__main__.main())"
)
INSTALL = ("install", "--allow-coord", "--trust-codex")
UNINSTALL = ("uninstall",)
FILES = {
    ".claude/settings.json": '{\n\t"model": "opus",\n\t"hooks": {}\n}',
    ".codex/hooks.json": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}}\r\n',
    ".codex/config.toml": '# mine\nmodel = "x"\n[features]\nfoo = true # yes\n',
}
State = dict[str, str | None]


class Machine:
    """A home with the files of a user and an installed program, made anew for every kill."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def anew(self) -> None:
        shutil.rmtree(self.home)
        (self.home / "project").mkdir(parents=True)
        self.repair()
        for name, content in FILES.items():
            (self.home / name).parent.mkdir(exist_ok=True)
            (self.home / name).write_text(content, newline="")

    def repair(self) -> None:
        """What install.sh puts there before it starts what is tested here."""
        program(Places.here({"HOME": str(self.home)}, cwd=str(self.home / "project")))

    def run(self, arguments: tuple[str, ...], *strace: str) -> int:
        """The exit code of the installer, negative for a signal."""
        command = [*strace, sys.executable, "-B", "-c", RUN, *arguments]
        environ = {"HOME": str(self.home), "PATH": "/usr/bin:/bin"}
        done = subprocess.run(
            command, env=environ, cwd=self.home / "project", capture_output=True, check=False, timeout=60
        )
        assert done.returncode <= 0, done.stderr.decode()
        return done.returncode

    def state(self) -> State:
        found = {name: self.home / name for name in FILES}
        return {name: path.read_bytes().decode() if path.exists() else None for name, path in found.items()}

    def listing(self) -> list[str]:
        """Everything but the program, which is not what is looked at."""
        ours = self.home / ".local"
        return sorted(str(p) for p in self.home.rglob("*") if ours not in (p, *p.parents))


@pytest.fixture
def machine(home: Path) -> Machine:
    if not shutil.which("strace"):
        pytest.skip("no strace: SIGKILL at each system call was NOT tested")
    return Machine(home)


def points(machine: Machine, arguments: tuple[str, ...], log: Path) -> list[tuple[str, int]]:
    """(system call, how many before it) of everything that a whole run writes."""
    known = ",".join(f"?{name}" for name in WRITES)
    machine.run(arguments, "strace", "-f", "-qq", "-o", str(log), "-e", f"trace={known}")
    counts = Counter(re.findall(r"(?m)^\d+ +(\w+)\(", log.read_text()))
    return [(name, number) for name, count in sorted(counts.items()) for number in range(1, count + 1)]


@pytest.mark.parametrize("arguments", [INSTALL, UNINSTALL], ids=["g16-install", "g16-uninstall"])
def test_killed_at_each_system_call_that_writes(
    machine: Machine, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    machine.anew()
    untouched, tree = machine.state(), machine.listing()
    before = None if arguments is INSTALL else INSTALL
    if before:
        machine.run(before)
    old = machine.state()
    found = points(machine, arguments, tmp_path / "log")
    new = machine.state()
    assert old != new
    assert len(found) > 20
    for name, number in found[:: max(1, len(found) // torture.count(8, len(found)))]:
        machine.anew()
        if before:
            machine.run(before)
        kill = f"inject={name}:signal=SIGKILL:when={number}"
        code = machine.run(
            arguments, "strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={name}", "-e", kill
        )
        assert code == -9, (name, number)
        for file, content in machine.state().items():
            assert content in (old[file], new[file]), (name, number, file)
        machine.repair()
        if arguments is INSTALL:
            machine.run(INSTALL)
            assert machine.state() == new, (name, number)
        machine.run(UNINSTALL)
        assert (machine.state(), machine.listing()) == (untouched, tree), (name, number)
        assert not (machine.home / ".local/share/coordhooks").exists() or arguments is INSTALL, (name, number)
