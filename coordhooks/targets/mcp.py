"""Which files a call to an MCP server's tool writes: only what its name and its input's keys give away."""

from coordhooks import paths
from coordhooks.errors import BadPath
from coordhooks.model import Event, Target

PATH_KEYS = (
    "path", "file_path", "filepath", "filename", "file", "notebook_path", "target", "target_path", "destination",
    "destination_path", "dest", "output", "output_path", "new_path", "source", "paths", "files",
)  # fmt: skip
WRITING = (
    "write", "edit", "create", "delete", "remove", "move", "rename", "copy", "append", "insert", "replace",
    "patch", "update", "save", "put", "mkdir", "touch", "truncate", "format", "apply", "modify", "set",
)  # fmt: skip


def writes(tool: str) -> bool:
    """Does the name of ``mcp__server__tool`` say that it writes?"""
    name = "".join(f"_{char}" if char.isupper() else char for char in tool.rpartition("__")[2])
    words = name.lower().replace("-", "_").split("_")
    return any(word in WRITING for word in words)


def targets(event: Event) -> list[Target]:
    """The files named under path-like keys; none if the tool does not say that it writes."""
    if not writes(event.tool):
        return []
    found = []
    for key in PATH_KEYS:
        value = event.tool_input.get(key)
        for spelled in value if isinstance(value, list) else [value]:
            target = _target(spelled, event.cwd)
            if target is not None:
                found.append(target)
    return found


def _target(spelled: object, cwd: str) -> Target | None:
    if not isinstance(spelled, str) or not spelled or "://" in spelled:
        return None
    try:
        paths.refuse_surrogates(spelled)
        return paths.locate(spelled, cwd)
    except BadPath:  # such as a URL with a NUL: not a file, so not ours
        return None
