"""Safe edits of other people's configuration, and the program's own installation.

All of it runs on the bare standard library: install.sh uses it before the private environment exists, and
uninstalling must work when that environment is broken.
"""

from coordhooks.install.installer import install
from coordhooks.install.report import Report
from coordhooks.install.uninstaller import uninstall
from coordhooks.install.wishes import snippet

__all__ = ["Report", "install", "snippet", "uninstall"]
