"""Titles: the first line of a prompt, without anything that looks like a secret."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordhooks.titles import LIMIT, masked, title


@pytest.mark.parametrize(
    ("prompt", "shown"),
    [
        ("Fix the parser", "Fix the parser"),
        ("\n\n  Fix   the parser \nand more", "Fix the parser"),
        ("", ""),
        (" \n\t\n", ""),
        ("x" * 500, "x" * (LIMIT - 1) + "…"),
        ("\x1b[2Jclear\u202e", "clear"),
        ("Behebe die Fußnoten ☃", "Behebe die Fußnoten ☃"),
    ],
)
def test_the_first_line_with_something_on_it(prompt: str, shown: str) -> None:
    assert title(prompt) == shown


SECRETS = {
    "an AI key": "sk-live-abc123abc123abc123",
    "an AI project key": "sk-proj-AbCdEfGhIjKlMnOpQrStUvWx",
    "a payment key": "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    "an AWS id": "AKIAEXAMPLEEXAMPLE",
    "a GitHub token": "ghp_0123456789abcdefghij0123456789abcdef",
    "a fine-grained one": "github_pat_11ABCDEFG0123456789_abcdefghijklmnop",
    "a GitLab token": "glpat-ABCDEFGHIJKLMNOPQRST",
    "a Slack token": "xoxb-123456789012-abcdefghijkl",
    "a Google key": "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "a JWT": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "a digest": "5d41402abc4b2a76b9719d911017c592",
    "base64": "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY1",
}


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize(
    "frame", ["{}", "use {} now", "KEY={}", "'{}'", "({})", "key:{},", "curl -H 'X-Key: {}'"]
)
def test_known_shapes_are_masked(name: str, frame: str) -> None:
    shown = title(frame.format(SECRETS[name]))
    assert SECRETS[name] not in shown
    assert SECRETS[name][4:12] not in shown
    assert "***" in shown


@pytest.mark.parametrize(
    ("prompt", "secret"),
    [
        ("curl -H 'Authorization: Bearer sk-live-abc123abc123abc123' https://x.test -o src/a.py", "abc123"),
        ("export AWS_SECRET_ACCESS_KEY=AKIAEXAMPLEEXAMPLE", "AKIAEXAMPLE"),
        ("TOKEN=ghp_0123456789abcdefghij0123456789abcdef", "0123456789"),
        ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpw"),
        ("authorization: bearer abcdefgh12345678", "abcdefgh"),
        ("the password is hunter2!", "hunter2"),
        ("password: hunter2", "hunter2"),
        ('{"api_key": "hunter2hunter2"}', "hunter2"),
        ("DB_PASSWORD=hunter2", "hunter2"),
        ("client-secret = hunter2", "hunter2"),
        ("connect to postgres://admin:hunter2@db.example/app", "hunter2"),
        ("git clone https://x-access-token:hunter2@github.com/a/b", "hunter2"),
    ],
)
def test_h09_what_is_named_as_a_secret_is_masked(prompt: str, secret: str) -> None:
    assert secret not in title(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "Fix the token counter in src/lexer/tokens.py",
        "Why does https://example.com/a/very/long/path/to/some/page.html fail?",
        "Rename AbstractSingletonProxyFactoryBean",
        "see commit 1a2b3c4",
        "The user forgot the password",
        "Update test_a_holder_that_yielded_is_refused_like_anyone",
    ],
)
def test_ordinary_words_stay(prompt: str) -> None:
    assert title(prompt) == prompt


@given(st.text(max_size=300))
def test_a_title_is_one_bounded_line(prompt: str) -> None:
    shown = title(prompt)
    assert len(shown) <= LIMIT
    assert len(shown.splitlines()) <= 1
    assert shown == shown.strip()


UNITS = [
    "token", "password ", "ey-", "ey", "eyAAAAAAAAAAA.", "sk-", "gh", "xox", "://a", "://a:b", "a" * 31 + "g", "Aa1", "Aa1-", "A",
    "bearer ", "secret=", "is ", "AKIA", "-", "_", "\\", "'", "=", " ", "\n", "é", "AIza", "api_key is ",
]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_a_quarter_of_a_megabyte_of_anything_is_not_slow(unit: str) -> None:
    text = unit * (250_000 // len(unit))
    before = time.process_time()
    masked(text)
    title(text)
    assert time.process_time() - before < 5
