"""git (and jj) in a checkout that several agents share: which operation takes, destroys or moves others' work.

One function an operation, in ``RULES``. Each gives the text of a refusal, with the narrow form ready to run, or an
empty text. Fetching, fast-forwards, and whatever git itself refuses on changed files are let through.
"""

import os

from coordhooks import git
from coordhooks.handlers import narrow, texts
from coordhooks.handlers.guard import Plan
from coordhooks.handlers.scene import UNKNOWN_TO_GIT, Scene, Work
from coordhooks.model import Target
from coordhooks.paths import OUTSIDE, locate, metadata_folder, real, repository_of
from coordhooks.store.overlap import encode, of_index, of_target
from coordhooks.targets.shell.verdict import TREE, Git, Verdict, Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Rule = Callable[["Place"], str]

STAGE = "Next: run `coord files --stage`, which stages exactly what you wrote."
ASK = "Next: leave that work alone; ask with `coord send {} …` if it must go."

PRE_COMMIT = "the pre-commit hook"  # of the repository, as a program that writes

# Operations that write the index: two of them in one checkout take turns.
INDEXING = (
    "add", "add-all", "commit", "commit-all", "index-write", "stash", "stash-pop", "reset", "reset-hard",
    "checkout-tree", "branch", "switch", "rebase", "merge", "pull", "cherry-pick", "revert", "am", "apply",
)  # fmt: skip
# The stash belongs to all working trees of a repository.
STASHING = ("stash", "stash-pop", "stash-drop")
# Operations after which HEAD may stand elsewhere, and those of them that only put a commit on top.
MOVING = (
    "switch",
    "branch",
    "reset",
    "reset-hard",
    "rebase",
    "merge",
    "pull",
    "cherry-pick",
    "revert",
    "am",
    "bisect",
    "rewrite",
)
COMMITTING = ("commit", "commit-all")
PLAIN_ADD = {"-A", "--all", "-u", "--update", "-v", "--verbose", "-f", "--force", "--no-ignore-removal"}


class Place:
    """One operation in the working tree where it runs."""

    def __init__(self, scene: Scene, operation: Git) -> None:
        self.scene = scene
        self.what = operation
        self.folder = real(operation.folder)
        self.tree, self.project = repository_of(self.folder, is_folder=True)

    @property
    def merging(self) -> bool:
        """Is a merge going on, in which git makes no commit of some files only?"""
        return os.path.exists(os.path.join(metadata_folder(self.tree), "MERGE_HEAD"))

    @property
    def root(self) -> Target:
        found = locate(self.tree, self.tree, folder=True)
        found.bounded = True
        return found

    def has(self, *options: str) -> bool:
        return any(option in self.what.options for option in options)

    def git(self) -> str:
        """How git is called so that it works in this folder."""
        if self.folder == self.scene.cwd:
            return "git"
        inside = self.scene.cwd and self.folder.startswith(f"{self.scene.tree or self.scene.cwd}/")
        way = os.path.relpath(self.folder, self.scene.cwd) if inside else self.folder
        return f"git -C {texts.shell_word(way)}"

    def foreign(self, paths: tuple[str, ...]) -> Work:
        """Others' uncommitted changes under the pathspecs; none means everything. git reads those with magic itself."""
        if not paths or any(_magic(path) for path in paths):
            work = self.scene.foreign(self.tree, [encode(self.root.key.rstrip("/"))])
            if work.files and paths:
                work = work.only(git.matching(self.scene.around.environ, self.folder, paths))
            return work
        keys = [encode(locate(path, self.folder, follow=False).key.rstrip("/")) for path in paths]
        return self.scene.foreign(self.tree, keys)

    def own(self, paths: tuple[str, ...], *, tracked: bool | None) -> str:
        """One's own changed files under the pathspecs, as words for this folder; empty if there are none to type.

        ``tracked`` leaves only those that git knows, or does not know.
        """
        mine = self.scene.own(self.tree)
        names = [name for name, status in mine.files.items() if tracked in (None, status != UNKNOWN_TO_GIT)]
        return narrow.quoted(
            [name for name in names if name in self._under(paths, names)], self.tree, self.folder
        )

    def _under(self, paths: tuple[str, ...], names: list[str]) -> set[str]:
        """Which of these files of the tree the pathspecs mean."""
        if not paths or not names:
            return set(names)
        if any(_magic(path) for path in paths):
            return git.matching(self.scene.around.environ, self.folder, paths)
        roots = [locate(path, self.folder, follow=False).name for path in paths]
        return {
            name
            for name in names
            if any(root in (name, "/") or name.startswith(f"{root}/") for root in roots)
        }

    def typed(self, work: Work) -> set[str]:
        """Which of these files stand in the command by their names, and so are meant."""
        import shlex

        lexer = shlex.shlex(
            str(self.scene.event.tool_input.get("command", "")), posix=True, punctuation_chars=True
        )
        lexer.whitespace_split = True
        try:
            words = set(lexer)
        except ValueError:  # an open quotation: only the parser knows better
            words = set()
        exact = [path for path in self.what.paths if path in words and not _magic(path)]
        return {locate(path, self.folder, follow=False).name for path in exact} & set(work.files)

    def refused(self, command: str, harm: str, work: Work, *steps: str) -> str:
        who = self.scene.named(work.authors)
        head = f"{texts.NOT_AN_ERROR}`{command}` would {harm} of {who}: {self.scene.listed(work)}."
        short = f"{texts.NOT_AN_ERROR}`{command}` would {harm} of {who}."
        return texts.fit([head, short], [step for step in steps if step])


def objection(scene: Scene, operation: Git, plan: Plan) -> str:
    """Why an operation is refused here, or an empty text. Raises ``GitFailed``."""
    place = Place(scene, operation)
    rule = RULES.get(operation.operation)
    if place.project == OUTSIDE or rule is None:
        return ""
    text = rule(place)
    if not text and operation.operation in COMMITTING:
        _mind_hooks(place, plan)
    return text


def prepare(scene: Scene, verdict: Verdict, plan: Plan) -> None:
    """What the operations hold while they run, and where HEAD stands before them."""
    for operation in verdict.git:
        place = Place(scene, operation)
        if place.project == OUTSIDE:
            continue
        if operation.operation in INDEXING:
            plan.wants.append(of_index(place.project, place.tree))
        if operation.operation in STASHING and not operation.paths:
            plan.wants.append(of_target(place.root, everywhere=True))
        if operation.operation in MOVING + COMMITTING and scene.others and not plan.head:
            commit, branch = git.head(scene.around.environ, place.tree)
            aloud = "" if operation.operation in COMMITTING and not place.has("--amend") else "aloud"
            plan.head = "\n".join((place.tree, commit, branch, aloud))


def without_fast_forwards(scene: Scene, verdict: Verdict) -> list[Write]:
    """The writes of a command, less those of a merge or pull that only moves forward: git keeps what is changed."""
    passing = {
        f"git {operation.operation}"
        for operation in verdict.git
        if operation.operation in ("merge", "pull") and _moves_forward(Place(scene, operation))
    }
    return [write for write in verdict.targets if not (write.kind == TREE and write.why in passing)]


def _moves_forward(place: Place) -> bool:
    if place.has("--ff-only", "--abort", "--quit"):
        return True
    if place.has("--no-ff", "--squash", "--continue"):
        return False
    goal = "@{upstream}" if place.what.operation == "pull" else "".join(place.what.paths[:1])
    if not goal or goal.startswith("-"):
        return False
    return git.contains(place.scene.around.environ, place.folder, goal)


def _mind_hooks(place: Place, plan: Plan) -> None:
    """A commit with a pre-commit hook is a write to the whole tree: such hooks stash and format."""
    if place.has("-n", "--no-verify") or not place.scene.others:
        return
    if git.pre_commit(place.scene.around.environ, place.folder):
        plan.targets.append(place.root)
        plan.reasons[place.root.key] = PRE_COMMIT


# -- the rules ----------------------------------------------------------------------------------------------


def _add(place: Place) -> str:
    """Files that were named are meant; by a folder, a pattern or another command others' may come along."""
    sweeps = place.what.operation == "add-all"
    if not sweeps and not place.what.paths:
        return ""
    if place.has("--pathspec-from-file") and "coord files" in str(
        place.scene.event.tool_input.get("command")
    ):
        return ""
    work = place.foreign(place.what.paths)
    meant = place.typed(work)
    work = work.only(name for name in work.files if name not in meant)
    if not work.files:
        return ""
    options = "".join(f" {option}" for option in place.what.options)
    whole = set(place.what.options) <= PLAIN_ADD and (place.what.paths or place.what.options)
    form = _but(place, work) if whole else ""
    step = f"Next: run `{place.git()} add{options} -- {form}`." if form else ""
    return place.refused("git add", "take uncommitted work", work, step, STAGE)


def _commit_all(place: Place) -> str:
    work = place.foreign(())
    work = work.only(_tracked(work))
    if not work.files:
        return ""
    form = _but(place, work) if not place.merging else ""
    first = f"Next: run `{_commit_command(place)} -- {form}`." if form else ""
    step = "Next: run `coord files --stage`, then `git commit` without -a."
    return place.refused("git commit -a", "take uncommitted work", work, first, step)


def _commit_command(place: Place) -> str:
    """How the same commit is called, but for what it takes."""
    amend = " --amend" if place.has("--amend") else ""
    return f"{place.git()} commit{amend}" + (" --no-edit" if place.has("--no-edit") else " -m …")


def _commit(place: Place) -> str:
    """Of named files only folders can hold others' work by accident; without names all that is staged is taken."""
    if place.what.paths:
        work = place.foreign(place.what.paths)
        meant = place.typed(work)
        work = work.only(name for name in _tracked(work) if name not in meant)
        form = _but(place, work)
    else:
        staged = git.staged(place.scene.around.environ, place.tree, git.HOOK_TIMEOUT)
        work = place.foreign(()).only(staged) if staged else Work()
        form = narrow.quoted([name for name in staged if name not in work.files], place.tree, place.folder)
    if not work.files:
        return ""
    if place.merging:
        return place.refused(
            "git commit", "take staged work", work, ASK.format(place.scene.named(work.authors[:1]))
        )
    command = _commit_command(place)
    step = f"Next: name your own files: `{command} -- FILE…` (`coord files` lists them)."
    return place.refused(
        "git commit", "take staged work", work, f"Next: run `{command} -- {form}`." if form else "", step
    )


def _stash(place: Place) -> str:
    untracked = place.has("-u", "--include-untracked", "-a", "--all")
    work = place.foreign(place.what.paths)
    if not untracked:
        work = work.only(_tracked(work))
    form = "stash push -u --" if untracked else "stash push --"
    return _destroys(
        place, "git stash", "take away uncommitted work", work, form, tracked=None if untracked else True
    )


def _reset_hard(place: Place) -> str:
    work = place.foreign(())
    away = place.what.paths and place.what.paths[0] not in ("HEAD", "@")
    return (_moves(place) if away else "") or _destroys(
        place, "git reset --hard", "destroy uncommitted work", work.only(_tracked(work)), "checkout HEAD --", tracked=True,
        everything=True,
    )  # fmt: skip


def _checkout_tree(place: Place) -> str:
    work = place.foreign(place.what.paths)
    work = work.only(_tracked(work))
    return _destroys(
        place, "git checkout", "destroy uncommitted work", work, "checkout HEAD --", tracked=True
    )


def _clean(place: Place) -> str:
    work = place.foreign(place.what.paths)
    fresh = work.only(name for name, status in work.files.items() if status == UNKNOWN_TO_GIT)
    return _destroys(place, "git clean", "delete new files", fresh, "clean -f --", tracked=False)


def _destroys(
    place: Place,
    command: str,
    harm: str,
    work: Work,
    form: str,
    *,
    tracked: bool | None,
    everything: bool = False,
) -> str:
    """Refused, with the same on one's own files where the command meant some."""
    if not work.files:
        return ""
    mine = place.own(() if everything else place.what.paths, tracked=tracked)
    ask = ASK.format(place.scene.named(work.authors[:1]))
    return place.refused(
        command, harm, work, f"Next: run `{place.git()} {form} {mine}`." if mine else "", ask
    )


def _moves(place: Place) -> str:
    """HEAD would stand elsewhere for everyone who works in this checkout."""
    workers = place.scene.workers(place.tree)
    if not workers:
        return ""
    who = place.scene.named([row["runtime_id"] for row in workers])
    command = f"git {place.what.operation if place.what.operation != 'branch' else 'switch -c'}"
    head = f"{texts.NOT_AN_ERROR}{who} works in this checkout, and `{command}` would change branch and files under it."
    tree = texts.shell_word(f"../{os.path.basename(place.tree)}-2")
    goal = "".join(place.what.paths[:1])
    word = texts.typeable(goal) if goal else ""
    how = f"{place.git()} worktree add {tree}" + (
        f" {word}" if word and place.what.operation == "switch" else ""
    )
    return texts.fit(
        [head],
        [f"Next: run `{how}` and work there.", "Next: make a worktree of your own with `git worktree add`."],
    )


def _reset(place: Place) -> str:
    """With files it only unstages them; to another commit it moves HEAD; else it empties the index for all."""
    paths = [path for path in place.what.paths if os.path.lexists(os.path.join(place.folder, path))]
    if paths or place.has("--pathspec-from-file"):
        return ""
    if place.what.paths and place.what.paths[0] not in ("HEAD", "@"):
        return _moves(place)
    staged = git.staged(place.scene.around.environ, place.tree, git.HOOK_TIMEOUT)
    work = place.foreign(()).only(staged) if staged else Work()
    return _destroys(
        place, "git reset", "unstage the work", work, "restore --staged --", tracked=True, everything=True
    )


def _magic(path: str) -> bool:
    return path.startswith(":") or bool(set(path) & set("*?[\\"))


def _tracked(work: Work) -> list[str]:
    return [name for name, status in work.files.items() if status != UNKNOWN_TO_GIT]


def _but(place: Place, work: Work) -> str:
    """The pathspecs of the same command without these files; empty if one of the names can't be typed."""
    out = [texts.typeable(f":(exclude,top,literal){name}") for name in sorted(work.files)]
    paths = [texts.typeable(path) for path in place.what.paths] or [":/"]
    return " ".join([*paths, *out]) if all(paths) and all(out) else ""


RULES: dict[str, "Rule"] = {
    "add": _add, "add-all": _add, "commit-all": _commit_all, "commit": _commit, "stash": _stash, "reset-hard": _reset_hard,
    "checkout-tree": _checkout_tree, "clean": _clean, "switch": _moves, "branch": _moves, "rebase": _moves,
    "reset": _reset,
}  # fmt: skip
