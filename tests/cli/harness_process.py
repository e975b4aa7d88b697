"""A fake harness as a real process: registers a runtime for its own pid and runs ``coord`` below it.

``CONVERSATION ARGUMENT...`` runs one command, ``CONVERSATION --shell LINE`` a shell line. The exit code is the child's.
"""

import os
import subprocess
import sys

from coordhooks import locations
from coordhooks.paths import repository_of
from coordhooks.process import Here, identity
from coordhooks.store import CoordStore

COORD = "import sys; sys.argv[0] = 'coord'; from coordhooks.cli import main; sys.exit(main())"


def main(conversation: str, *words: str) -> int:
    cwd = os.getcwd()
    tree, project = repository_of(cwd, is_folder=True)
    store = CoordStore(os.path.join(locations.state_dir(os.environ), "coord.sqlite3"))
    process = identity(os.getpid(), Here())
    store.register_instance(
        conversation, harness="claude-code", cwd=cwd, tree=tree, project=project, process=process
    )
    store.close()
    if words[0] != "--shell":
        return subprocess.run([sys.executable, "-c", COORD, *words], check=False).returncode
    folder = os.path.join(os.environ["HOME"], "bin")
    os.makedirs(folder, exist_ok=True)
    script = os.path.join(folder, "coord")
    with open(script, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nexec {sys.executable} -c "{COORD}" "$@"\n')
    os.chmod(script, 0o755)
    env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    return subprocess.run(["/bin/sh", "-c", f"{words[1]}; exit $?"], env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
