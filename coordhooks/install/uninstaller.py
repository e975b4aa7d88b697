"""Take everything out again: reads, plans, checks everything, and only then writes."""

import contextlib
import os
import shutil
from collections.abc import Iterable

from coordhooks.errors import ConfigRefused
from coordhooks.install import (
    codex,
    codex_trust,
    environment,
    folders,
    home,
    leftovers,
    manifest,
    merge,
    origins,
    plan,
    program,
    safefile,
    skill,
    wishes,
    wrapper,
)
from coordhooks.install.jsonfile import taken
from coordhooks.install.places import Places
from coordhooks.install.plan import Wish
from coordhooks.install.report import Report, diff, named

UNTOUCHED = "Nothing was taken out; uninstall again when that is repaired."

Found = dict[str, tuple[Wish, Places]]  # by the real path of a file that may have our hooks


def uninstall(
    scope: str = "user", *, purge: bool = False, dry_run: bool = False, places: Places | None = None
) -> Report:
    """Take our entries out of every file on record, then remove the program.

    Entries go before files, so that no hook is left without its program. ``scope`` ``project`` takes out the
    current folder's only and leaves the program. ``purge`` also removes store, settings and backups.
    Raises ConfigRefused or InstallError before any write.
    """
    home.check(os.environ)
    everywhere = origins.installed(places or Places.here())
    places = everywhere[0]
    if dry_run:
        return _uninstall(everywhere, scope, purge, dry_run=True)
    if not any(map(os.path.lexists, _traces(everywhere, scope))) and not any(
        map(leftovers.exporting, everywhere)
    ):
        return Report()  # not even a lock file is to be made
    _uninstall(everywhere, scope, purge, dry_run=True)  # refuses before the lock file is made
    with safefile.lock(places.lock):
        noted = folders.noted(places)
        report = _uninstall(everywhere, scope, purge, dry_run=False)
        if scope == "user":
            # It leads to the records, so it goes with them.
            report.changes += wrapper.remove(places, dry_run=False)
            program.forget(places, noted)
    if scope == "user":
        folders.remove([places.data, *noted])  # the store or a user's file may be in them: those stay
    return report


def _traces(everywhere: list[Places], scope: str) -> list[str]:
    own = (path for p in everywhere for path in (p.data, p.state, p.config, p.coord))
    return [*own, *(wish.path for p in everywhere for wish in wishes.all_of(p, scope))]


def _uninstall(everywhere: list[Places], scope: str, purge: bool, *, dry_run: bool) -> Report:
    places = everywhere[0]
    records = manifest.load(places.manifest)
    found = _found(everywhere, scope, records)
    for real, (wish, where) in found.items():
        _check(where, real, wish, records, purge=purge)
    report = Report()
    if scope == "user":  # first, for it lies in a folder that may have been made for the settings
        for skills in {skill.path_of(p): p for p in everywhere}.values():
            report.changes += skill.remove(skills, dry_run=dry_run)
    for real, (wish, where) in found.items():
        if dry_run:
            _preview(real, wish, records, report)
        else:
            _take_out(places, where, real, wish, records, report, purge=purge)
    if scope == "user":
        report.changes += environment.remove(places, dry_run=dry_run)
        report.changes += wrapper.remove(places, dry_run=True) if dry_run else []
        for exporting in {p.claude_config: p for p in everywhere}.values():
            report.add(leftovers.exports(exporting, purge=purge, dry_run=dry_run))
        _leave(everywhere, report, purge=purge, dry_run=dry_run)
    return report


def _found(everywhere: list[Places], scope: str, records: manifest.Manifest) -> Found:
    """The files that may have our hooks: those of today's variables, and those on record."""
    found: Found = {}
    for places in everywhere:
        for wish in wishes.all_of(places, scope):
            if real := _reached(wish.path):
                found.setdefault(real, (wish, places))
    if scope == "user":
        for real, record in records.items():
            found.setdefault(real, (wishes.recorded(everywhere[0], real, record), everywhere[0]))
    return found


def _reached(path: str) -> str | None:
    """The file behind a path; none where a link leads nowhere, for nothing of ours can be there."""
    try:
        return safefile.target(path)
    except ConfigRefused:
        return None


def _check(places: Places, real: str, wish: Wish, records: manifest.Manifest, *, purge: bool) -> None:
    """Raise ConfigRefused unless all that is to be taken out can be: a half would be forgotten."""
    record = records.get(real)
    try:
        before = safefile.read(real)
        if plan.removed(before, record, wish) != before:
            safefile.check_writable(real)
        if record and record.trusted:
            codex_trust.check_distrust(record.trusted_in)
        if purge and wish.harness == codex.NAME and merge.installed(taken(real)):
            codex_trust.check_distrust(codex_trust.config_path(places))
    except ConfigRefused as refused:
        raise ConfigRefused(
            refused.path, refused.reason, line=refused.line, column=refused.column, instead=UNTOUCHED
        ) from refused


def _preview(real: str, wish: Wish, records: manifest.Manifest, report: Report) -> None:
    record, before = records.get(real), safefile.read(real)
    after = plan.removed(before, record, wish)
    if before != after:
        what = "remove" if after is None else "take the hooks out of"
        report.changes.append(f"would {what} {named(wish.path, real)}")
        report.diff += diff(real, before, after)
    if record and record.trusted:
        report.changes.append(f"would take our entries of trust out of {record.trusted_in}")


def _take_out(
    places: Places,
    where: Places,
    real: str,
    wish: Wish,
    records: manifest.Manifest,
    report: Report,
    *,
    purge: bool,
) -> None:
    record = records.get(real)
    before = safefile.read(real)
    is_codex = wish.harness == codex.NAME
    displaced = codex_trust.displaced(real) if is_codex else []
    entered = _entered(where, wish, report) if is_codex else []
    # What we wrote ourselves and can take back exactly needs no backup.
    backup = not plan.is_untouched(before, record)
    if safefile.change(real, lambda content: plan.removed(content, record, wish), backup=backup):
        gone = not os.path.exists(real)
        report.changes.append(
            f"removed {real}, which we had made"
            if gone
            else f"took the hooks out of {named(wish.path, real)}"
        )
    elif record and not os.path.isdir(os.path.dirname(real)):
        report.warnings.append(
            f"{os.path.dirname(real)} is not there: if {os.path.basename(real)} comes back with our hooks, run"
            " install.sh --uninstall again"
        )
    if displaced:
        report.warnings.append(
            f"Codex knows hooks by their place, so those after ours ({', '.join(displaced)}) have to be trusted anew"
        )
    left = safefile.drop_needless_backups(real) + _distrust(where, record, entered, report, purge=purge)
    _backups(left, report, purge=purge)
    if own := leftovers.rules(real):
        report.warnings.append(f"your own permission rules for `coord` stay in {wish.path}: {', '.join(own)}")
    folders.remove(record.folders if record else [])
    if records.pop(real, None):
        manifest.save(places.manifest, records)


def _backups(left: list[str], report: Report, *, purge: bool) -> None:
    if left and not purge:
        report.warnings.append(f"backups left (--purge removes them): {', '.join(left)}")
    for old in left if purge else ():
        os.unlink(old)
        report.changes.append(f"removed the backup {old}")


# -- Codex's trust ----------------------------------------------------------------------------------------


def _entered(places: Places, wish: Wish, report: Report) -> list[str]:
    """The keys of the hooks on which Codex's configuration has a word."""
    try:
        return codex_trust.entered(places, wish.path)
    except ConfigRefused as refused:
        report.warnings.append(f"whether entries of trust for our hooks are left can't be told: {refused}")
        return []


def _distrust(
    places: Places, record: manifest.Record | None, entered: list[str], report: Report, *, purge: bool
) -> list[str]:
    """Take back the trust that we recorded, in a purge all of it; returns the backups that are left of that file."""
    recorded = record if record and record.trusted else None
    try:
        if recorded:
            keys = codex_trust.distrust(recorded.trusted_in, recorded.trusted, made=recorded.trust_made)
            if keys:
                report.changes.append(f"took {len(keys)} entries of trust out of {recorded.trusted_in}")
        if entered:
            report.add(leftovers.trust(places, codex_trust.among(places, entered), purge=purge))
    except ConfigRefused as refused:  # written in another way than ours; without the hooks they do nothing
        report.warnings.append(str(refused))
    return safefile.drop_needless_backups(safefile.target(recorded.trusted_in)) if recorded else []


# -- what is ours alone -----------------------------------------------------------------------------------


def _leave(everywhere: list[Places], report: Report, *, purge: bool, dry_run: bool) -> None:
    """The store and the settings: kept, unless they are to go as well."""
    places = everywhere[0]
    kept = dict.fromkeys(folder for p in everywhere for folder in (p.state, p.config))
    if purge:
        report.changes += _purge(places, [*kept, places.data], dry_run=dry_run)
    elif used := [folder for folder in kept if _in_use(places, folder)]:
        does = "would keep" if dry_run else "kept"
        report.warnings.append(f"{does} the store and settings in {', '.join(used)} (--purge removes them)")


def _in_use(places: Places, folder: str) -> bool:
    """Whether anything but the installer's own is in a folder; on macOS all of ours are one."""
    own = {os.path.basename(path) for path in (places.versions, places.current, *_records(places))}
    return os.path.isdir(folder) and bool(set(os.listdir(folder)) - own)


def _records(places: Places) -> tuple[str, ...]:
    return places.lock, places.manifest, folders.record(places), origins.record(places)


def _purge(places: Places, found: Iterable[str], *, dry_run: bool) -> list[str]:
    ours = [folder for folder in dict.fromkeys(found) if os.path.isdir(folder)]
    if dry_run:
        return [f"would remove {folder}" for folder in ours]
    for folder in ours:
        for entry in os.scandir(folder):
            if entry.path in _records(places):
                continue  # they go last
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)
        if folder != places.data:
            with contextlib.suppress(OSError):
                os.rmdir(folder)
    return [f"removed {folder}" for folder in ours]
