"""Which files a file tool writes: its name says under which key of its input the path stands."""

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


def targets(event: Event) -> list[Target]:
    """The one file that the call writes. Raises ``BadPayload`` or ``BadPath`` if none is named."""
    for key in PATH_KEYS.get(event.tool, ANY_KEY):
        spelled = event.tool_input.get(key)
        if isinstance(spelled, str) and spelled:
            paths.refuse_surrogates(spelled)
            return [paths.locate(spelled, event.cwd)]
    raise BadPayload("the call names no file")
