"""The one exception of the generated validators. Imports nothing: it is loaded in every hook."""


class ValidationError(ValueError):
    """Data breaks its schema.

    ``path`` names the field (``tool_input``, ``background_tasks[0].id``; empty for the whole), ``message``
    the rule. Both are words of the schema: nothing of the data is in them but indexes.
    """

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path or 'payload'} {message}")
        self.path = path
        self.message = message
