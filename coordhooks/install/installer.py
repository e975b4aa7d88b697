"""Install the hooks: reads, plans, checks everything, and only then writes."""

import json
import os
from collections.abc import Callable

from coordhooks.errors import ConfigRefused, InstallError
from coordhooks.install import (
    advice,
    codex,
    codex_trust,
    folders,
    home,
    manifest,
    origins,
    plan,
    safefile,
    skill,
    wishes,
)
from coordhooks.install.places import Places
from coordhooks.install.plan import Wish
from coordhooks.install.report import Report, diff, named
from coordhooks.install.wishes import HARNESSES

ASK_TRUST = "Codex runs no hook that you have not trusted. Record now that you trust those of coordhooks?"

Ask = Callable[[str], bool]


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
    home.check(os.environ)
    places = places or Places.here()
    wanted = [
        wish
        for wish in wishes.all_of(places, scope, allow=allow_coord)
        if not HARNESSES[wish.harness].absent(places)
    ]
    if dry_run:
        return _preview(places, wanted, scope, trust_codex=trust_codex)
    if not os.path.isdir(places.root):
        raise InstallError(f"there is no installation in {places.data}: run install.sh first")
    with safefile.lock(places.lock):
        records = manifest.load(places.manifest)
        for wish in wanted:
            _check(wish, records)
        if trust_codex:
            _check_trust(places, wanted)
        report = Report(warnings=advice.warnings(places, scope))
        if scope == "user":
            folders.note(places, folders.missing(*(wish.path for wish in wanted), skill.path_of(places)))
            origins.note(places)
        for wish in wanted:
            _add(wish, records, places, report)
            if wish.harness == codex.NAME:
                _trust(places, wish, records, report, wanted=trust_codex, ask=ask)
        if scope == "user":
            report.changes += skill.write(places, dry_run=False)
    report.warnings += _absent(places) if report.changes else []
    return report


def _check(wish: Wish, records: manifest.Manifest) -> tuple[str, bytes | None, bytes]:
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


def _preview(places: Places, wanted: list[Wish], scope: str, *, trust_codex: bool) -> Report:
    report = Report(warnings=advice.warnings(places, scope))
    records = manifest.load(places.manifest)
    if trust_codex:
        _check_trust(places, wanted)
    for wish in wanted:
        real, before, after = _check(wish, records)
        if before != after:
            report.changes.append(f"would add the hooks to {named(wish.path, real)}")
            report.diff += diff(real, before, after)
        if wish.harness == codex.NAME:
            _preview_trust(places, wish, after, report, wanted=trust_codex)
    report.changes += skill.write(places, dry_run=True) if scope == "user" else []
    report.warnings += _absent(places) if report.changes else []
    return report


def _add(wish: Wish, records: manifest.Manifest, places: Places, report: Report) -> None:
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
        report.changes.append(f"added the hooks to {named(wish.path, real)}")
        if rules := records[real].allowed:
            report.changes.append(f"allowed without asking, in the same file: {', '.join(rules)}")
        if kept := safefile.backups(real):
            report.changes.append(f"the file as it was: {kept[0]}")


def _absent(places: Places) -> list[str]:
    """Which harnesses got no hooks, and why; only worth saying beside something that was done."""
    return [reason for harness in HARNESSES.values() if (reason := harness.absent(places))]


# -- Codex's trust ----------------------------------------------------------------------------------------


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
        record.trust_made = record.trust_made or not os.path.exists(record.trusted_in)
        manifest.save(places.manifest, records)  # before it is done, as with the hooks
        codex_trust.trust(record.trusted_in, skipped)
        report.changes.append(f"recorded your trust in {len(skipped)} hooks in {record.trusted_in}")
        found = codex_trust.hooks(places, path=wish.path)
    report.warnings += filter(None, [codex_trust.advice(found)])


def _preview_trust(places: Places, wish: Wish, after: bytes, report: Report, *, wanted: bool) -> None:
    """The same for hooks that are about to be there."""
    try:
        found = codex_trust.hooks(places, path=wish.path, value=json.loads(after))
    except ConfigRefused as refused:
        report.warnings.append(f"whether Codex trusts the hooks can't be told: {refused}")
        return
    skipped = [hook for hook in found if not codex_trust.active(hook)]
    if skipped and wanted:
        path = codex_trust.config_path(places)
        report.changes.append(f"would record your trust in {len(skipped)} hooks in {path}")
        report.diff += diff(path, *codex_trust.planned(path, skipped))
    elif skipped:
        report.warnings.append(codex_trust.AT_FIRST)


def _check_trust(places: Places, wanted: list[Wish]) -> None:
    if any(wish.harness == codex.NAME for wish in wanted):
        codex_trust.check(places)
