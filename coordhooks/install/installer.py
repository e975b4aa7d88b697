"""Install and uninstall: reads, plans, checks everything, and only then writes."""

import contextlib
import difflib
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from coordhooks.errors import ConfigRefused, InstallError
from coordhooks.install import (
    advice,
    claude_code,
    codex,
    codex_trust,
    environment,
    folders,
    leftovers,
    manifest,
    plan,
    safefile,
    skill,
    wrapper,
)
from coordhooks.install.places import Places
from coordhooks.install.plan import Wish

HARNESSES = {claude_code.NAME: claude_code, codex.NAME: codex}
SCOPES = ("user", "project")
ASK_TRUST = "Codex runs no hook that you have not trusted. Record now that you trust those of coordhooks?"

Ask = Callable[[str], bool]


@dataclass(slots=True)
class Report:
    """What was changed (or, in a dry run, would be), a line each, and what the user should know besides."""

    changes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    diff: str = ""

    def add(self, told: leftovers.Told) -> None:
        self.changes += told[0]
        self.warnings += told[1]

    def __str__(self) -> str:
        lines = [*self.changes, *(f"note: {warning}" for warning in self.warnings)]
        return self.diff + "\n".join(lines or ["nothing to change"])


def install(
    scope: str,
    *,
    dry_run: bool = False,
    allow_coord: bool = False,
    trust_codex: bool = False,
    ask: Ask | None = None,
    places: Places | None = None,
) -> Report:
    """Merge our hooks into the settings of every harness that is in use.

    ``scope`` is ``user`` or ``project`` (the settings in the current folder); ``allow_coord`` also adds the
    permission rules for the agent verbs of ``coord``, ``trust_codex`` records the user's trust in our hooks, for
    which a person is asked otherwise. Raises ConfigRefused or InstallError before any write.
    """
    places = places or Places.here()
    wishes = [
        wish for wish in _wishes(places, scope, allow_coord) if not HARNESSES[wish.harness].absent(places)
    ]
    if dry_run:
        return _preview_install(places, wishes, scope, trust_codex=trust_codex)
    if not os.path.isdir(places.root):
        raise InstallError(f"there is no installation in {places.data}: run install.sh first")
    with safefile.lock(places.lock):
        records = manifest.load(places.manifest)
        for wish in wishes:
            _check_install(wish, records)
        if trust_codex:
            _check_trust(places, wishes)
        report = Report(warnings=advice.warnings(places, scope))
        if scope == "user":
            folders.note(places, folders.missing(*(wish.path for wish in wishes), skill.path_of(places)))
        for wish in wishes:
            _install_one(places, wish, records, report)
            if wish.harness == codex.NAME:
                _trust(places, wish, records, report, wanted=trust_codex, ask=ask)
        if scope == "user":
            report.changes += skill.write(places, dry_run=False)
    report.warnings += _absent(places) if report.changes else []
    return report


def uninstall(
    scope: str = "user", *, purge: bool = False, dry_run: bool = False, places: Places | None = None
) -> Report:
    """Take our entries out of every file on record, then remove the program.

    Entries go before files, so that no hook is left without its program. ``scope`` ``project`` takes out the
    current folder's only and leaves the program. ``purge`` also removes store, settings and backups.
    Raises ConfigRefused or InstallError before any write.
    """
    places = places or Places.here()
    wishes = _wishes(places, scope, False)
    if dry_run:
        return _uninstall(places, wishes, scope, purge, dry_run=True)
    traces = [places.data, places.state, places.config, places.coord, *(wish.path for wish in wishes)]
    if not any(os.path.lexists(path) for path in traces) and not leftovers.exporting(places):
        return Report()  # not even a lock file is to be made
    _uninstall(places, wishes, scope, purge, dry_run=True)  # refuses before the lock file is made
    with safefile.lock(places.lock):
        noted = folders.noted(places)
        report = _uninstall(places, wishes, scope, purge, dry_run=False)
        if scope == "user":
            folders.remove(noted)  # now, because whoever kills us here will find them on record, too
            folders.forget(places)
            os.unlink(places.lock)
    if scope == "user":
        folders.remove([places.data, *noted])  # the store or a user's file may be in them: those stay
    return report


def snippet(harness: str, places: Places | None = None) -> str:
    """The entries for the hooks file of a harness, one of ``HARNESSES``, as JSON text to paste by hand."""
    return _wish(places or Places.here(), HARNESSES[harness], "user", False).snippet()


# -- install ----------------------------------------------------------------------------------------------


def _wishes(places: Places, scope: str, allow: bool) -> list[Wish]:
    if scope not in SCOPES:
        raise InstallError(f"unknown scope {scope!r}: use one of {', '.join(SCOPES)}")
    try:
        (places.python + places.claude_config).encode()
    except UnicodeEncodeError:
        raise InstallError(f"{places.data!r} is not UTF-8, so no JSON file can name it") from None
    return [_wish(places, harness, scope, allow) for harness in HARNESSES.values()]


def _wish(places: Places, harness: Any, scope: str, allow: bool) -> Wish:
    path = harness.settings_path(places, project=scope == "project")
    rules = harness.ALLOW_RULES if allow else ()
    return Wish(path, harness.NAME, harness.TITLE, harness.groups(places.python, places.root), rules)


def _check_install(wish: Wish, records: manifest.Manifest) -> tuple[str, bytes | None, bytes]:
    """(real path, content, planned content), all checks made. Raises ConfigRefused."""
    try:
        real = safefile.target(wish.path)
        before = safefile.read(real)
        after, _ = plan.installed(before, records.get(real), wish)
        if after != before:
            safefile.check_writable(real)
    except ConfigRefused as refused:
        instead = f"To put the hooks there by hand: `install.sh --snippet {wish.harness}` prints them."
        raise ConfigRefused(
            wish.path, refused.reason, line=refused.line, column=refused.column, instead=instead
        ) from refused
    return real, before, after


def _check_trust(places: Places, wishes: list[Wish]) -> None:
    if any(wish.harness == codex.NAME for wish in wishes):
        codex_trust.check(places)


def _preview_install(places: Places, wishes: list[Wish], scope: str, *, trust_codex: bool) -> Report:
    report = Report(warnings=advice.warnings(places, scope))
    records = manifest.load(places.manifest)
    if trust_codex:
        _check_trust(places, wishes)
    for wish in wishes:
        real, before, after = _check_install(wish, records)
        if before != after:
            report.changes.append(f"would add the hooks to {_named(wish.path, real)}")
            report.diff += _diff(real, before, after)
            if wish.harness == codex.NAME and trust_codex:
                report.changes.append(f"would record your trust in them in {codex_trust.config_path(places)}")
            elif wish.harness == codex.NAME:
                report.warnings.append(codex_trust.AT_FIRST)
    report.changes += skill.write(places, dry_run=True) if scope == "user" else []
    report.warnings += _absent(places) if report.changes else []
    return report


def _install_one(places: Places, wish: Wish, records: manifest.Manifest, report: Report) -> None:
    real = safefile.target(wish.path)
    made = folders.missing(real)

    def edit(before: bytes | None) -> bytes:
        after, record = plan.installed(before, records.get(real), wish)
        record.folders = record.folders or made
        if records.get(real) != record:
            # Recorded before it is done: whoever kills us in between, uninstalling knows what to look for.
            records[real] = record
            manifest.save(places.manifest, records)
        return after

    if safefile.change(real, edit):
        report.changes.append(f"added the hooks to {_named(wish.path, real)}")
        if rules := records[real].allowed:
            report.changes.append(f"allowed without asking, in the same file: {', '.join(rules)}")
        if kept := safefile.backups(real):
            report.changes.append(f"the file as it was: {kept[0]}")


def _trust(
    places: Places, wish: Wish, records: manifest.Manifest, report: Report, *, wanted: bool, ask: Ask | None
) -> None:
    """Codex skips hooks that it was not told to trust: do so for a user who wants it, else say it."""
    try:
        found = codex_trust.hooks(places, path=wish.path)
    except ConfigRefused as refused:
        report.warnings.append(f"whether Codex trusts the hooks can't be told: {refused}")
        return
    skipped = [hook for hook in found if not codex_trust.active(hook)]
    if skipped and (wanted or (ask is not None and ask(ASK_TRUST))):
        record = records[safefile.target(wish.path)]
        record.trusted_in = codex_trust.config_path(places)
        record.trusted = sorted({*record.trusted, *(hook.key for hook in skipped)})
        manifest.save(places.manifest, records)  # before it is done, as with the hooks
        codex_trust.trust(record.trusted_in, skipped)
        report.changes.append(f"recorded your trust in {len(skipped)} hooks in {record.trusted_in}")
        found = codex_trust.hooks(places, path=wish.path)
    report.warnings += filter(None, [codex_trust.advice(found)])


def _absent(places: Places) -> list[str]:
    """Which harnesses got no hooks, and why; only worth saying beside something that was done."""
    return [reason for harness in HARNESSES.values() if (reason := harness.absent(places))]


# -- uninstall --------------------------------------------------------------------------------------------


def _uninstall(places: Places, wishes: list[Wish], scope: str, purge: bool, *, dry_run: bool) -> Report:
    records = manifest.load(places.manifest)
    paths = {real: wish for wish in wishes if (real := _reached(wish.path))}
    if scope == "user":
        for real, record in records.items():
            paths.setdefault(real, _recorded(places, real, record))
    for real, wish in paths.items():
        _check_remove(real, wish, records)
    report = Report()
    if scope == "user":  # first, for it lies in a folder that may have been made for the settings
        report.changes += skill.remove(places, dry_run=dry_run)
    for real, wish in paths.items():
        _remove_one(places, real, wish, records, report, purge=purge, dry_run=dry_run)
    if scope == "user":
        report.changes += wrapper.remove(places, dry_run=dry_run)
        report.changes += environment.remove(places, dry_run=dry_run)
        report.add(leftovers.exports(places, purge=purge, dry_run=dry_run))
        report.changes += _purge(places, dry_run=dry_run) if purge else []
        kept = [folder for folder in dict.fromkeys((places.state, places.config)) if _in_use(places, folder)]
        if kept and not purge:
            report.warnings.append(f"kept the store and settings in {', '.join(kept)} (--purge removes them)")
    return report


def _reached(path: str) -> str | None:
    """The file behind a path; none where a link leads nowhere, for nothing of ours can be there."""
    try:
        return safefile.target(path)
    except ConfigRefused:
        return None


def _in_use(places: Places, folder: str) -> bool:
    """Whether anything but the installer's own is in a folder; on macOS all of ours are one."""
    made = (places.lock, places.versions, places.current, places.manifest, folders.record(places))
    own = {os.path.basename(path) for path in made}
    return os.path.isdir(folder) and bool(set(os.listdir(folder)) - own)


def _recorded(places: Places, real: str, record: manifest.Record) -> Wish:
    wish = _wish(places, HARNESSES.get(record.harness, claude_code), "user", False)
    wish.path = real
    return wish


def _check_remove(real: str, wish: Wish, records: manifest.Manifest) -> None:
    before = safefile.read(real)
    if plan.removed(before, records.get(real), wish) != before:
        safefile.check_writable(real)


def _remove_one(
    places: Places,
    real: str,
    wish: Wish,
    records: manifest.Manifest,
    report: Report,
    *,
    purge: bool,
    dry_run: bool,
) -> None:
    record = records.get(real)
    before = safefile.read(real)
    after = plan.removed(before, record, wish)
    if dry_run:
        if before != after:
            report.changes.append(f"would take the hooks out of {_named(wish.path, real)}")
            report.diff += _diff(real, before, after)
        return
    is_codex = wish.harness == codex.NAME
    displaced = codex_trust.displaced(real) if is_codex else []
    entered = codex_trust.entered(places, wish.path) if is_codex else []
    # What we wrote ourselves and can take back exactly needs no backup.
    backup = not plan.is_untouched(before, record)
    if safefile.change(real, lambda content: plan.removed(content, record, wish), backup=backup):
        gone = after is None
        report.changes.append(
            f"removed {real}, which we had made"
            if gone
            else f"took the hooks out of {_named(wish.path, real)}"
        )
    if displaced:
        report.warnings.append(
            f"Codex knows hooks by their place, so those after ours ({', '.join(displaced)}) have to be trusted anew"
        )
    left = safefile.drop_needless_backups(real) + _distrust(record, report)
    for old in left if purge else ():
        os.unlink(old)
        report.changes.append(f"removed the backup {old}")
    if left and not purge:
        report.warnings.append(f"backups left (--purge removes them): {', '.join(left)}")
    others = [key for key in entered if record is None or key not in record.trusted]
    report.add(leftovers.trust(places, others, purge=purge))
    if own := leftovers.rules(real):
        report.warnings.append(f"your own permission rules for `coord` stay in {wish.path}: {', '.join(own)}")
    folders.remove(record.folders if record else [])
    if records.pop(real, None):
        manifest.save(places.manifest, records)


def _distrust(record: manifest.Record | None, report: Report) -> list[str]:
    """Take back the trust that we recorded; returns the backups that are left of that file."""
    if record is None or not record.trusted:
        return []
    try:
        keys = codex_trust.distrust(record.trusted_in, record.trusted)
    except ConfigRefused as refused:  # the hooks are gone, so the entries do nothing
        report.warnings.append(str(refused))
        return []
    if keys:
        report.changes.append(f"took {len(keys)} entries of trust out of {record.trusted_in}")
    return safefile.drop_needless_backups(safefile.target(record.trusted_in))


def _purge(places: Places, *, dry_run: bool) -> list[str]:
    ours = [f for f in dict.fromkeys((places.state, places.config, places.data)) if os.path.isdir(f)]
    if dry_run:
        return [f"would remove {folder}" for folder in ours]
    for folder in ours:
        for entry in os.scandir(folder):
            if entry.path == places.lock:
                continue  # we hold it
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)
        if folder != places.data:
            with contextlib.suppress(OSError):
                os.rmdir(folder)
    return [f"removed {folder}" for folder in ours]


# -- words ------------------------------------------------------------------------------------------------


def _named(path: str, real: str) -> str:
    return (
        path
        if os.path.realpath(os.path.dirname(path)) == os.path.dirname(real)
        else f"{path} (a link to {real})"
    )


def _diff(path: str, before: bytes | None, after: bytes | None) -> str:
    old, new = (
        (content or b"").decode(errors="replace").splitlines(keepends=True) for content in (before, after)
    )
    lines = difflib.unified_diff(
        old,
        new,
        path if before is not None else "/dev/null",
        path if after is not None else "/dev/null",
    )
    return "".join(
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines
    )
