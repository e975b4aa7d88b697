"""Every folder and file that installing touches."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from coordhooks import locations


@dataclass(frozen=True, slots=True)
class Places:
    """Read once from the environment and handed down. All are absolute paths."""

    cwd: str
    home: str
    data: str
    state: str
    config: str
    claude_config: str
    codex_home: str
    search_path: str

    @classmethod
    def here(cls, environ: Mapping[str, str] | None = None, cwd: str | None = None) -> "Places":
        env = dict(os.environ if environ is None else environ)
        here = cwd or os.getcwd()
        home = locations.home(env)
        codex = env.get("CODEX_HOME")
        claude = env.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
        return cls(
            cwd=here,
            home=home,
            data=locations.data_dir(env),
            state=locations.state_dir(env),
            config=locations.config_dir(env),
            claude_config=os.path.join(here, claude),
            # As Codex does it, for its trust in hooks names the file: links are followed only in what is said.
            codex_home=os.path.realpath(os.path.join(here, codex)) if codex else os.path.join(home, ".codex"),
            search_path=env.get("PATH", ""),
        )

    @property
    def versions(self) -> str:
        """One private environment a version."""
        return os.path.join(self.data, "versions")

    @property
    def current(self) -> str:
        """The link to the version in use. Hooks go through it, so an upgrade leaves them as they are."""
        return os.path.join(self.data, "current")

    @property
    def python(self) -> str:
        return os.path.join(self.current, "bin", "python3")

    @property
    def root(self) -> str:
        """The folder that holds the package, under a name without the Python version."""
        return os.path.join(self.current, "site")

    @property
    def manifest(self) -> str:
        """What we changed in files of others."""
        return os.path.join(self.data, "installed.json")

    @property
    def lock(self) -> str:
        return os.path.join(self.data, "install.lock")

    @property
    def coord(self) -> str:
        return os.path.join(self.home, ".local", "bin", "coord")
