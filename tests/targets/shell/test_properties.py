"""Any text at all: no crash, no hang, the same answer twice; and the quick look never clears what the grammar would not."""

import random
import time
from collections.abc import Callable

import pytest
from harness import torture
from hypothesis import given, settings
from hypothesis import strategies as st

from coordhooks.targets import shell
from coordhooks.targets.shell import bindings, grammar, quick
from coordhooks.targets.shell.table import PROGRAMS

from .test_corpus import cases

CWD, HOME = "/nowhere/repo", "/nowhere/home"
SECONDS = 1.0  # of the processor: the machine may be busy with others

TOKENS = (
    "a", "b.py", "src/a.py", " ", " ", " ", "\n", ";", "|", "&", "&&", "||", "(", ")", "{", "}", "<", "<<", "<<<", ">", ">>", ">&", "$", "$(",
    "${", "$((", "))", "`", "'", '"', "\\", "[", "]", "[[", "]]", "=~", "=", "*", "?", "!", "#", "~", ",", "..", "1", "2", "if ", "then ",
    "fi", "else ", "case ", "esac", "in ", "for ", "while ", "do ", "done", "<<EOF\n", "\nEOF\n", "<<'E'\n", "\nE\n", ":-", "%", "##", "/",
    "$'", '$"', "function f ", "f() ", "-i", "-e", "-c", "--", "-", "sed ", "git ", "checkout ", "rm ", "mv ", "cp ", "tee ", "find ",
    "xargs ", "python3 ", "node ", "perl ", "awk ", "bash ", "eval ", "cd ", "echo ", "tar ", "env ", "x=", "$x", "$1", "$@", "é", "\t", "\r", "\x00",
)  # fmt: skip
soup = st.lists(st.sampled_from(TOKENS), max_size=40).map("".join)
PLAIN = (
    *sorted(name for name in PROGRAMS if " " not in name), "status", "log", "diff", "-n", "-o", "--output=x", "-i", "src", "a.py", "'a b'", '"$HOME"',
    "2>/dev/null", "2>&1", ">/dev/null", "&>/dev/null", "$X", "--", "-rn", "--fix", "format", "list", "show", "fetch", "-O", "'1,2p'", "1p", "-C", "-delete", "-exec", "-v", "--pre", "--no-pager", ".", "..",
)  # fmt: skip
SEPARATORS = (" ", " ", " ", " ", " | ", " && ", " || ", "; ", "\n", " & ", "|", ";")
plain = st.lists(st.tuples(st.sampled_from(PLAIN), st.sampled_from(SEPARATORS)), min_size=1, max_size=8).map(
    lambda parts: "".join(word + separator for word, separator in parts)
)


def check(text: str, dialect: str = "posix") -> None:
    start = time.process_time()
    first = shell.judge(text, CWD, home=HOME, dialect=dialect)
    middle = time.process_time()
    assert first.facts() == shell.judge(text, CWD, home=HOME, dialect=dialect).facts()
    assert min(middle - start, time.process_time() - middle) < SECONDS, text[
        :200
    ]  # one may meet the collector
    shell.targets_of(first)


@settings(max_examples=torture.count(300, 20_000))
@given(soup)
def test_soup_of_shell(text: str) -> None:
    check(text)


@settings(max_examples=torture.count(100, 5_000))
@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    check(text)
    check(text, "powershell")


@settings(max_examples=torture.count(100, 5_000))
@given(st.sampled_from(cases()), st.integers(0, 400), st.integers(0, 6), st.sampled_from(TOKENS))
def test_damaged_commands(case: object, at: int, length: int, insert: str) -> None:
    command: str = case.command  # type: ignore[attr-defined]
    check(command[:at] + insert + command[at + length :])


@settings(max_examples=torture.count(500, 30_000))
@given(plain)
def test_what_is_cleared_at_once_the_grammar_clears_too(text: str) -> None:
    verdict = quick.look(text)
    if verdict is None:
        return
    parsed = shell.parsed(text, CWD, home=HOME)
    if verdict.nothing:
        assert parsed.nothing, (text, parsed.facts())
    else:
        assert parsed.untold, text


def test_the_corpus_is_cleared_soundly() -> None:
    for case in cases():
        verdict = quick.look(case.command)
        if verdict is not None and verdict.nothing:
            assert shell.parsed(case.command, CWD, home=HOME).nothing, case.command


MEGABYTE = 1_000_000
LARGE = {
    "commands": "a;" * (MEGABYTE // 2), "chain": "a&&" * (MEGABYTE // 3), "groups": "(" * MEGABYTE, "substitutions": "$(" * (MEGABYTE // 2),
    "heredoc": "cat > f <<'EOF'\n" + "line > x $y\n" * (MEGABYTE // 12) + "EOF\n", "quotes": "echo '" + "x" * MEGABYTE + "'",
    "words": "echo " + "word " * (MEGABYTE // 5), "openers": "<<a " * (MEGABYTE // 4), "expansions": "${a" * (MEGABYTE // 3),
    "unquoted": "cat <<EOF\n" + "$a `b` " * (MEGABYTE // 7) + "\nEOF\n", "backslashes": "\\" * MEGABYTE, "braces": "{" * MEGABYTE,
    "backquotes": "`" * MEGABYTE, "zeros": "\0" * MEGABYTE, "lines": "echo hello > file.txt\n" * (MEGABYTE // 22),
    "alternatives": "touch " + "{a,b}" * 20, "patterns": "rm " + "*/" * 2000, "nested": "bash -c " * 2000 + "ls", "evals": "eval " * 3000 + "ls",
    "python": "python3 - <<'E'\n" + "open('a','w')\n" * (MEGABYTE // 14) + "E\n", "paths": "rm " + "a/../" * 5000,
    "assignments": "x=a;" + "x=$x$x;" * 60 + "touch $x", "functions": "f() { f; f; }; f", "calls": "f() { g; g; }; g() { h; h; }; h() { f; f; }; f",
    "regex": "[[ a =~ " + "@(+={" * 4000, "cases": "case a in " + "]]<<<@(then  " * 2000, "arithmetic": "$((" + "||*<<a\n" * 3000,
}  # fmt: skip


@pytest.mark.parametrize("name", LARGE)
def test_large_texts(name: str) -> None:
    start = time.process_time()
    verdict = shell.judge(LARGE[name], CWD, home=HOME)
    assert time.process_time() - start < SECONDS
    if name == "heredoc":
        assert [write.path for write in verdict.targets] == ["f"]
    elif name not in ("quotes", "words", "zeros", "paths", "patterns"):
        assert verdict.untold


@pytest.mark.torture
def test_repeated_fragments_end_in_time() -> None:
    chance = random.Random(1)
    for _ in range(2000):
        unit = "".join(chance.choice(TOKENS) for _ in range(chance.randint(1, 5))) or "a"
        start = time.process_time()
        shell.judge(unit * (chance.choice((2_000, 24_000, 200_000)) // len(unit)), CWD, home=HOME)
        assert time.process_time() - start < SECONDS, unit


def test_the_grammar_sees_ascii_alone_and_the_targets_keep_their_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its scanner reads beyond its tables on other characters, which kills the process."""
    seen: list[bytes] = []

    class Spy:
        def parse(self, read: Callable[[int, object], bytes], **options: object) -> object:
            seen.append(read(0, None))
            return parser.parse(read, **options)

    parser = bindings.parser()
    monkeypatch.setattr(grammar, "_parser", Spy())
    verdict = shell.parsed("echo \U000f02aaé > 'ö\U0001f600.txt'; cat <<ä > ü\nx\nä\n", CWD, home=HOME)
    assert seen[0].isascii()
    assert [write.path for write in verdict.targets] == ["ö\U0001f600.txt", "ü"]
    assert not verdict.untold
