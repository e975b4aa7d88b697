"""A checkout in which two conversations have left work, judged by the hook's own code and looked at by real git."""

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

from harness.git import NEUTRAL

from coordhooks.handlers import attendance, pre_tool_use
from coordhooks.harness import claude_code
from coordhooks.hook import Surroundings
from coordhooks.locations import DATABASE
from coordhooks.model import SHELL, Event, Identity
from coordhooks.paths import locate
from coordhooks.store import writes
from coordhooks.store.db import Database, Transaction

ME, OTHER = "sess-me", "sess-other"
OWNERS = ("mine", "other", "both", "nobody")
# How a file of the first commit, and one that is not in it, can stand.
TRACKED = (
    "clean", "changed", "staged", "staged and changed", "deleted", "deletion staged", "untracked again",
)  # fmt: skip
FRESH = ("untracked", "added", "added and changed", "added and gone")
FOLDERS = ("", "src/", "src/deep/", "odd dir/", "fresh/")
NAMES = (
    "plain.py", "it's [1].py", "-dash.py", "ünï.py", ":colon.py", "a*b.py", "$HOME.py", "back\\slash.py", "!bang.py", "#no.py",
    "~tilde.py", "z.py", '"quoted".py', "two\nlines.py", "?.py", "@at.py",
)  # fmt: skip
ENVIRON = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")}, **NEUTRAL,
    "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"], "GIT_EDITOR": "true",
}  # fmt: skip

State = dict[str, tuple[object, ...]]
LANDED = "x  =  1\n"  # what the last commit holds


class Checkout:
    """``files`` maps each name to whose it is; ``cwd`` is where the shell of the caller stands."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repo = folder / "repo"
        self.files: dict[str, str] = {}
        self.cwd = ""

    @property
    def others(self) -> set[str]:
        return {name for name, owner in self.files.items() if owner in ("other", "both")}

    def copy(self, folder: Path) -> "Checkout":
        """The same at another place; git finds its index fresh there."""
        shutil.copytree(self.repo, folder / "repo", symlinks=True)
        made = Checkout(folder)
        made.files, made.cwd = self.files, self.cwd
        return made

    def run(self, command: str) -> "subprocess.CompletedProcess[str]":
        """The command as the caller's shell runs it."""
        return subprocess.run(
            ["bash", "-c", command], cwd=self.repo / self.cwd, env=ENVIRON, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=30, check=False, errors="surrogateescape",
        )  # fmt: skip

    def git(self, *arguments: str, data: str = "") -> str:
        done = subprocess.run(
            ["git", "-C", str(self.repo), "--literal-pathspecs", *arguments], env=ENVIRON, input=data, check=True,
            capture_output=True, text=True, errors="surrogateescape",
        )  # fmt: skip
        return done.stdout

    def look(self) -> State:
        """What lies in the folder, in the index, in HEAD and in the stash, of each file."""
        index = _entries(self.git("ls-files", "-s", "-z"))
        head = _entries(self.git("ls-tree", "-r", "-z", "HEAD"))
        stashed = (self.repo / ".git/refs/stash").exists()
        stash = _entries(self.git("ls-tree", "-r", "-z", "stash@{0}")) if stashed else {}
        if stashed and self.git("rev-list", "--parents", "-1", "stash@{0}").count(" ") == 3:
            stash |= _entries(self.git("ls-tree", "-r", "-z", "stash@{0}^3"))
        return {
            name: (_content(self.repo / name), index.get(name), head.get(name), stash.get(name))
            for name in self.files
        }


def _entries(output: str) -> dict[str, str]:
    return {
        name: what.split()[-2] if what.split()[1] not in ("blob", "tree") else what.split()[2]
        for what, _, name in (line.partition("\t") for line in output.split("\0") if line)
    }


def _content(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def template(folder: Path, seed: int) -> Checkout:
    """A scene: every folder with files of everybody's in every state, as the seed wants it."""
    dice = random.Random(seed)
    made = Checkout(folder)
    made.repo.mkdir(parents=True)
    made.git("init", "-q", "-b", "main")
    for key, value in (
        ("user.name", "A"),
        ("user.email", "a@b"),
        ("gc.auto", "0"),
        ("commit.gpgsign", "false"),
    ):
        made.git("config", key, value)
    states = {}
    for inside in FOLDERS:
        for name in dice.sample(NAMES[: None if dice.random() < 0.2 else 6], 3):
            fresh = inside == "fresh/" or dice.random() < 0.3
            states[inside + name] = dice.choice(
                ("untracked",) if inside == "fresh/" else FRESH if fresh else TRACKED
            )
            made.files[inside + name] = dice.choice(OWNERS)
    for name in ("src/mine.py", "src/other.py"):  # something of each is always there to be swept
        states[name], made.files[name] = dice.choice(("changed", "staged")), name[4:-3]
    _commit(made, states)
    for name, state in states.items():
        _set(made, name, state)
    made.cwd = dice.choice(("", "", "src", "odd dir"))
    (made.repo / made.cwd).mkdir(exist_ok=True)
    return made


def _commit(made: Checkout, states: dict[str, str]) -> None:
    for content in ("0", "1"):
        for name, state in states.items():
            if state in TRACKED:
                _write(made, name, content)
        _write(made, "src/keep.txt", content)
        made.git("add", "-A")
        made.git("commit", "-q", "-m", content)


def _write(made: Checkout, name: str, value: str) -> None:
    path = made.repo / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"x  =  {value}\n", encoding="utf-8")


def _set(made: Checkout, name: str, state: str) -> None:
    if "staged" in state.split() or "added" in state.split():
        if state == "deletion staged":
            made.git("rm", "-q", "--", name)
        else:
            _write(made, name, "2")
            made.git("add", "--", name)
    if state == "untracked again":
        made.git("rm", "-q", "--cached", "--", name)
    if state.endswith(("changed", "untracked", "again")):
        _write(made, name, "3")
    if state in ("deleted", "added and gone"):
        (made.repo / name).unlink()


class Judge:
    """The hook of the caller, and what the store knows of a checkout."""

    def __init__(self, checkout: Checkout, *, busy: bool) -> None:
        self.checkout = checkout
        self.around = Surroundings.__new__(Surroundings)
        self.around.adapter, self.around.environ = claude_code, ENVIRON  # type: ignore[assignment]
        self.around.state_dir = str(checkout.folder)
        self.around.db = Database(str(checkout.folder / DATABASE), time.time, 3.0)
        self.around.here = self.around.db.here
        self.around.process = Identity(host=self.around.here.host)
        with Transaction(self.around.db) as tx:
            rows = {who: attendance.attend(tx, self._event(who), self.around) for who in (ME, OTHER)}
            for name, owner in checkout.files.items():
                target = locate(name, str(checkout.repo), follow=False)
                for who in {"mine": (ME,), "other": (OTHER,), "both": (ME, OTHER)}.get(owner, ()):
                    writes.record(tx, rows[who], target)
            if busy:
                tx.run("UPDATE runtimes SET turn_at = ? WHERE conversation_id = ?", tx.now, OTHER)

    def _event(self, who: str, command: str = "") -> Event:
        event = Event("pre_tool_use", "claude-code", who)
        event.cwd, event.tool_class, event.tool = str(self.checkout.repo / self.checkout.cwd), SHELL, "Bash"
        event.tool_input, event.call_id = {"command": command}, f"call-{command}"
        return event

    def denied(self, command: str) -> str:
        """The text of the refusal of the caller's command, or an empty one."""
        text = pre_tool_use.handle(self._event(ME, command), self.around).deny
        with Transaction(self.around.db) as tx:
            tx.run("DELETE FROM leases")
        return text

    def close(self) -> None:
        self.around.db.close()


class Scene:
    """A checkout as two conversations left it, in which the other one is at work or away."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.checkout = template(folder, seed)
        self.judge = Judge(self.checkout, busy=bool(seed % 2))
        self.before = self.checkout.look()
