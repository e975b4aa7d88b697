"""Fetches the real Claude Code and Codex for the tests, from npm into the ignored folder ``.vendor``.

Run by ``make fetch``. Without network it says so and the tests that need them are skipped.
"""

import json
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

VENDOR = Path(__file__).parents[2] / ".vendor"
NPM = ("npm", "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error",
       "--fetch-retries=1", "--fetch-timeout=60000")  # fmt: skip
NPM_SECONDS = 900

PLATFORM = (
    sys.platform + "-" + {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
)
TARGETS = {
    "linux-x64": "x86_64-unknown-linux-musl",
    "linux-arm64": "aarch64-unknown-linux-musl",
    "darwin-x64": "x86_64-apple-darwin",
    "darwin-arm64": "aarch64-apple-darwin",
}


@dataclass(frozen=True)
class Program:
    """A pinned npm package whose native binary, below ``binary``, comes in a package of the platform."""

    title: str
    package: str
    version: str
    binary: str

    @property
    def folder(self) -> Path:
        """One folder a program: npm prunes what else it finds."""
        return VENDOR / self.package.rpartition("/")[2]

    @property
    def path(self) -> Path:
        """The native binary, whether it is there or not."""
        names = {"platform": PLATFORM, "target": TARGETS.get(PLATFORM, PLATFORM)}
        return self.folder / "node_modules" / f"{self.package}-{PLATFORM}" / self.binary.format(**names)

    @property
    def fetched(self) -> bool:
        """Is the pinned version there, for this platform?"""
        manifest = self.folder / "node_modules" / self.package / "package.json"
        return (
            self.path.is_file()
            and manifest.is_file()
            and json.loads(manifest.read_text(encoding="utf-8"))["version"] == self.version
        )

    @property
    def missing(self) -> str:
        """Why a test that needs it is skipped."""
        return f"{self.title} {self.version} for {PLATFORM} is not there: run `make fetch`"


CLAUDE_CODE = Program("Claude Code", "@anthropic-ai/claude-code", "2.1.332", "claude")
CODEX = Program("Codex", "@openai/codex", "0.171.0", "vendor/{target}/bin/codex")
PROGRAMS = (CLAUDE_CODE, CODEX)


def fetch(program: Program) -> str:
    """Have the program in place if that can be done; one line on how it went."""
    name = f"{program.title} {program.version}"
    if program.fetched:
        return f"{name}: there already"
    trouble = _install(program)
    if program.fetched:
        return f"{name}: fetched"
    return f"{name}: NOT fetched, its tests will be skipped: {trouble or f'no binary for {PLATFORM}'}"


def _install(program: Program) -> str:
    """Run npm; the first line of its complaint, or nothing."""
    program.folder.mkdir(parents=True, exist_ok=True)
    command = [*NPM, "--prefix", str(program.folder), f"{program.package}@{program.version}"]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=NPM_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"npm: {error}"
    complaint = done.stderr.strip() or f"npm ended with {done.returncode}"
    return complaint.splitlines()[0] if done.returncode else ""


def main() -> None:
    for program in PROGRAMS:
        print(fetch(program), flush=True)


if __name__ == "__main__":
    main()
