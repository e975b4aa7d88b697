"""Claude Code: all its settings files together decide whether a hook of ours runs in a session started here."""

import os
import shutil
from collections.abc import Iterator

from coordhooks.cli.checks import claude_files
from coordhooks.cli.checks.claude_files import CHECK, LOCAL, PROJECT, USER
from coordhooks.cli.checks.configfile import ABSENT, INSTALL, PLUGIN_GONE, ConfigFile, once
from coordhooks.cli.checks.finding import Finding, fault, good, note
from coordhooks.cli.session import Session
from coordhooks.install import claude_code, plugins
from coordhooks.install.places import Places

Files = list[tuple[str, ConfigFile]]


def check(session: Session) -> Iterator[Finding]:
    places = Places.here(dict(session.environ), session.cwd)
    files = claude_files.read(places)
    if not os.path.isdir(places.claude_config) and not _program(places):
        says = f"not in use here: neither {places.claude_config} nor a `claude` on the PATH"
        yield note(CHECK, says)
        return
    for scope, file in files:
        yield from claude_files.faults(scope, file)
    yield from _plugin(places)
    yield from _sources(session, files)
    if absent := [file.path for _, file in files if file.state == ABSENT]:
        yield note(CHECK, f"looked for, and not there: {', '.join(absent)}")


def _plugin(places: Places) -> Iterator[Finding]:
    """Our plugin, where it is installed and on."""
    for plugin in plugins.of(places, claude_code.NAME):
        if plugin.active:
            yield good(
                CHECK, f"the coordhooks plugin is on: its hooks run from {plugin.root}", file=plugin.config
            )
        elif plugin.enabled:
            market = plugin.id.partition("@")[2]
            how = (
                f"put its folder back; or `claude plugin marketplace remove {market}`, then `claude plugin marketplace add`"
                f" the folder where it is now, and `claude plugin install {plugin.id}`"
            )
            yield fault(CHECK, PLUGIN_GONE, file=plugin.root, remedy=how)


def _sources(session: Session, files: Files) -> Iterator[Finding]:
    """From where our hooks come: from nowhere, from one place, or from several."""
    active = [(scope, file) for scope, file in files if file.ours and claude_files.counts(file)]
    said = [(file, on) for _, file in files if (on := claude_files.plugin(file)) is not None]
    by_plugin = bool(said) and said[-1][1]
    if not active and not by_plugin:
        yield from _nothing(session, files, said)
        return
    if by_plugin and active:
        says = f"the coordhooks plugin and the hooks in {active[0][1].path} are both on: each call is checked twice"
        yield note(CHECK, says, file=said[-1][0].path, remedy=once("claude plugin uninstall coordhooks"))
    if said and not by_plugin:
        yield note(
            CHECK,
            "the coordhooks plugin is switched off here; the settings' hooks run",
            file=said[-1][0].path,
        )
    if len(active) > 1:
        says = (
            f"our hooks are in {active[0][1].path}, too: each call is checked twice, with the effect of one"
        )
        yield note(
            CHECK, says, file=active[1][1].path, remedy="`coord uninstall --project` takes them out here"
        )
    if not by_plugin and all(scope in (PROJECT, LOCAL) for scope, _ in active):
        says = "our hooks are in the project's settings only: a session started in a subfolder, or with `-w` in a worktree, has none"
        yield note(CHECK, says, file=active[0][1].path, remedy=f"{INSTALL}, for all your projects")


def _nothing(session: Session, files: Files, said: list[tuple[ConfigFile, bool]]) -> Iterator[Finding]:
    """No hook of ours runs here: where are they, if anywhere?"""
    user = next(file for scope, file in files if scope == USER)
    if any(not claude_files.counts(file) and file.is_about_us for _, file in files):
        return  # said already: they are in a file that is ignored
    if said:
        says = "the coordhooks plugin is switched off here, and no settings have our hooks: nothing guards writes"
        name = next(key for key in said[-1][0].value["enabledPlugins"] if key.startswith(claude_files.PLUGIN))
        yield fault(
            CHECK, says, file=said[-1][0].path, remedy=f"`claude plugin enable {name}`, or take that line out"
        )
    elif elsewhere := _unread(session):
        path, root = elsewhere
        where = "a subfolder" if root == session.tree else "another worktree"
        says = f"our hooks are in this file only, and Claude Code does not read it when started in {where}: nothing guards writes"
        yield fault(CHECK, says, file=path, remedy=f"start it in {root}, or {INSTALL} for all folders")
    else:
        there = "the settings file is not there" if user.state == ABSENT else "it has no hooks of ours"
        says = f"{there}, so nothing guards its writes"
        yield fault(CHECK, says, file=user.path, remedy=f"{INSTALL}, or `./install.sh`")


def _unread(session: Session) -> tuple[str, str] | None:
    """A project's settings with our hooks that count only elsewhere: the file, and the folder it counts in."""
    main = os.path.dirname(session.project) if os.path.basename(session.project) == ".git" else ""
    for root in filter(None, (session.tree, main)):
        for name in ("settings.json", "settings.local.json"):
            file = ConfigFile(os.path.join(root, ".claude", name))
            if file.ours and claude_files.counts(file) and os.path.realpath(session.cwd) != root:
                return file.path, root
    return None


def _program(places: Places) -> bool:
    return shutil.which("claude", path=places.search_path) is not None
