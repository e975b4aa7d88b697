"""Numbers and times at the edge: what can't be applied is refused before it is written, and the log still opens."""

from pathlib import Path

import pytest
from ledger.made import caches, created, event, leased, owned, quota

from coordhooks.errors import Conflict, Invalid
from coordhooks.ledger import Ledger

LAST_MOMENT = "9999-12-31T23:59:59Z"
LARGEST = 9007199254740991


def test_a_time_from_which_no_retry_can_be_reckoned_is_refused_unwritten(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger") as ledger:
        ledger.append(created())
        ledger.append(leased())
        before = list(ledger.events())
        with pytest.raises(Invalid, match="at: 9999"):
            ledger.append(owned("TaskReleased", 3, reason="r") | {"at": LAST_MOMENT})
        assert list(ledger.events()) == before
    for cache in caches(tmp_path / "ledger"):
        cache.unlink()
    with Ledger(tmp_path / "ledger") as ledger:
        assert list(ledger.events()) == before


def test_sums_beyond_whole_numbers_go_on(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger") as ledger:
        for _ in range(1100):
            ledger.append(quota("h1", LARGEST, True))
        consumed, known = ledger.quota_since("h1", 0)
    assert known
    assert consumed == pytest.approx(1100 * LARGEST)


def test_a_task_without_a_lease_cant_be_corrected_to_one_that_has_one(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger") as ledger:
        first = ledger.append(created())
        for state in ("leased", "needs_attention"):
            correction = event(
                "TaskCorrected", first["task_id"], 2, corrects=first["id"], metadata={}, state=state
            )
            with pytest.raises(Conflict, match="has no lease"):
                ledger.append(correction)
