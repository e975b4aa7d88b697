"""Usage receipts in windows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger.made import START, quota

from coordhooks.errors import Invalid
from coordhooks.ledger import Ledger, times


def test_a_window_without_receipts_is_unknown(ledger):
    assert ledger.quota_since("h", 0) == (0, False)
    ledger.append(quota("h", 5))
    assert ledger.quota_since("h", 0) == (5, True)
    assert ledger.quota_since("h", START + 1) == (0, False)
    assert ledger.quota_since("other", 0) == (0, False)


def test_one_unknown_receipt_makes_its_window_unknown(ledger):
    for seconds, consumed, known in ((0, 1, True), (10, None, False), (20, 4, True)):
        ledger.append(quota("h", consumed, known, at=times.text(times.moment(START + seconds))))
    assert [ledger.quota_since("h", START + s) for s in (0, 10, 11)] == [(5, False), (4, False), (4, True)]


def test_the_window_begins_with_its_moment_in_every_notation(ledger):
    ledger.append(quota("h", 3))
    moment = times.moment(START)
    for since in (START, moment, "2027-01-15T08:00:00Z", "2027-01-15T09:00:00+01:00"):
        assert ledger.quota_since("h", since) == (3, True)
    with pytest.raises(Invalid, match="time zone"):
        ledger.quota_since("h", moment.replace(tzinfo=None))


receipts = st.lists(
    st.tuples(
        st.sampled_from("ab"), st.integers(0, 9), st.one_of(st.none(), st.integers(0, 100)), st.booleans()
    ),
    max_size=25,
)


@given(receipts, st.integers(0, 10))
def test_receipts_out_of_order_count_as_if_they_were_in_order(tmp_path_factory, receipts, since):
    with Ledger(tmp_path_factory.mktemp("quota")) as ledger:
        for harness, at, consumed, known in receipts:
            at_text = times.text(times.moment(START + at))
            ledger.append(quota(harness, consumed, known and consumed is not None, at=at_text))
        window = [(c, k and c is not None) for h, at, c, k in receipts if h == "a" and at >= since]
        expected = (sum(c or 0 for c, _ in window), bool(window) and all(k for _, k in window))
        assert ledger.quota_since("a", START + since) == expected
