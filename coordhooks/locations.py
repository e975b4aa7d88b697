"""Where coordhooks keeps its own files: the same folders as platformdirs gives, at a hundredth of its cost.

Relative and empty XDG values are ignored, as the XDG specification demands; without ``HOME`` the account's
own home folder counts. So two agents with different environments still meet in one store.
"""

import os
import sys

APP = "coordhooks"
DATABASE = "coord.sqlite3"  # the store, in the state folder
FOLDER_MODE = 0o700
MAX_CONTENTS = 1 << 20  # bytes of a file that a person writes by hand
MAX_CONFIG = 1 << 28  # bytes of a file that a harness writes as well


def state_dir(environ: "os._Environ[str] | dict[str, str]") -> str:
    """The folder of the store, the ledger and the lock files."""
    return _folder(environ, "XDG_STATE_HOME", ".local/state")


def config_dir(environ: "os._Environ[str] | dict[str, str]") -> str:
    """The folder of the user's ``config.toml``."""
    return _folder(environ, "XDG_CONFIG_HOME", ".config")


def data_dir(environ: "os._Environ[str] | dict[str, str]") -> str:
    """The folder of the installation."""
    return _folder(environ, "XDG_DATA_HOME", ".local/share")


def home(environ: "os._Environ[str] | dict[str, str]") -> str:
    """The user's home folder, an absolute path, whatever ``HOME`` says."""
    said = environ.get("HOME", "") if os.name == "posix" else environ.get("USERPROFILE", "")
    if os.path.isabs(said):
        return said
    if os.name != "posix":
        return os.path.expanduser("~")
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:  # a container's made-up user
        raise RuntimeError("no home folder is known for this user: set HOME") from None


def make_folder(path: str) -> None:
    """The folder and all that is missing above it, each 0700 whatever the umask. Raises ``OSError``."""
    if os.path.isdir(path) or path == os.path.dirname(path):
        return
    make_folder(os.path.dirname(path))
    try:
        os.mkdir(path, FOLDER_MODE)
    except FileExistsError:  # another process made it at the same moment
        return
    os.chmod(path, FOLDER_MODE)  # a umask may have taken our own bits away


def contents(path: str, limit: int = MAX_CONTENTS) -> bytes:
    """What is in a user's file. Raises ``OSError``, also for a pipe or a device: neither might ever end."""
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        found = os.fstat(fd)
        if found.st_mode & 0o170000 != 0o100000:
            raise OSError(22, "it is not a regular file", path)
        if found.st_size > limit:
            raise OSError(27, f"it is larger than {limit} bytes", path)
        return os.read(fd, limit)
    finally:
        os.close(fd)


def _folder(environ: "os._Environ[str] | dict[str, str]", variable: str, default: str) -> str:
    said = environ.get(variable, "").strip()
    if os.path.isabs(said):
        return os.path.join(said, APP)
    if sys.platform == "darwin":
        return os.path.join(home(environ), "Library", "Application Support", APP)
    if sys.platform == "win32":
        return os.path.join(environ.get("LOCALAPPDATA") or home(environ), APP)
    return os.path.join(home(environ), *default.split("/"), APP)
