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
    from coordhooks.targets import patch

    text = event.tool_input.get(PATCH_KEY)
    found: dict[tuple[str, bool], Target] = {}
    for spelled, follow in patch.named(text) if isinstance(text, str) else ():
        paths.refuse_surrogates(spelled)
        plain = f"./{spelled}" if spelled.startswith("~") else spelled
        target = paths.locate(plain, event.cwd, follow=follow)
        found.setdefault((target.key, target.folder), target)
    if not found:
        raise BadPayload("the patch names no file")
    return list(found.values())
