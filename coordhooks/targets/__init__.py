"""Which files a tool call writes, by its class of tools."""

from coordhooks.model import FILE, MCP, Event, Target


def written_by(event: Event) -> list[Target]:
    """What the call writes; an empty list where that is unknown or nothing. Raises as its class's module does."""
    if event.tool_class == FILE:
        from coordhooks.targets import files

        return files.targets(event)
    if event.tool_class == MCP:
        from coordhooks.targets import mcp

        return mcp.targets(event)
    return []
