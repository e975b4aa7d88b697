"""Hard conditions: what machines do to a store, each with the real hook as a process.

After each injection the same is asked (``survival.py``): is the store whole, has a file one holder at most, is no
message lost, does the next hook of another agent work, without anybody's hand? How many injections a test made is
told in its report: ``report.py`` makes ``docs/conditions.md`` of them.
"""
