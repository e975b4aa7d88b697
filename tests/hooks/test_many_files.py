"""A command over very many files asks no more of git, and of the folders above, than one over few."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from coordhooks import git, paths
from hooks.shared_checkout import LANDED, Checkout, Judge


def many(folder: Path, number: int) -> Checkout:
    """Files that another conversation has written, and a person has committed meanwhile."""
    made = Checkout(folder)
    (made.repo / "src").mkdir(parents=True)
    made.git("init", "-q")
    for name in (f"src/f{at}.py" for at in range(number)):
        (made.repo / name).write_text(LANDED)
        made.files[name] = "other"
    made.git("add", ".")
    made.git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "-m", "1")
    return made


def asked(patch: pytest.MonkeyPatch, module: Any, name: str) -> Counter[str]:
    """How often a function is called from now on."""
    count, original = Counter[str](), getattr(module, name)

    def counted(*arguments: Any, **options: Any) -> Any:
        count[name] += 1
        return original(*arguments, **options)

    patch.setattr(module, name, counted)
    return count


def effort(folder: Path, number: int) -> tuple[int, int]:
    judge = Judge(many(folder, number), busy=True)
    with pytest.MonkeyPatch.context() as patch:
        runs, walks = asked(patch, git, "_run"), asked(patch, paths, "repository_of")
        assert not judge.denied("sed -i s/1/2/ src/*.py")
    judge.close()
    return runs.total(), walks.total()


def test_the_effort_does_not_grow_with_the_files(tmp_path: Path) -> None:
    few, more = effort(tmp_path / "few", 2), effort(tmp_path / "many", git.CHUNK)
    assert more[0] <= few[0]
    assert more[1] <= few[1]
    assert few[0] > 0
