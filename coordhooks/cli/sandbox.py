"""``coord`` in a shell that its harness has sandboxed: who calls, and what to say where the store is out of reach."""

import os
from collections.abc import Mapping

from coordhooks import locations

# What Codex gives to every shell command: the conversation's id, and the subagent's own thread.
SESSION, THREAD = "CODEX_SESSION_ID", "CODEX_THREAD_ID"


def caller(environ: Mapping[str, str]) -> tuple[str, str]:
    """``(conversation, subagent)`` of the Codex that started this shell, or empty strings."""
    session, thread = environ.get(SESSION, ""), environ.get(THREAD, "")
    session = session or thread
    return session, thread if thread != session else ""


def advice(environ: Mapping[str, str]) -> str:
    """What to do where a sandbox keeps the store from us; empty where none does."""
    folder = locations.state_dir(dict(environ))
    above = folder
    while not os.path.exists(above):
        above = os.path.dirname(above)
    if not caller(environ)[0] or os.access(above, os.W_OK):
        return ""
    return (
        f". Codex's sandbox keeps `coord` from {folder}: call it alone, as one plain command such as `coord status`,"
        " without cd, pipes, variables or globs, and the hook carries it out for you; or ask your user to add"
        f' writable_roots = ["{folder}"] below [sandbox_workspace_write] in Codex\'s config.toml'
    )
