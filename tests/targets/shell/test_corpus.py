"""Commands as files, each run for real in a scratch repository: the verdict must name every file that changed, or
say that it can't be told, and none that did not.

A file of ``corpus`` holds commands, each below a line ``#: what it shows``.
"""

import itertools
import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from harness import torture

from coordhooks.targets import shell

from . import scratch

CORPUS = Path(__file__).parent / "corpus"
SAMPLE = 2  # every so many commands a default run takes
PROGRAMS = (
    "busybox", "bzip2", "cc", "cpio", "curl", "ed", "ex", "flock", "make", "node", "patch", "ruby", "unzip", "vim", "xxd", "xz",
    "zip", "ar",
)  # fmt: skip


class Case:
    """One command of the corpus."""

    def __init__(self, theme: str, title: str, command: str) -> None:
        self.name = f"{theme}: {title}"
        self.command = command

    @property
    def missing(self) -> str:
        """A program that the command needs and that is not here."""
        words = self.command.replace("|", " ").replace(";", " ").replace("(", " ").split()
        return next((name for name in PROGRAMS if name in words and not shutil.which(name)), "")


def cases() -> list[Case]:
    """The whole corpus."""
    found = []
    for file in sorted(CORPUS.glob("*.sh")):
        for part in ("\n" + file.read_text()).split("\n#: ")[1:]:
            title, _, command = part.partition("\n")
            found.append(Case(file.stem, title, command))
    return found


def judged_and_run(case: Case, template: Path, folder: Path) -> scratch.Outcome:
    scratch.copy(template, folder)
    verdict = shell.judge(case.command, str(folder / "repo"), home=str(folder / "home"))
    before = scratch.snapshot(folder)
    scratch.run(case.command, folder)
    outcome = scratch.Outcome(verdict, before, scratch.snapshot(folder), folder)
    shutil.rmtree(folder, ignore_errors=True)
    return outcome


def test_the_corpus_has_enough_commands() -> None:
    assert len(cases()) >= 300
    assert len({case.command for case in cases()}) == len(cases())


def test_every_changed_file_is_named_or_untold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    template = tmp_path / "template"
    scratch.make(template)
    chosen = list(itertools.islice(cases(), 0, None, torture.count(SAMPLE, 1)))
    skipped = {case.missing for case in chosen if case.missing}
    chosen = [case for case in chosen if not case.missing]
    numbers = itertools.count()
    lock = threading.Lock()

    def one(case: Case) -> scratch.Outcome:
        with lock:
            number = next(numbers)
        return judged_and_run(case, template, tmp_path / str(number))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(one, chosen))
    report, figures = evaluated(chosen, outcomes)
    with capsys.disabled():
        print(f"\n{len(chosen)} commands: {figures}; not run for want of {sorted(skipped) or 'nothing'}")
    assert not report["missed"], report["missed"]
    assert figures["precision"] >= 0.98, report["wrong"]
    assert figures["cannot tell"] <= 0.10, report["untold"]


def evaluated(
    chosen: list[Case], outcomes: list[scratch.Outcome]
) -> tuple[dict[str, list[str]], dict[str, float]]:
    """What went wrong, and the figures."""
    report: dict[str, list[str]] = {"missed": [], "wrong": [], "untold": []}
    hits = wrong = changed = covered = 0
    for case, outcome in zip(chosen, outcomes, strict=True):
        untold = bool(outcome.verdict.untold)
        hits, wrong = hits + len(outcome.hits), wrong + len(outcome.wrong)
        changed += len(outcome.files)
        covered += len(outcome.files) - (0 if untold else len(outcome.missed))
        if outcome.missed and not untold:
            report["missed"].append(
                f"{case.name}: {[path[len(str(outcome.folder)) :] for path in outcome.missed]}"
            )
        report["wrong"] += [
            f"{case.name}: {each.kind} {each.absolute[len(str(outcome.folder)) :]} ({each.why})"
            for each in outcome.wrong
        ]
        if untold:
            report["untold"].append(f"{case.name}: {outcome.verdict.untold}")
    return report, {
        "recall": round(covered / max(1, changed), 4),
        "precision": round(hits / max(1, hits + wrong), 4),
        "cannot tell": round(len(report["untold"]) / len(chosen), 4),
    }
