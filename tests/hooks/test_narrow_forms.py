"""The form that a refusal prints is run for real: it is not refused, it works, it leaves what is others' alone, and
does to one's own files what the refused command would have done.
"""

import re
from pathlib import Path

import pytest
from harness import torture

from hooks.shared_checkout import LANDED, Checkout, Scene

SCENES = torture.count(6, 40)
PARTS = torture.count(3, 1)  # of the commands, of which a scene takes one

SWEEPS = (
    "git add -A", "git add .", "git add -u", "git add -A .", "git add --all :/", "git add -v src", "git add '*.py'", "git add -f .",
    "git add -N .", "cd src && git add -A", "git -C src add .", "git stage -A", 'git -C "$PWD" add -A',
    "git commit -a -m x", "git commit -qam x", "git commit -a --amend --no-edit", "git commit -m x", "git commit -m x src",
    "git commit -m x -- src", "git commit -i -m x src", "git commit -m x -- '*.py'", "git commit -m x .",
    "git stash", "git stash -u", "git stash push -k", "git stash push -m x", "git stash push src", "git stash save x",
    "git stash -S", "git stash push -u -- src",
    "git reset", "git reset HEAD", "git reset -q .", "git reset HEAD -- src", "git restore --staged .",
    "git reset --hard", "git reset --hard HEAD", "git checkout -f", "git switch -f main",
    "git checkout .", "git checkout -- .", "git checkout HEAD -- .", "git checkout HEAD~1 -- src", "git checkout -- '*.py'",
    "git restore .", "git restore -SW .", "git restore -s HEAD~1 src", "git restore :/", "cd src && git restore .",
    "git clean -fd", "git clean -f", "git clean -fd src", "git clean -fdx", "git clean -fdX", "cd src && git clean -fd",
    "git rm -r --cached src", "git rm -r --cached .", "git rm -rf src", "git rm -rfq --cached '*.py'",
    "ruff format .", "ruff format src", "ruff check --fix .",
)  # fmt: skip


def step(denied: str) -> str:
    """The command that a refusal recommends; empty if it has none ready to run."""
    found = re.search(
        r"Next: run (?:it over your own files only: )?`((?:git|ruff) .+?)`(?:\.|$)", denied, re.DOTALL
    )
    return found[1] if found else ""


class Trial:
    """One command in one scene: what it would have done, and what its narrow form did."""

    def __init__(self, scene: Scene, command: str, folder: Path) -> None:
        self.command, self.scene = command, scene
        self.checkout, self.before = scene.checkout, scene.before
        self.problems: list[str] = []
        self.said = scene.judge.denied(command)
        self.form = step(self.said)
        whole = self.checkout.copy(folder / "whole")
        self.worked = not whole.run(command).returncode
        self.wide = whole.look()
        if not self.said:
            self._let_through()
        elif self.form:
            self._narrowed(self.checkout.copy(folder / "narrow"))

    def problem(self, text: str) -> None:
        self.problems.append(f"`{self.command}` in {self.checkout.cwd or '.'}, form `{self.form}`: {text}")

    def _let_through(self) -> None:
        for name in self.checkout.others:
            if self.wide[name][:3] != self.before[name][:3] and not self._landed(name):
                self.problem(f"took {name!r} of another from {self.before[name]} to {self.wide[name]}")

    def _landed(self, name: str) -> bool:
        """A file that is as it was committed is nobody's work."""
        content, index, head, _ = self.before[name]
        return index == head and content == (None if head is None else LANDED)

    def _narrowed(self, narrow: Checkout) -> None:
        again = self.scene.judge.denied(self.form)
        if again:
            self.problem(f"is refused itself: {again}")
        done = narrow.run(self.form)
        if done.returncode and self.worked:
            self.problem(f"failed: {done.stderr}")
            return
        now = narrow.look()
        for name, owner in sorted(self.checkout.files.items()):
            if not self.worked and (owner not in ("other", "both") or self._landed(name)):
                continue  # git refused the whole command for the sake of such a file
            if not any(one[: LOOKS[owner]] == now[name][: LOOKS[owner]] for one in self._wanted(name, owner)):
                self.problem(
                    f"{name!r} ({owner}) went from {self.before[name]} to {now[name]}, not {self.wide[name]}"
                )

    def _wanted(self, name: str, owner: str) -> list[tuple[object, ...]]:
        """Others' work stays; one's own is as after the whole command; what is nobody's may be either."""
        if owner == "mine" and not self._landed(name):
            return [self.wide[name]]
        return (
            [self.before[name], self.wide[name]]
            if owner in ("mine", "nobody") or self._landed(name)
            else [self.before[name]]
        )


# How much of a file's state is compared: a stash of one's own files keeps the whole index beside, as git makes it.
LOOKS = {"mine": 4, "other": 3, "both": 3, "nobody": 3}


@pytest.mark.parametrize("seed", range(SCENES))
def test_the_form_of_a_refusal_does_it_to_ones_own_files_alone(tmp_path: Path, seed: int) -> None:
    commands = SWEEPS[seed % PARTS :: PARTS]
    scene = Scene(tmp_path / "scene", seed)
    try:
        trials = [Trial(scene, command, tmp_path / str(number)) for number, command in enumerate(commands)]
    finally:
        scene.judge.close()
    problems = [problem for trial in trials for problem in trial.problems]
    assert not problems, "\n".join(problems)
