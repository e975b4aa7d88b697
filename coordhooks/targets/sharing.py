"""How long a written file is held: a turn, one call, or not at all. Data, not code.

Files that everybody touches, and folders, are held only for the length of one call, so that two edits never overlap
and nobody waits. Patterns are matched against literal names; names are never patterns.
"""

from coordhooks.model import Target
from coordhooks.paths import OUTSIDE

AUTOMATIC, CALL, NONE = "automatic", "call", ""

CALL_NAMES = {
    # lock files of package managers
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock",
    "uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "go.sum", "Cargo.lock", "Gemfile.lock", "composer.lock",
    "mix.lock", "pubspec.lock", "Package.resolved", "Podfile.lock", "flake.lock", "packages.lock.json",
    "gradle.lockfile", "pixi.lock", "conda-lock.yml",
    # manifests
    "package.json", "pyproject.toml", "Cargo.toml", "go.mod",
    # what agents keep for themselves
    "CLAUDE.md", "AGENTS.md", "MEMORY.md",
}  # fmt: skip
CALL_PREFIXES = ("CHANGELOG", "TODO")
CALL_FOLDERS = ("__snapshots__",)
TEMPORARY = ("/tmp/", "/var/tmp/", "/private/tmp/", "/private/var/tmp/", "/private/var/folders/", "/dev/shm/")


def kind_of(target: Target, extra: list[str]) -> str:
    """``AUTOMATIC``, ``CALL`` or ``NONE`` for a file that is about to be written."""
    if _unleased(target):
        return NONE
    if target.folder:  # nobody is to wait a turn for all that a command may have touched
        return CALL
    parts = target.name.split("/")
    name = parts[-1]
    if name in CALL_NAMES or _is_log(name) or any(part in CALL_FOLDERS for part in parts):
        return CALL
    return CALL if extra and _matches(target.name, extra) else AUTOMATIC


def _is_log(name: str) -> bool:
    """``CHANGELOG.md``, ``TODO-later``, but not ``TODOList.tsx``."""
    return any(name.startswith(p) and not name[len(p) :][:1].isalnum() for p in CALL_PREFIXES)


def _unleased(target: Target) -> bool:
    """Temporary files of no repository, a repository's own metadata, the harness's own state."""
    if target.project == OUTSIDE:
        parts = target.path.split("/")
        return target.path.startswith(TEMPORARY) or ".claude" in parts or ".codex" in parts
    parts = target.name.split("/")
    return ".git" in parts or ".jj" in parts


def extra_patterns(setting: str) -> list[str]:
    """The ``shared`` setting as the store keeps it: one glob a line."""
    return setting.split("\n") if setting else []


def _matches(name: str, patterns: list[str]) -> bool:
    from coordhooks.targets.glob import matches

    base = name.rpartition("/")[2]
    return any(matches(name, pattern) or matches(base, pattern) for pattern in patterns)
