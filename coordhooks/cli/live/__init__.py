"""``coord doctor --live``: does a veto fire in the harnesses that are installed here, and does a free write pass?

The real program is started with the user's own hooks on a scripted model of ours, in a scratch repository with a
scratch store. Nothing leaves the loopback, nothing of the user's is written, and all of it is gone afterwards.
"""

from coordhooks.cli.live.trial import trials

__all__ = ["trials"]
