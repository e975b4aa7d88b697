"""The coordination store: who is alive, who holds what, and what was said. All its SQL is in this package.

Each module holds one noun as functions over a transaction; ``CoordStore`` is the public face of them all. It
is loaded on first use, because a hook needs only a few of the nouns.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.store.coordstore import CoordStore as CoordStore
    from coordhooks.store.handles import friendly_handle as friendly_handle

__all__ = ["CoordStore", "friendly_handle"]


def __getattr__(name: str) -> object:
    if name == "CoordStore":
        from coordhooks.store.coordstore import CoordStore

        return CoordStore
    if name == "friendly_handle":
        from coordhooks.store.handles import friendly_handle

        return friendly_handle
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
