"""Safe edits of other people's configuration, and the program's own installation.

All of it runs on the bare standard library: install.sh uses it before the private environment exists, and
uninstalling must work when that environment is broken.
"""

from coordhooks.install.installer import Report, install, snippet, uninstall

__all__ = ["Report", "install", "snippet", "uninstall"]
