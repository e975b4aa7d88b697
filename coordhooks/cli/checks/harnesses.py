"""Which harnesses are installed here, and in which version."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator

from coordhooks.cli.checks.finding import Finding, fault, good, note
from coordhooks.cli.session import Session

PROGRAMS = {"Claude Code": "claude", "Codex": "codex"}
SECONDS = 20  # a cold start of one of them, on a busy machine


def check(session: Session) -> Iterator[Finding]:
    for title, name in PROGRAMS.items():
        path = shutil.which(name, path=session.environ.get("PATH", ""))
        if path is None:
            yield note(title, f"there is no `{name}` on the PATH")
            continue
        path = os.path.abspath(path)
        version, trouble = _version(path, dict(session.environ))
        if trouble:
            remedy = f"see what `{name} --version` says; reinstall {title} if need be"
            yield fault(title, f"it does not start: {trouble}", file=path, remedy=remedy)
        else:
            yield good(title, f"version {version}", file=path)


def _version(path: str, environ: dict[str, str]) -> tuple[str, str]:
    """What the program says of its version, or why it says nothing. Even for that Codex writes into its home."""
    try:
        with tempfile.TemporaryDirectory(prefix="coordhooks-doctor-") as folder:
            homes = {"CODEX_HOME": folder, "CLAUDE_CONFIG_DIR": folder}
            done = subprocess.run(
                [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                check=False, timeout=SECONDS, env=environ | homes,
            )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return "", str(error)
    lines = (done.stdout.strip() or done.stderr.strip()).splitlines()
    said = lines[0] if lines else "nothing"
    return (said, "") if done.returncode == 0 else ("", f"exit {done.returncode}, {said}")
