"""The look before the grammar: what it clears, what it gives up on, and that it loads next to nothing."""

import subprocess
import sys

import pytest

from coordhooks.targets import shell
from coordhooks.targets.shell import bindings, grammar, quick

CLEARED = (
    "ls -la", "git status", "git log --oneline -5", "git diff HEAD~1 --stat", "git show", "cat src/a.py", 'grep -rn "a b" src', "rg foo",
    "cd src && ls", "ls nope 2>/dev/null", "cat a | head -3 | wc -l", "git status --short && git log -1", "pwd; whoami",
    "sed -n '10,20p' src/a.py", "find . -name '*.py' -type f", "git -C x status", "git --no-pager diff", "printf '%s' a",
)  # fmt: skip
LEFT = (
    "echo x > a", "rm a", "cat $(ls)", "ls `x`", "sed -n p -s a", "sort -o a a", "git checkout x", "git diff --output=x", "FOO=1 ls", "./ls",
    "f() { ls; }", "for i in a; do ls; done", "ls &&", "| ls", "ls ;; ls", "cat <<E", "time ls", "find . -delete", "sed -n 1wx a", "sed -n 1p -i a", "rg --pre x", "printf -v a b", "echo a>b", "ls &>/dev/nullx",
)  # fmt: skip
UNTOLD = ("npm test", "pytest tests", "make", "cargo test && git status", "docker run x", "npm run build")


@pytest.mark.parametrize("command", CLEARED)
def test_cleared(command: str) -> None:
    verdict = quick.look(command)
    assert verdict is not None
    assert verdict.nothing


@pytest.mark.parametrize("command", LEFT)
def test_left_to_the_grammar(command: str) -> None:
    assert quick.look(command) is None


@pytest.mark.parametrize("command", UNTOLD)
def test_untold_without_the_grammar(command: str) -> None:
    verdict = quick.look(command)
    assert verdict is not None
    assert verdict.untold


def test_plain_commands_load_no_grammar_and_no_heavy_module() -> None:
    code = (
        "import sys; before = set(sys.modules)\n"
        "from coordhooks.targets import shell\n"
        "assert shell.judge('git status && ls', '/r', home='/h').nothing\n"
        "assert shell.judge('npm test', '/r', home='/h').untold\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    loaded = [name for name in done.stdout.split() if not name.startswith("coordhooks")]
    assert loaded == []
    assert "coordhooks.targets.shell.walk" not in done.stdout


def test_the_grammar_loads_alone_and_by_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    assert bindings.parser().parse(b"ls").root_node.type == "program"

    def unknown(package: str) -> None:
        raise ImportError(package)

    monkeypatch.setattr(bindings, "_compiled", unknown)
    assert bindings.parser().parse(b"ls").root_node.type == "program"


def test_without_the_grammar_all_that_is_not_cleared_cannot_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ImportError("no tree_sitter")

    monkeypatch.setattr(grammar, "_parser", None)
    monkeypatch.setattr(bindings, "parser", missing)
    assert shell.judge("ls", "/r", home="/h").nothing
    verdict = shell.judge("echo x > a", "/r", home="/h")
    assert verdict.untold
    assert not verdict.nothing
