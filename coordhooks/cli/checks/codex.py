"""Codex: installed, trusted and seen firing are three things, and one odd entry makes it drop a whole file."""

from collections.abc import Iterator
from dataclasses import replace

from coordhooks.cli.checks.configfile import ABSENT, BROKEN, INSTALL, PLUGIN_GONE, ConfigFile, hooks, once
from coordhooks.cli.checks.finding import Finding, fault, good, note
from coordhooks.cli.session import Session
from coordhooks.errors import ConfigRefused
from coordhooks.install import codex, codex_shape, codex_trust, plugins
from coordhooks.install.codex_trust import Hook
from coordhooks.install.places import Places
from coordhooks.install.plugins import Plugin

CHECK = "Codex"
WHOLE = "so Codex drops the whole file, without a word: our hooks in it don't run"
BY_HAND = "in Codex: `/hooks`, then trust them"
TRUST = "in Codex: `/hooks`, then trust them; or let `coord install --trust-codex` record it"


def check(session: Session) -> Iterator[Finding]:
    places = Places.here(dict(session.environ), session.cwd)
    if absent := codex.absent(places):
        yield note(CHECK, absent)
        return
    file = ConfigFile(codex.settings_path(places, project=False))
    plugin = next(iter(plugins.of(places, codex.NAME)), None)
    root = session.tree or places.cwd  # Codex reads the project's file there, from every folder below
    project = ConfigFile(codex.settings_path(replace(places, cwd=root), project=True))
    try:
        in_project = bool(project.ours) and codex_trust.trusts_project(places, root)
        guarded = in_project or (plugin is not None and plugin.active)
        if not guarded or file.is_about_us:
            yield from _hooks(file)
        if in_project and not file.ours:
            yield from _hooks(project)
            yield from _trust(
                codex_trust.hooks(places, path=project.path), codex_trust.config_path(places), "hooks"
            )
        yield from _switches(places)
        yield from _trust(codex_trust.hooks(places), codex_trust.config_path(places), "hooks")
        if plugin is not None:
            yield from _plugin(places, plugin, file)
    except ConfigRefused as error:
        yield fault(
            CHECK, error.reason, file=codex_trust.config_path(places), remedy="correct it in an editor"
        )
    if project.ours and project.path != file.path:
        says = "our hooks are in the project's file: they run only if Codex was told to trust this project, and them"
        yield note(CHECK, says, file=project.path)


def _plugin(places: Places, plugin: Plugin, file: ConfigFile) -> Iterator[Finding]:
    """Our plugin, which needs no hooks file."""
    if not plugin.enabled:
        says = "the coordhooks plugin is switched off"
        how = f'`[plugins."{plugin.id}"] enabled = true` there switches it on'
        yield note(CHECK, says, file=plugin.config, remedy=how)
    elif not plugin.whole:
        how = f"`codex plugin remove {plugin.id}`, then `codex plugin add {plugin.id}`"
        yield fault(CHECK, PLUGIN_GONE, file=plugin.root, remedy=how)
    else:
        if file.ours:
            says = (
                f"the coordhooks plugin and the hooks in {file.path} are both on: each call is checked twice"
            )
            yield note(CHECK, says, file=plugin.config, remedy=once(f"codex plugin remove {plugin.id}"))
        yield from _trust(plugins.trust(places, plugin), plugin.config, "hooks of the plugin")


def _hooks(file: ConfigFile) -> Iterator[Finding]:
    if file.state == ABSENT:
        yield fault(
            CHECK, "the hooks file is not there, so nothing guards its writes", file=file.path, remedy=INSTALL
        )
    elif file.state == BROKEN:
        remedy = f"correct it in an editor, then {INSTALL}"
        yield fault(CHECK, f"{file.why}, {WHOLE}", file=file.path, remedy=remedy)
    elif odd := codex_shape.odd(file.content):
        yield fault(CHECK, f"{odd}, {WHOLE}", file=file.path, remedy="take that out of it")
    elif not file.ours:
        yield fault(
            CHECK, "it has no hooks of ours, so nothing guards its writes", file=file.path, remedy=INSTALL
        )
    if file.ours:
        yield from hooks(CHECK, file, codex.groups)


def _switches(places: Places) -> Iterator[Finding]:
    """Does Codex run hooks at all?"""
    if codex_trust.switched_off(places):
        says = "it switches all hooks off ([features] hooks = false): nothing guards writes"
        yield fault(CHECK, says, file=codex_trust.config_path(places), remedy="take that line out of it")


def _trust(found: list[Hook], path: str, what: str) -> Iterator[Finding]:
    """Does Codex run what is installed?"""
    if not found:
        return
    counts = {state: sum(hook.state == state for hook in found) for state in codex_trust.STATES}
    told = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    says = f"{len(found)} {what} installed, {told}"
    if counts[codex_trust.TRUSTED] == len(found):
        yield good(CHECK, says, file=path)
        return
    says += f": what is not trusted is skipped in silence{codex_trust.unguarded(found)}"
    off = [hook.key for hook in found if hook.state == codex_trust.DISABLED]
    remedies = (
        [f'switch them on with `/hooks` in Codex, or take `enabled = false` out of [hooks.state."{off[0]}"]']
        if off
        else []
    )
    if counts[codex_trust.TRUSTED] + len(off) < len(found):
        remedies.append(TRUST if what == "hooks" else BY_HAND)
    yield fault(CHECK, says, file=path, remedy="; ".join(remedies))
