"""What killed processes leave: files in the making, which go when nobody can be making them any more."""

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LEFT_SECONDS = 3600  # nobody makes one file for so long


def sweep(folder: str, is_in_the_making: "Callable[[str], bool]") -> None:
    """Remove the old ones among the files of such a name.

    What can't be removed now, or just took its name, is looked at the next time. Raises ``OSError`` for the folder.
    """
    for name in filter(is_in_the_making, os.listdir(folder)):
        path = os.path.join(folder, name)
        try:
            if time.time() - os.lstat(path).st_mtime > LEFT_SECONDS:
                os.unlink(path)
        except OSError:
            continue
