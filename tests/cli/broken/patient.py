"""A healthy set-up, ready to be broken, and what the doctor is to find then."""

import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cli.support import STATE, Machine
from coordhooks import __version__
from coordhooks.cli.checks import claude_files
from coordhooks.install import claude_code, codex, codex_trust, plugins
from coordhooks.install.places import Places
from coordhooks.install.plugins import Plugin

SYSTEM = "/usr/bin:/bin"


class Fault(NamedTuple):
    """``file`` is ``None`` where the fault is in none. ``cured``: the command in the remedy makes everything healthy again."""

    file: Path | None
    says: str
    remedy: str
    cured: bool = False


class Patient:
    """Hooks of both harnesses, trusted, which start this folder's ``program``; the harnesses only tell a version."""

    def __init__(self, machine: Machine, patch: pytest.MonkeyPatch) -> None:
        self.machine, self.patch = machine, patch
        self.home, self.repo = machine.home, machine.repo
        self.cwd = machine.repo
        self.program = self.home / "program"
        self.settings = self.home / ".claude/settings.json"
        self.hooks = self.home / ".codex/hooks.json"
        self.config = self.home / ".codex/config.toml"
        self.state = self.home / STATE
        self.store = self.state / "coord.sqlite3"
        self.managed = machine.home.parent / "managed"
        patch.delenv("CODEX_HOME", raising=False)
        patch.setattr(claude_files, "MANAGED_FOLDER", str(self.managed))
        self._install()

    def _install(self) -> None:
        (self.program / "coordhooks").mkdir(parents=True)
        (self.program / "coordhooks/hook.py").touch()
        (self.program / "coordhooks/__init__.py").write_text(f'__version__ = "{__version__}"\n')
        for name in ("claude", "codex"):
            self.harness(name, f"echo {name} 1.0")
        self.patch.setenv("PATH", f"{self.home / 'bin'}:{SYSTEM}")
        self.write(self.settings, {"hooks": claude_code.groups("/bin/sh", str(self.program))})
        self.write(self.hooks, {"hooks": codex.groups("/bin/sh", str(self.program))})
        self.trust()

    def harness(self, name: str, script: str) -> Path:
        """Put a program on the PATH."""
        path = self.home / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    def trust(self) -> None:
        places = Places.here({"HOME": str(self.home)}, str(self.home))
        codex_trust.trust(str(self.config), codex_trust.hooks(places))

    def write(self, path: Path, value: Any) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
        return path

    def edit(self, path: Path, **fields: Any) -> Path:
        """Set fields at the top of a JSON file."""
        return self.write(path, json.loads(path.read_text()) | fields)

    def group(self, path: Path, event: str, index: int = 0, **fields: Any) -> Path:
        """Set fields of one matcher group in a hooks file."""
        value = json.loads(path.read_text())
        value["hooks"][event][index] |= fields
        return self.write(path, value)

    def entry(self, path: Path, event: str, index: int = 0, **fields: Any) -> Path:
        """Set fields of the entry in one matcher group; ``None`` takes one out."""
        entry = json.loads(path.read_text())["hooks"][event][index]["hooks"][0] | fields
        return self.group(path, event, index, hooks=[{k: v for k, v in entry.items() if v is not None}])

    def move_hooks(self, path: Path) -> Path:
        """Our hooks of Claude Code in another file than the user's."""
        path.parent.mkdir(parents=True, exist_ok=True)
        os.rename(self.settings, path)
        return path

    def plug_into_codex(self) -> Plugin:
        """Our plugin in Codex, trusted, as ``codex plugin add`` leaves it, instead of the hooks file."""
        self.hooks.unlink()
        root = self.home / ".codex/plugins/cache/coordhooks/coordhooks/1"
        self.write(root / "hooks/codex.json", {"hooks": codex.groups("/bin/sh", str(root))})
        (root / "coordhooks").mkdir()
        (root / "coordhooks/hook.py").touch()
        self.config.write_text('[plugins."coordhooks@coordhooks"]\nenabled = true\n')
        places = Places.here({"HOME": str(self.home)}, str(self.home))
        [plugin] = plugins.installed(places)
        codex_trust.trust(str(self.config), plugins.trust(places, plugin))
        return plugin

    def doctor(self, *options: str) -> dict[str, Any]:
        said = self.machine.coord("doctor", "--json", *options, cwd=self.cwd)
        assert said.code == (0 if said.json["healthy"] else 1)
        found: dict[str, Any] = said.json
        return found

    def faults(self, *options: str) -> list[dict[str, Any]]:
        return [finding for finding in self.doctor(*options)["findings"] if finding["ok"] is False]

    def notes(self) -> list[dict[str, Any]]:
        return [finding for finding in self.doctor()["findings"] if finding["ok"] is None]

    def follow(self, remedy: str) -> None:
        """Run the first command that a remedy names."""
        command = remedy.split("`")[1]
        words = shlex.split(command)
        if words[0] == "coord":
            said = self.machine.coord(*words[1:], cwd=self.cwd)
            assert said.code == 0, said
        else:
            subprocess.run(["/bin/sh", "-c", command], check=True)
