"""Reading past damage."""

import pytest
from ledger.made import content, created, log_of

from coordhooks.ledger import Damage, Ledger, read_log


@pytest.fixture
def lines(folder):
    with Ledger(folder) as ledger:
        for number in range(5):
            ledger.append(created(f"t{number}", title="é"))
    return log_of(folder).read_bytes().splitlines(keepends=True)


def read(folder):
    return [found if isinstance(found, Damage) else found["task_id"] for found in read_log(folder)]


def test_a_whole_log_is_the_ledgers_events(folder, lines):
    with Ledger(folder) as ledger:
        assert list(read_log(folder)) == list(ledger.events())


def test_good_welded_and_binary_lines(folder, lines):
    welded = lines[1][:-1] + lines[2]
    log_of(folder).write_bytes(lines[0] + welded + lines[3] + b"\xff\x00 garbage\n" + lines[4])
    before = content(folder)
    *first, damage, last = read(folder)
    assert (first, last) == (["t0", "t1", "t2", "t3"], "t4")
    assert (damage.line, damage.length) == (4, 11)
    assert damage.offset == len(lines[0] + welded + lines[3])
    assert content(folder) == before


def test_a_torn_tail_and_a_half_welded_line_are_damage(folder, lines):
    log_of(folder).write_bytes(lines[0] + b"{" + lines[1] + lines[2][:-9])
    first, half, torn = read(folder)
    assert (first, half.line, torn.line) == ("t0", 2, 3)
    assert "line=2" in repr(half)


def test_no_log(tmp_path):
    assert list(read_log(tmp_path)) == []
    assert list(tmp_path.iterdir()) == []


def test_a_line_without_end_is_read_in_pieces(folder, lines):
    log_of(folder).write_bytes(b"x" * 40_000_000 + b"\n" + lines[0])
    *damages, good = read(folder)
    assert good == "t0"
    assert sum(damage.length for damage in damages) == 40_000_001
