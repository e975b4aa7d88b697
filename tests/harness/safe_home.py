"""Keeps the test process, and what it starts, out of the real home folder.

Two layers: the environment names a temporary home, which children inherit; and inside this process an audit
hook refuses to touch the folders that coordhooks, Claude Code and Codex own in the real one.
"""

import os
import pwd
import sys
import tempfile

KEPT = "COORDHOOKS_TORTURE"  # the switch of the tests themselves
REMOVED = ("CLAUDE", "CODEX", "COORD", "GIT_", "ANTHROPIC", "OPENAI", "XDG_")
OWNED = (".claude", ".claude.json", ".codex", ".config/coordhooks", ".local/state/coordhooks",
         ".local/share/coordhooks", ".local/bin/coord")  # fmt: skip
FOLDERS = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_STATE_HOME": ".local/state",
    "XDG_DATA_HOME": ".local/share",
    "XDG_CACHE_HOME": ".cache",
    "XDG_RUNTIME_DIR": ".run",
    "CLAUDE_CONFIG_DIR": ".claude",
    "CODEX_HOME": ".codex",
}
TOUCHES = frozenset(
    ("open", "sqlite3.connect", "os.mkdir", "os.rename", "os.link", "os.symlink", "os.remove", "os.rmdir",
     "os.truncate", "os.chmod", "os.utime", "os.listdir", "os.scandir", "os.chdir")
)  # fmt: skip

# Workers inherit the environment of the process that has entered already, so it hands the real home on.
_REAL = "TESTS_REAL_HOME"


class RealHomeTouched(AssertionError):
    """A test reached for the developer's own files."""


def real_homes() -> list[str]:
    """The homes to stay out of: the account's own and the one that HOME named at the start."""
    return os.environ[_REAL].split(os.pathsep)


def enter() -> str:
    """Go to a temporary home for good; its path. Called once, before anything else happens."""
    os.environ.setdefault(_REAL, os.pathsep.join(dict.fromkeys((_account().pw_dir, os.path.expanduser("~")))))
    for name in list(os.environ):
        if name.startswith(REMOVED) and name != KEPT:
            del os.environ[name]
    home = os.path.realpath(tempfile.mkdtemp(prefix="coordhooks-home-"))
    os.environ["HOME"] = home
    for variable, folder in FOLDERS.items():
        os.environ[variable] = os.path.join(home, folder)
    _replace_account(home)
    _guard()
    return home


def _account() -> pwd.struct_passwd:
    return pwd.getpwuid(os.getuid())


def _replace_account(home: str) -> None:
    """Code that falls back on the account database finds the temporary home there, too."""
    real = _account()
    fields = (*real[:5], home, real.pw_shell)

    def safe(_key: object) -> pwd.struct_passwd:
        return pwd.struct_passwd(fields)

    pwd.getpwuid = pwd.getpwnam = safe


def _guard() -> None:
    owned = tuple(os.path.join(home, name, "") for home in real_homes() for name in OWNED)

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event in TOUCHES:
            for path in arguments[:2]:
                if isinstance(path, str | bytes | os.PathLike) and _folder(path).startswith(owned):
                    raise RealHomeTouched(f"{event}: {os.fsdecode(path)}")

    sys.addaudithook(refuse)


def _folder(path: str | bytes | os.PathLike[str]) -> str:
    return os.fsdecode(path) + os.sep
