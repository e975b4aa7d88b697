"""What a command would do to files: the answer of the shell parser, three values kept apart.

Imports nothing heavy: the quick filter answers with it in nearly every hook.
"""

FILE, FOLDER, TREE = "file", "folder", "tree"

MAX_TARGETS = 1000
OWN_TESTS = "runs the project's own tests or build"  # the end of a reason; see ``Verdict.unexcused``
MAX_REASONS = 20


class Untellable(Exception):
    """Reading can't go on; the text says why. Ends in ``Verdict.untold``, never in front of the caller."""


class Write:
    """One thing that is written.

    ``path`` is spelled as the program got it; ``base`` is the directory that the command had reached (an
    absolute path). ``kind`` is ``FILE``, ``FOLDER`` (anything below it) or ``TREE`` (anything in the working
    tree that ``path`` lies in). ``follow`` is false where the name itself is removed or replaced, so that a
    link's target stays. ``overwrite`` is true where the whole content is replaced. ``why`` names the program
    and the operand.
    """

    __slots__ = ("base", "follow", "kind", "overwrite", "path", "why")

    def __init__(
        self, path: str, base: str, kind: str, why: str, *, follow: bool = True, overwrite: bool = False
    ) -> None:
        self.path = path
        self.base = base
        self.kind = kind
        self.why = why
        self.follow = follow
        self.overwrite = overwrite

    @property
    def absolute(self) -> str:
        """The path in the directory reached, links unresolved."""
        return self.path if self.path.startswith("/") else self.base.rstrip("/") + "/" + self.path

    def facts(self) -> tuple[str, str, bool, bool, str]:
        """All that tells two writes apart."""
        return self.absolute, self.kind, self.follow, self.overwrite, self.why


class Git:
    """One operation of git (or jj) on a whole repository, for the caller's rules about shared checkouts.

    ``operation`` is one of: add, add-all, commit, commit-all, index-write, stash, stash-pop, stash-drop,
    reset, unstage, reset-hard, checkout-tree, remove, branch, rename-branch, switch, clean, rebase, merge, pull,
    cherry-pick, revert, am, apply, bisect, submodule, rewrite, or ``jj``. ``folder`` is the directory in which it runs
    (``-C`` applied), ``paths`` its pathspecs as given (empty: everything), ``options`` the names of its options. ``given`` are
    the options as words, with their values (``None``: they can't be told), ``source`` is the commit that it takes
    files from, where one is named.
    """

    __slots__ = ("folder", "given", "operation", "options", "paths", "source")

    def __init__(self, operation: str, folder: str, paths: tuple[str, ...], options: tuple[str, ...]) -> None:
        self.operation = operation
        self.folder = folder
        self.paths = paths
        self.options = options
        self.given: tuple[str, ...] | None = ()
        self.source = ""

    def facts(self) -> tuple[object, ...]:
        """All that tells two operations apart."""
        return self.operation, self.folder, self.paths, self.options, self.given, self.source


class Verdict:
    """``targets``: what is written. ``untold``: reasons why something can't be told. ``git``: see ``Git``.

    A command can have all of them at once; one that has none plainly writes nothing. ``plain`` is true if that was so
    clear that no grammar was needed.
    """

    __slots__ = ("git", "plain", "targets", "untold")

    def __init__(self) -> None:
        self.targets: list[Write] = []
        self.untold: list[str] = []
        self.git: list[Git] = []
        self.plain = False

    @property
    def nothing(self) -> bool:
        """Does the command plainly write nothing?"""
        return not (self.targets or self.untold or self.git)

    @property
    def unexcused(self) -> list[str]:
        """The reasons that count where a project is strict: its own tests and builds it lets through."""
        return [reason for reason in self.untold if not reason.endswith(OWN_TESTS)]

    def doubt(self, reason: str) -> None:
        """Note one reason, once, and not without end."""
        if reason not in self.untold and len(self.untold) < MAX_REASONS:
            self.untold.append(reason)

    def facts(self) -> tuple[object, ...]:
        """The whole answer as plain values, for comparison."""
        return [each.facts() for each in self.targets], self.untold, [each.facts() for each in self.git]
