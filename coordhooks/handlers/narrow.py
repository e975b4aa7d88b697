"""Narrower commands to recommend: the same tool over one's own files only."""

import os

from coordhooks.handlers import texts

FALLBACK = "Next: name the files of your own that it should change (`coord files` lists them), or wait."
OF_GIT = "Next: wait until they are done, or work in a tree of your own: `git worktree add`."

PATTERN = "*?[\\"  # characters that make a pathspec of git's a pattern

# What formatters are called with when they are given files, and which files they take (all, if none are listed).
JS = (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs")
PYTHON = (".py", ".pyi")
FORMATTERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "black": ("black", PYTHON),
    "isort": ("isort", PYTHON),
    "ruff format": ("ruff format", PYTHON),
    "ruff check": ("ruff check --fix", PYTHON),
    "autopep8": ("autopep8 -i", PYTHON),
    "yapf": ("yapf -i", PYTHON),
    "prettier": ("npx prettier --write", ()),
    "eslint": ("npx eslint --fix", JS),
    "biome format": ("npx biome format --write", ()),
    "biome check": ("npx biome check --write", ()),
    "gofmt": ("gofmt -w", (".go",)),
    "goimports": ("goimports -w", (".go",)),
    "go fmt": ("gofmt -w", (".go",)),
    "cargo fmt": ("rustfmt", (".rs",)),
    "rustfmt": ("rustfmt", (".rs",)),
    "clang-format": ("clang-format -i", (".c", ".h", ".cc", ".cpp", ".hpp")),
}


def fallback(why: str) -> str:
    """What to do where there is no narrower command."""
    return OF_GIT if why.startswith("git ") else FALLBACK


def called(why: str) -> str:
    """The program of a write, without its operand."""
    words = texts.named(why, texts.SHORT_PATH).split(" ")
    two = " ".join(words[:2])
    return two if two in FORMATTERS or words[0] in ("git", "npm", "cargo", "go") else words[0]


def over(why: str, own: list[str], tree: str, cwd: str) -> str:
    """The step to recommend in place of a command over a folder; ``own`` are one's changed files in ``tree``."""
    command, suffixes = FORMATTERS.get(called(why), ("", ()))
    files = [
        name for name in own
        if (not suffixes or name.endswith(suffixes)) and os.path.isfile(os.path.join(tree, name))
    ]  # fmt: skip
    words = quoted(files, tree, cwd)
    if not command or not words:
        return fallback(why)
    return f"Next: run it over your own files only: `{command} {words}`."


def quoted(names: list[str], tree: str, cwd: str) -> str:
    """Files (relative to ``tree``) as words for a shell in ``cwd``; empty if one can't be typed, or if there are none."""
    words = [texts.typeable(from_here(name, tree, cwd)) for name in sorted(names)]
    return " ".join(words) if all(words) else ""


def pathspecs(names: list[str], tree: str, folder: str) -> str:
    """The same for git in ``folder``, which would match patterns."""
    here = [from_here(name, tree, folder) for name in sorted(names)]
    words = [texts.typeable(f":(literal){name}" if set(name) & set(PATTERN) else name) for name in here]
    return " ".join(words) if all(words) else ""


def from_here(name: str, tree: str, cwd: str) -> str:
    """A file's name as a word in ``cwd``, never like an option."""
    path = os.path.relpath(os.path.join(tree, name), cwd) if cwd else os.path.join(tree, name)
    return f"./{path}" if path[0] in "-~:" else path
