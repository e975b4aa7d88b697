"""The hook beside those of other Python packages with the same aim, with the same payload: a Write of a free file.

    python -m bench peers

Each is installed by pip in an environment of its own below ``.vendor/peers``; what is there already is used as it is, so
only the first run needs the network. How each hook is started comes from its package's own documentation or code.
"""

import os
import platform
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bench._clock import HEAD, ROUNDS, Run, Variant, Variants, interleaved, row, run
from bench._machine import BARE, PATH, ROOT, Machine, silent, site, written_in

CACHE = ROOT / ".vendor" / "peers"
LEASES = (0, 1_000, 10_000)
BARE_NAME = "bare interpreter"


@dataclass(frozen=True)
class Peer:
    """A package: the words of its hook, what its hook does, and how another agent takes ``count`` files of ``repo``.

    ``fill`` is Python that its own interpreter runs; empty if it holds no leases. ``environ`` may name ``{home}``.
    """

    package: str
    hook: tuple[str, ...]
    does: str
    fill: str = ""
    environ: dict[str, str] = field(default_factory=dict)

    @property
    def bin(self) -> Path:
        return CACHE / self.package / "bin"


PATHS = "import sys; paths = [f'{sys.argv[1]}/pkg/mod{n}.py' for n in range(int(sys.argv[2]))]; "
PEERS = (
    Peer(
        "agent-file-claim",
        ("agent-file-claim", "hook"),
        "checks and claims; lets through what fails",
        "from agent_file_claim.claims import FileClaims; FileClaims('~/.memento').write('other', paths)",
    ),
    Peer(
        "agent-lease-mcp",
        ("agent-lease-guard",),
        "checks and claims; lets through what fails",
        "from agent_lease_mcp.broker import open_store; import sqlite3, os, time; open_store();"
        " db = sqlite3.connect(os.environ['AGENT_LEASE_DB']); now = time.time();"
        " db.executemany('INSERT INTO claims VALUES (?, ?, ?, ?, ?)',"
        " [(path, 'other', '', now, now + 86400) for path in paths]); db.commit()",
        {"AGENT_NAME": "bench", "AGENT_LEASE_DB": "{home}/lease.sqlite3"},
    ),
    Peer(
        "claude-agent-sync",
        ("agent-sync", "hook", "pre-tool-use"),
        "checks only; lets through what fails",
        "from agent_sync import db; connection = db.connect(); db.init_db(connection);"
        " db.ensure_agent(connection, 'other');"
        " connection.executemany('INSERT INTO locks(file_path, owner_agent_id, created_at, expires_at)"
        " VALUES (?, ?, ?, ?)', [(path[len(sys.argv[1]) + 1:], 'other', db.now_iso(), db.iso_in(600)) for path in paths]);"
        " connection.commit()",
    ),
    Peer(
        "cabildo",
        ("cabildo-hook", "pre_tool_use"),
        "refuses no write, only git commands",
        environ={"CABILDO_HOME": "{home}/cabildo"},
    ),
    Peer("hcom", ("hcom", "pre"), "a native program, outside of its own sessions; refuses no write"),
)


def main() -> None:
    """Print the table in Markdown, and what could not be measured."""
    with tempfile.TemporaryDirectory(prefix="coordhooks-bench-") as folder:
        variants: Variants = {BARE_NAME: lambda _: run(BARE, {"PATH": PATH}), **ours(Path(folder))}
        absent = []
        for peer in PEERS:
            try:
                install(peer)
                variants |= measured(peer, Path(folder))
            except (subprocess.CalledProcessError, RuntimeError, OSError) as error:
                absent.append(f"| {peer.package}: {type(error).__name__}, not measured | | | | |")
        taken = interleaved(variants)
    base = taken.pop(BARE_NAME)
    print(
        f"## Peers\n\nThe same Write of a free file, against the bare interpreter (= 1.0), {ROUNDS} rounds, interleaved,"
        f" CPython {platform.python_version()}, {sys.platform}, {os.cpu_count()} cores; `python -m bench peers`.\n"
    )
    print(HEAD.format("hook, leases of others"))
    print("\n".join([*(row(name, runs, base) for name, runs in taken.items()), *absent, ""]))


def install(peer: Peer) -> None:
    """Make its environment unless it is there. Raises ``CalledProcessError`` where pip can't."""
    if (peer.bin / peer.hook[0]).exists():
        return
    venv.create(peer.bin.parent, with_pip=True)
    pip = [
        str(peer.bin / "python3"),
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "--quiet",
        peer.package,
    ]
    subprocess.run(pip, check=True)


def version(peer: Peer) -> str:
    code = "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))"
    asked = [str(peer.bin / "python3"), "-c", code, peer.package]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()


def ours(folder: Path) -> Variants:
    program = site(folder)
    return {
        f"coordhooks, {count:,}": writes(Machine(folder / f"ours-{count}", program).leases(count))
        for count in LEASES
    }


def writes(machine: Machine) -> Variant:
    return lambda number: machine.write(f"src/{number}.py", f"call-{number}")


def measured(peer: Peer, folder: Path) -> Variants:
    """A home for each number of leases, and a run of the hook that proves it works."""
    found: Variants = {}
    for count in LEASES if peer.fill else LEASES[:1]:
        home = folder / f"{peer.package}-{count}"
        repo = home / "repo"
        repo.mkdir(parents=True)
        subprocess.run(["git", "init", "--quiet", str(repo)], env={"PATH": PATH}, check=True)
        environ = {"PATH": PATH, "HOME": str(home)}
        environ |= {name: value.format(home=home) for name, value in peer.environ.items()}
        if peer.fill:
            words = [str(peer.bin / "python3"), "-c", PATHS + peer.fill, str(repo), str(count)]
            subprocess.run(words, env=environ, cwd=repo, check=True)
        check = fires(peer, repo, environ)
        check("src/free.py")
        if count and not stopped(check):
            raise RuntimeError(f"{peer.package} does not refuse what another holds")
        found[f"{peer.package} {version(peer)}, {count:,}: {peer.does}"] = writing(check)
    return found


def writing(check: Callable[[str], Run]) -> Variant:
    return lambda number: check(f"src/{number}.py")


def stopped(check: Callable[[str], Run]) -> bool:
    """Is the last of the files that were taken refused, by the exit status or in words?"""
    try:
        check(f"pkg/mod{LEASES[1] - 1}.py")
    except (RuntimeError, AssertionError):
        return True
    return False


def fires(peer: Peer, repo: Path, environ: dict[str, str]) -> Callable[[str], Run]:
    """As a harness does it: in the repository, with a Write on stdin. It lets the write through in silence."""
    command = ["/usr/bin/env", "-C", str(repo), str(peer.bin / peer.hook[0]), *peer.hook[1:]]
    return lambda name: silent(run(command, environ, written_in(repo, name, f"call-{name}")))


if __name__ == "__main__":
    main()
