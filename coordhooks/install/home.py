"""Whose home we write into has to be said, and be the user's own."""

import os
from collections.abc import Mapping

from coordhooks import locations
from coordhooks.errors import InstallError


def check(environ: Mapping[str, str]) -> None:
    """Raise ``InstallError`` unless HOME names the home of this user.

    Hooks make do without it. But what is put into the account's home unasked is missed where it was wanted; and under
    sudo HOME may be another's: what we wrote there would lock its owner out.
    """
    said = environ.get("HOME")
    if not said or not os.path.isabs(said):
        account = locations.home({})
        what = f"is {said!r}, no absolute path" if said else "is empty" if said == "" else "is not set"
        raise InstallError(f"HOME {what}: set it (HOME={account}, if that is meant); nothing was changed")
    if not os.path.isdir(said):
        raise InstallError(f"the home folder {said} does not exist: set HOME; nothing was changed")
    owner = os.stat(said).st_uid
    if owner != os.getuid():
        raise InstallError(
            f"{said} belongs to user id {owner}, not {os.getuid()}: run this as that user, without sudo;"
            " nothing was changed"
        )
