"""The benchmarks run, on the program as it is now. What they measure is not looked at here."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
HEADINGS = {"hook": "## Hooks", "ledger": "## Task ledger"}


@pytest.mark.parametrize("name", HEADINGS)
def test_a_benchmark_prints_its_table(name: str, tmp_path: Path) -> None:
    small = {"BENCH_ROUNDS": "1", "BENCH_EVENTS": "2000"}
    environ = os.environ | {"HOME": str(tmp_path), "TMPDIR": str(tmp_path)} | small
    done = subprocess.run(
        [sys.executable, "-m", "bench", name],
        cwd=CHECKOUT, env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(HEADINGS[name])
    rows = [line for line in done.stdout.splitlines() if line.startswith("| ")]
    assert all("nan" not in row for row in rows)
    assert len(rows) > 5


def test_a_new_section_takes_the_place_of_the_old_one() -> None:
    code = (
        "from bench.__main__ import page;"
        "print(page('# Top\\n\\n## B\\nold\\n\\n## A\\nkept\\n', ['## B\\nnew\\n', '## C\\nmore\\n']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    assert [line for line in done.stdout.splitlines() if line][-6:] == [
        "## A", "kept", "## B", "new", "## C", "more",
    ]  # fmt: skip
