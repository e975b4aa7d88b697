"""What the caller's rules about a shared checkout get to know of git and jj commands."""

from pathlib import Path

import pytest
from harness.git import make_repository

from coordhooks.targets import shell
from coordhooks.targets.shell.verdict import TREE

FACTS = {
    "git add -A": ("add-all", ()),
    "git add .": ("add-all", (".",)),
    "git add -u": ("add-all", ()),
    "git add src": ("add-all", ("src",)),
    "git add src/a.py 'odd name'": ("add", ("src/a.py", "odd name")),
    "git commit -m x": ("commit", ()),
    "git commit -am x": ("commit-all", ()),
    "git commit -m x -- src/a.py": ("commit", ("src/a.py",)),
    "git stash": ("stash", ()),
    "git stash push -m x src/a.py": ("stash", ("src/a.py",)),
    "git stash drop": ("stash-drop", ()),
    "git stash pop": ("stash-pop", ()),
    "git reset --hard HEAD~1": ("reset-hard", ("HEAD~1",)),
    "git reset src/a.py": ("unstage", ("src/a.py",)),
    "git reset HEAD -- src gone": ("unstage", ("src", "gone")),
    "git reset --keep HEAD": ("reset", ("HEAD",)),
    "git symbolic-ref HEAD refs/heads/x": ("symbolic-ref", ()),
    "git update-ref HEAD abc": ("update-ref", ()),
    "git branch -m new": ("rename-branch", ("new",)),
    "git branch -M old new": ("rename-branch", ("old", "new")),
    "git switch --detach": ("branch", ()),
    "git checkout main": ("switch", ("main",)),
    "git checkout -b topic": ("branch", ()),
    "git checkout -- src/a.py": ("checkout-tree", ("src/a.py",)),
    "git checkout src/a.py": ("checkout-tree", ("src/a.py",)),
    "git checkout HEAD~1 -- src": ("checkout-tree", ("src",)),
    "git checkout .": ("checkout-tree", (".",)),
    "git restore .": ("checkout-tree", (".",)),
    "git restore --staged src/a.py": ("unstage", ("src/a.py",)),
    "git switch main": ("switch", ("main",)),
    "git clean -fdx src": ("clean", ("src",)),
    "git rebase main": ("rebase", ("main",)),
    "git merge --ff-only main": ("merge", ("main",)),
    "git pull": ("pull", ()),
    "git apply x.diff": ("apply", ()),
    "git rm src/a.py": ("remove", ("src/a.py",)),
    "jj squash": ("jj", ()),
}  # fmt: skip

READING = (
    "git status", "git fetch --all", "git push origin main", "git stash list", "git stash show -p", "git add -n .", "git clean -nd",
    "git apply --check x.diff", "git branch -a", "git tag v1", "git worktree list", "git remote -v", "git config user.name x", "git commit --dry-run",
    "git checkout --help", "git stash create", "git submodule update --init --recursive", "git symbolic-ref --short HEAD",
    "git branch --merged", "git branch -vv", "git symbolic-ref HEAD", "git update-ref refs/x/y HEAD", "git branch -d gone",
    "jj log", "jj diff --ignore-working-copy", "jj git push", "git diff --stat", "git log -p -- src/a.py",
)  # fmt: skip


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo")


@pytest.mark.parametrize("command", FACTS)
def test_operation_and_paths(command: str, repo: Path) -> None:
    verdict = shell.judge(command, str(repo), home="/h")
    assert [(git.operation, git.paths) for git in verdict.git] == [FACTS[command]]
    assert verdict.git[0].folder == str(repo)
    assert not verdict.untold


@pytest.mark.parametrize("command", READING)
def test_reading_forms_write_nothing(command: str, repo: Path) -> None:
    assert shell.judge(command, str(repo), home="/h").nothing


def test_the_directory_is_the_one_reached(repo: Path) -> None:
    verdict = shell.judge("cd src && git -C ../lib checkout -- a.py", str(repo), home="/h")
    assert verdict.git[0].folder == str(repo / "lib")
    (target, _), *others = shell.targets_of(verdict)
    assert (target.path, others) == (str(repo / "lib/a.py"), [])


def test_options_are_told(repo: Path) -> None:
    verdict = shell.judge("git merge --ff-only main", str(repo), home="/h")
    assert "--ff-only" in verdict.git[0].options


def test_a_tree_is_the_whole_working_tree_from_anywhere_in_it(repo: Path) -> None:
    verdict = shell.judge("cd src && git reset --hard", str(repo), home="/h")
    ((target, write),) = shell.targets_of(verdict)
    assert (write.kind, target.path, target.folder) == (TREE, str(repo), True)


@pytest.mark.parametrize("command", ["git st", "git -c alias.x='!rm x' x", 'git "$SUB"', "git difftool"])
def test_aliases_and_programs_of_git_cannot_be_told(command: str, repo: Path) -> None:
    assert shell.judge(command, str(repo), home="/h").untold
