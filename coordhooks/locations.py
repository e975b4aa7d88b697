"""Where coordhooks keeps its own files: the same folders as platformdirs gives, at a hundredth of its cost.

Relative and empty XDG values are ignored, as the XDG specification demands; without ``HOME`` the account's
own home folder counts. So two agents with different environments still meet in one store.
"""

import os
import sys

APP = "coordhooks"


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


def _folder(environ: "os._Environ[str] | dict[str, str]", variable: str, default: str) -> str:
    said = environ.get(variable, "").strip()
    if os.path.isabs(said):
        return os.path.join(said, APP)
    if sys.platform == "darwin":
        return os.path.join(home(environ), "Library", "Application Support", APP)
    if sys.platform == "win32":
        return os.path.join(environ.get("LOCALAPPDATA") or home(environ), APP)
    return os.path.join(home(environ), *default.split("/"), APP)
