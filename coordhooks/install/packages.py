"""What a plugin has besides its own files: an interpreter that lasts, compiled modules, and packages if there are any.

Its hooks need none of it. It is prepared when a session starts, in the folder that the harness keeps for it:

    env       the private environment of ``coord setup`` or install.sh, else ``bare``
    bare      an interpreter and nothing more
    compiled  modules as bytecode, for nothing is ever written into the plugin itself
    told      its person knows what is missing
"""

import json
import os
import shlex
import sys

from coordhooks.errors import CoordError
from coordhooks.install import home, interpreter, plugins, program, wrapper
from coordhooks.install.places import Places
from coordhooks.locations import make_folder

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COORD = os.path.join(ROOT, "bin", "coord")
SETUP = "setup"
RUN = "import sys; sys.path.insert(0, sys.argv[1]); sys.argv[:2] = ['coord']; from coordhooks.cli import main; sys.exit(main())"


def missing() -> str:
    """What does not work without the packages, and how to get them."""
    return (
        "the `coord` command and the check of shell commands need a few Python packages;"
        f" to install them once, into a folder of its own, run: {shlex.quote(COORD)} {SETUP}"
    )


# -- when a session starts --------------------------------------------------------------------------------


def main() -> None:
    """The plugin's own hook: ``--data`` names its folder. What is missing is told once, to the person alone."""
    said = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=False))
    data = said["--data"]
    try:
        has_packages = prepare(data, Places.here())
        if said["--harness"] == "claude-code":
            _export(os.environ.get("CLAUDE_ENV_FILE", ""))
        if not has_packages and _first_time(os.path.join(data, "told")):
            print(json.dumps({"systemMessage": f"coordhooks guards file writes now. But {missing()}"}))
    except (CoordError, OSError) as error:  # hooks run without, and a session must start
        print(json.dumps({"systemMessage": f"coordhooks could not prepare {data}: {error}"}))


def prepare(data: str, places: Places) -> bool:
    """Bring a plugin's folder up to date; whether it has packages. Raises ``OSError``."""
    make_folder(os.path.join(data, "compiled"))  # its bytecode is run: nobody else may write there
    has_packages = os.path.isdir(places.root) and os.access(places.python, os.X_OK)
    if not has_packages:
        bare = os.path.join(data, "bare", "bin", "python3")
        make_folder(os.path.dirname(bare))
        if not os.access(bare, os.X_OK):  # else it may be what runs us
            _link(interpreter.stable(), bare)
    _link(places.current if has_packages else "bare", os.path.join(data, "env"))
    return has_packages


def _link(target: str, path: str) -> None:
    """A symbolic link, changed in one step: other sessions use it."""
    if os.path.islink(path) and os.readlink(path) == target:
        return
    new = f"{path}.{os.getpid()}"
    os.symlink(target, new)
    os.replace(new, path)


def _export(env_file: str) -> None:
    """Let the agent's shell find ``coord``: Claude Code leaves a ``bin`` with odd characters in its path out."""
    if env_file:
        with open(env_file, "a", encoding="utf-8", errors="surrogateescape") as file:
            file.write(f'export PATH="$PATH":{shlex.quote(os.path.dirname(COORD))}\n')


def _first_time(mark: str) -> bool:
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    return True


# -- the plugin's `coord` ---------------------------------------------------------------------------------


def coord() -> int:
    """``coord`` in the environment if there is one, else how to get it; ``coord setup`` makes it."""
    places, arguments = Places.here(), sys.argv[1:]
    if arguments == [SETUP]:
        return _setup(places)
    if os.path.isdir(places.root) and os.access(places.python, os.X_OK):
        os.execv(places.python, [places.python, "-I", "-B", "-c", RUN, ROOT, *arguments])
    print(f"coord: {missing()}", file=sys.stderr)
    return 1


def _setup(places: Places) -> int:
    try:
        home.check(os.environ)
        program.check(places)
        done = program.put(ROOT, interpreter.stable(), places, print)
        for plugin in plugins.installed(places):
            prepare(plugin.data, places)
    except (CoordError, OSError) as error:  # OSError: a full disk, say; nothing is half done
        print(f"coord setup: {error}", file=sys.stderr)
        return 1
    told = [*(done or ["nothing to change"]), *wrapper.path_note(places, places.search_path)]
    print("\n".join([*told, f"{os.path.join(ROOT, 'install.sh')} --uninstall takes it away again"]))
    return 0
