"""Handles: five words for an id, computed here a second time by other means."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordhooks.store import handles


def by_hand(value: str, namespace: str) -> str:
    """The words that the first 35 bits of the digest spell, written as a string of ones and zeros."""
    digest = hashlib.sha256(namespace.encode() + b"\x00" + value.encode()).hexdigest()
    bits = f"{int(digest[:10], 16):040b}"[:35]
    return "-".join(handles.WORDS[int(bits[i : i + 7], 2)] for i in range(0, 35, 7))


def test_vocabulary_has_128_unique_plain_words() -> None:
    assert len(handles.WORDS) == len(set(handles.WORDS)) == 128
    assert all(word.isascii() and word.isalpha() and word.islower() for word in handles.WORDS)


@given(st.text(min_size=1), st.sampled_from(handles.NAMESPACES))
def test_handle_is_what_a_second_implementation_computes(value: str, namespace: str) -> None:
    try:
        expected = by_hand(value, namespace)
    except UnicodeEncodeError:
        return
    assert handles.friendly_handle(value, namespace) == expected


def test_handle_is_pinned() -> None:
    """The format is stable: people write handles down."""
    assert handles.friendly_handle("5d2c9c1e-0000-4000-8000-000000000000", "runtime").count("-") == 4
    assert by_hand("x", "runtime") == handles.friendly_handle("x", "runtime")


def test_namespaces_give_the_same_value_different_handles() -> None:
    assert len({handles.friendly_handle("same", namespace) for namespace in handles.NAMESPACES}) == 3


@pytest.mark.parametrize(("value", "namespace"), [("x", "other"), ("x", ""), ("", "runtime")])
def test_bad_arguments_are_refused(value: str, namespace: str) -> None:
    with pytest.raises(ValueError, match=r"handle|namespace"):
        handles.friendly_handle(value, namespace)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("a-b", "a-b", True),
        ("a-b", "a-c", False),
        ("", "a", False),
        ("é", "é", True),
        ("\ud800", "\ud800", True),
    ],
)
def test_comparison_takes_any_text(one: str, other: str, equal: bool) -> None:
    assert handles.same(one, other) is equal


def test_comparison_is_constant_time() -> None:
    import inspect

    assert "compare_digest" in inspect.getsource(handles.same)
