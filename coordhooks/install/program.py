"""The program itself: its environment, the link to it, and the ``coord`` command. Hooks are not its matter."""

import os
from collections.abc import Iterable

from coordhooks.install import environment, folders, origins, safefile, wrapper
from coordhooks.install.places import Places


def check(places: Places) -> None:
    """Raise ``InstallError`` if it can't be put there; nothing is written."""
    wrapper.check(places)
    origins.check(places)
    for path in (places.manifest, places.coord):
        safefile.check_writable(path)


def put(checkout: str, python: str, places: Places, say: environment.Say) -> list[str]:
    """Install or upgrade it; says what was done. If that fails, all is as it was before.

    Raises ``InstallError`` or ``OSError``.
    """
    # The program's own, and what hooks will make at their first call.
    inside = (os.path.join(folder, "any") for folder in (places.data, places.state, places.config))
    absent = folders.missing(places.coord, *inside)
    records = (places.current, places.manifest, folders.record(places), origins.record(places))
    fresh = not any(map(os.path.lexists, records))
    try:
        with safefile.lock(places.lock):
            try:
                folders.note(places, absent)
                origins.note(places)
                done = environment.activate(places, environment.build(checkout, python, places, say))
                return done + wrapper.write(places)
            except BaseException:
                if fresh:
                    environment.remove(places, dry_run=False)
                    forget(places)
                raise
    except BaseException:
        folders.remove(absent)
        raise


def forget(places: Places, noted: Iterable[str] = ()) -> None:
    """The last step of leaving, under the lock: the records, the lock itself, and the folders that are empty then."""
    folders.remove(noted)  # now, because whoever kills us here will find them on record, too
    folders.forget(places)
    origins.forget(places)
    os.unlink(places.lock)
