"""Which files a file tool writes: its name says under which key of its input the path, or the patch, stands."""

from coordhooks import paths
from coordhooks.errors import BadPayload
from coordhooks.model import Event, Target

# Where each tool names its file. A tool of this class that is not listed is asked for all of them.
PATH_KEYS = {
    "Write": ("file_path",),
    "Edit": ("file_path",),
    "MultiEdit": ("file_path",),
    "NotebookEdit": ("notebook_path",),
}
ANY_KEY = ("file_path", "notebook_path")
PATCH_TOOL, PATCH_KEY = "apply_patch", "command"


def targets(event: Event) -> list[Target]:
    """The files that the call writes. Raises ``BadPayload`` or ``BadPath`` if none is named."""
    if event.tool == PATCH_TOOL:
        return _of_patch(event)
    for key in PATH_KEYS.get(event.tool, ANY_KEY):
        spelled = event.tool_input.get(key)
        if isinstance(spelled, str) and spelled:
            paths.refuse_surrogates(spelled)
            return [paths.locate(spelled, event.cwd)]
    raise BadPayload("the call names no file")


def _of_patch(event: Event) -> list[Target]:
    """Every file of a patch, each once. Here ``~`` is a name like any other: no shell has read it."""
    from coordhooks.targets.patch import DELETE, MOVE, headers

    text = event.tool_input.get(PATCH_KEY)
    named = headers(text) if isinstance(text, str) else []
    found: dict[str, Target] = {}
    for header, following in zip(named, [*named[1:], None], strict=False):
        paths.refuse_surrogates(header.path)
        plain = f"./{header.path}" if header.path.startswith("~") else header.path
        # A removed name is only a name: where it is a link, the file behind it stays.
        removed = header.action == DELETE or (following is not None and following.action == MOVE)
        target = paths.locate(plain, event.cwd, follow=not removed)
        found.setdefault(target.key, target)
    if not found:
        raise BadPayload("the patch names no file")
    return list(found.values())
