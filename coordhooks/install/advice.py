"""What a user should know besides what was changed."""

import os

from coordhooks.install import claude_code, claude_shape, codex, codex_shape, merge
from coordhooks.install.jsonfile import taken
from coordhooks.install.places import Places
from coordhooks.locations import MAX_CONFIG, contents


def warnings(places: Places, scope: str) -> list[str]:
    """Sentences on what stands in the way of hooks that are, or are about to be, installed in ``scope``."""
    user = claude_code.settings_path(places, project=False)
    project = claude_code.settings_path(places, project=True)
    here, there = (project, user) if scope == "project" else (user, project)
    found = []
    if os.path.realpath(here) != os.path.realpath(there) and merge.installed(taken(there)):
        found.append(f"the hooks are in {there}, too: each runs twice there, with the effect of one")
    for path in dict.fromkeys((user, project)):
        value = taken(path)
        if odd := claude_shape.odd(value):
            found.append(
                f"Claude Code ignores {path} whole, without a word, because {odd}: correct that, or no hook in it runs"
            )
        if value.get("disableAllHooks") is True:
            found.append(f'"disableAllHooks" in {path} switches all hooks off')
        plugins = value.get("enabledPlugins")
        if isinstance(plugins, dict) and any(
            on and key.startswith("coordhooks@") for key, on in plugins.items()
        ):
            found.append(f"the coordhooks plugin is enabled in {path}, too: once is enough")
    if scope == "project":
        found.append(
            "project hooks count only for a Claude Code started in this very folder, and name files of this"
            f" machine: don't commit {project}; Codex reads those of projects that it was told to trust"
        )
    real = os.path.realpath(here)
    if os.path.isfile(real) and os.stat(real).st_nlink > 1:
        found.append(f"{real} has other names (hard links): those keep the old content")
    return found + _codex(places, scope)


def _codex(places: Places, scope: str) -> list[str]:
    """What keeps Codex from reading the file that our hooks go into."""
    path = codex.settings_path(places, project=scope == "project")
    try:
        odd = codex_shape.odd(contents(path, MAX_CONFIG))
    except OSError:  # where it is to be written, that is said with what is to be done
        return []
    return [f"Codex ignores {path} whole, without a word, because {odd}"] if odd else []
