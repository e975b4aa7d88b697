"""git (and jj) in a checkout that several agents share: which operation takes, destroys or moves others' work.

One function an operation, in ``RULES``. Each gives the text of a refusal, with the narrow form ready to run, or an
empty text. Fetching, fast-forwards, and whatever git itself refuses on changed files are let through.
"""

import os

from coordhooks import git
from coordhooks.handlers import narrow, states, texts
from coordhooks.handlers.guard import Plan
from coordhooks.handlers.scene import Scene, Work
from coordhooks.model import Target
from coordhooks.paths import OUTSIDE, locate, metadata_folder, real, repository_of
from coordhooks.store.overlap import encode, of_index, of_target
from coordhooks.targets.shell.verdict import FILE, TREE, Git, Verdict, Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Rule = Callable[["Place"], str]
    Pick = Callable[[str], bool]

STAGE = "Next: run `coord files --stage`, which stages exactly what you wrote."
ASK = "Next: leave that work alone; ask with `coord send {} …` if it must go."

PRE_COMMIT = "the pre-commit hook"  # of the repository, as a program that writes

# Operations that write the index: two of them in one checkout take turns.
INDEXING = (
    "add", "add-all", "commit", "commit-all", "index-write", "remove", "stash", "stash-pop", "reset", "unstage", "reset-hard",
    "checkout-tree", "branch", "switch", "rebase", "merge", "pull", "cherry-pick", "revert", "am", "apply",
)  # fmt: skip
# The stash belongs to all working trees of a repository.
STASHING = ("stash", "stash-pop", "stash-drop")
# Operations after which HEAD may stand elsewhere, and those of them that only put a commit on top.
MOVING = (
    "switch", "branch", "rename-branch", "symbolic-ref", "update-ref", "reset", "reset-hard", "rebase", "merge", "pull",
    "cherry-pick", "revert", "am", "bisect", "rewrite",
)  # fmt: skip
CALLED = {"branch": "switch", "rename-branch": "branch -m", "reset-hard": "reset --hard"}
HERE = ("", "HEAD", "@")  # the commit that is checked out
CHOOSING = (
    "-p",
    "--patch",
    "--ours",
    "--theirs",
    "--merge",
    "--pathspec-from-file",
)  # no list of files says what is taken
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

    def own(self, paths: tuple[str, ...], pick: "Pick") -> list[str]:
        """One's own changed files under the pathspecs, of those states that are picked."""
        mine = _picked(self.scene.own(self.tree), pick)
        under = self._under(paths, list(mine.files))
        return [name for name in mine.files if name in under]

    def words(self, names: list[str]) -> str:
        """Files as pathspecs to type in this folder; empty if one can't be typed, or if there are none."""
        return narrow.pathspecs(names, self.tree, self.folder)

    def options(self) -> str | None:
        """The options of the operation as they are to be typed; ``None`` if they can't be."""
        given = self.what.given
        words = [texts.typeable(word) for word in given or ()]
        return "".join(f" {word}" for word in words) if given is not None and all(words) else None

    @property
    def away(self) -> bool:
        """Does it go to another commit, by a name that does not stand for the one that is checked out?"""
        goal = self.what.paths[:1]
        if not goal or goal[0] in HERE:
            return False
        return git.head(self.scene.around.environ, self.tree)[1] != goal[0]

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

    def ask(self, work: Work) -> str:
        """The step to take where nothing narrower is left."""
        return ASK.format(self.scene.named(work.authors[:1]))

    def refused(self, command: str, harm: str, work: Work, *steps: str) -> str:
        who = self.scene.named(work.authors)
        head = f"{texts.NOT_AN_ERROR}`{command}` would {harm} of {who}: {self.scene.listed(work, self.tree)}."
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


# What a lone word means that is no commit but a file which is gone: to bring it back, or to unstage it.
OF_FILES = {"switch": "checkout-tree", "reset": "unstage"}


def read_gone_files(scene: Scene, verdict: Verdict) -> None:
    """``git checkout WORD`` of a deleted file looks like one of a branch, until git is asked."""
    for operation in verdict.git:
        if operation.operation not in OF_FILES or len(operation.paths) != 1 or operation.options:
            continue
        place, word = Place(scene, operation), operation.paths[0]
        if place.project != OUTSIDE and _is_gone_file(place, word):
            if operation.operation == "switch":
                named = Write(word, operation.folder, FILE, f"git checkout {word}", follow=False)
                verdict.targets = [write for write in verdict.targets if not _is_of(write, operation)] + [
                    named
                ]
            operation.operation = OF_FILES[operation.operation]


def _is_of(write: Write, operation: Git) -> bool:
    return write.kind == TREE and write.why == "git checkout" and write.base == operation.folder


def _is_gone_file(place: Place, word: str) -> bool:
    environ, name = place.scene.around.environ, locate(word, place.folder, follow=False).name
    try:
        return not git.is_commit(environ, place.folder, word) and bool(
            git.known(environ, place.tree, [name]) or git.known(environ, place.tree, [name], "HEAD")
        )
    except git.GitFailed:  # such as before the first commit: then it is read as it looks
        return False


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


def _picked(work: Work, pick: "Pick") -> Work:
    return work.only(name for name, status in work.files.items() if pick(status))


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
    pick = states.touched if place.has("-u", "--update") else states.addable
    work = _unnamed(place, _picked(place.foreign(place.what.paths), pick))
    if not work.files:
        return ""
    whole = set(place.what.options) <= PLAIN_ADD and (place.what.paths or place.what.options)
    form = _but(place, "add", work) if whole else ""
    return place.refused("git add", "take uncommitted work", work, form, STAGE)


def _commit_all(place: Place) -> str:
    work = _picked(place.foreign(()), states.tracked)
    if not work.files:
        return ""
    exact = not place.merging and place.own((), states.tracked) and not _given_up(place)
    form = _but(place, "", work, call=_commit_command(place)) if exact else ""
    step = "Next: run `coord files --stage`, then `git commit` without -a."
    return place.refused("git commit -a", "take uncommitted work", work, form, step)


def _given_up(place: Place) -> bool:
    """Is there a file that git shall know no more, though it is there? A commit of paths takes it in again."""
    environ = place.scene.around.environ
    staged = git.staged(environ, place.tree, git.HOOK_TIMEOUT)
    gone = set(staged) - git.known(environ, place.tree, staged)
    return any(os.path.lexists(os.path.join(place.tree, name)) for name in gone)


def _commit_command(place: Place) -> str:
    """How the same commit is called, but for what it takes."""
    amend = " --amend" if place.has("--amend") else ""
    return f"{place.git()} commit{amend}" + (" --no-edit" if place.has("--no-edit") else " -m …")


def _commit(place: Place) -> str:
    """Of named files only folders can hold others' work by accident; without names all that is staged is taken."""
    command, form = _commit_command(place), ""
    named, includes = place.what.paths, place.has("-i", "--include")
    work = _unnamed(place, _picked(place.foreign(named), states.tracked)) if named else Work()
    if work.files and not includes and place.own(named, states.tracked) and not _given_up(place):
        form = _but(place, "", work, call=command)
    if not named or includes:
        staged = _staged_work(place)
        if staged.files and not named:
            form = _step(f"{command} --", _rest_of_index(place, staged))
        work = staged if staged.files else work
    if not work.files:
        return ""
    step = f"Next: name your own files: `{command} -- FILE…` (`coord files` lists them)."
    steps = (place.ask(work),) if place.merging else (form, step)
    return place.refused("git commit", "take staged work", work, *steps)


def _staged_work(place: Place) -> Work:
    staged = git.staged(place.scene.around.environ, place.tree, git.HOOK_TIMEOUT)
    return place.foreign(()).only(staged) if staged else Work()


def _rest_of_index(place: Place, work: Work) -> str:
    """What is staged beside others' work, as pathspecs; nothing if a file has changed since, which a commit of the file takes."""
    environ = place.scene.around.environ
    rest = set(git.staged(environ, place.tree, git.HOOK_TIMEOUT)) - set(work.files)
    found = git.changed(environ, place.tree, rest, git.HOOK_TIMEOUT)
    return "" if any(map(states.addable, found.values())) else place.words(list(rest))


def _stash(place: Place) -> str:
    untracked = place.has("-u", "--include-untracked", "-a", "--all")
    pick = states.staged if place.has("-S", "--staged") else states.any_ if untracked else states.tracked
    work = _picked(place.foreign(place.what.paths), pick)
    if not work.files:
        return ""
    options, mine = place.options(), place.own(place.what.paths, pick)
    if options is None or place.has("-S", "--staged", *CHOOSING) or not _stashable(place, mine, pick):
        mine = []
    return _destroys(place, "git stash", "take away uncommitted work", work, f"stash push{options} --", mine)


def _stashable(place: Place, names: list[str], pick: "Pick") -> bool:
    """Does git find each of them when it is named? What was removed from the index it does not."""
    indexed = git.known(place.scene.around.environ, place.tree, names) if names else set()
    fresh = place.own((), lambda status: not states.tracked(status)) if pick is states.any_ else []
    return set(names) <= indexed | set(fresh)


def _reset_hard(place: Place) -> str:
    away = place.away
    pick = states.staged if place.has("--merge") else states.tracked
    work = _picked(place.foreign(()), pick)
    return (_moves(place) if away else "") or _destroys(
        place, "git reset --hard", "destroy uncommitted work", work, "restore -SW --",
        [] if away or not work.files else place.own((), pick),
    )  # fmt: skip


def _checkout_tree(place: Place) -> str:
    """From the index only what differs from it is lost; another commit's files are wanted for themselves."""
    restores = place.has("-s", "--source", "-S", "--staged", "-W", "--worktree")
    source, options = place.what.source, place.options()
    away = source not in HERE
    pick = states.tracked if restores else states.committed if source else states.touched
    work = place.foreign(place.what.paths)
    kept = _in_commit(place, work) if away else set()
    work = work.only(name for name, status in work.files.items() if pick(status) or name in kept)
    if not work.files:
        return ""
    call = (
        f"restore{options}"
        if restores
        else f"checkout{options}" + (f" {texts.shell_word(source)}" if source else "")
    )
    plain = options is not None and not place.has(*CHOOSING)
    if away and plain:
        form = _but(place, call, work)
        return place.refused("git checkout", "destroy uncommitted work", work, form, place.ask(work))
    mine = place.own(place.what.paths, pick) if plain else []
    return _destroys(place, "git checkout", "destroy uncommitted work", work, f"{call} --", mine)


def _in_commit(place: Place, work: Work) -> set[str]:
    """Which files of the work the commit has that files are taken from."""
    return git.known(place.scene.around.environ, place.tree, work.files, place.what.source)


def _clean(place: Place) -> str:
    if place.has("-X"):  # ignored files are nobody's work
        return ""
    paths = place.what.paths or (".",)
    work = _picked(place.foreign(paths), states.fresh)
    if not work.files:
        return ""
    mine = place.own(paths, states.fresh)
    if not place.what.paths and not place.has("-d"):  # it goes into no folder that git does not know
        strays = git.strays(place.scene.around.environ, place.tree)
        work, mine = work.only(strays), [name for name in mine if name in strays]
    return _destroys(
        place, "git clean", "delete new files", work, "clean -f --", [] if place.has("-e", "--exclude") else mine
    )  # fmt: skip


def _remove(place: Place) -> str:
    """Unforced git itself keeps what is changed; from the index alone it removes it all the same."""
    cached = place.has("--cached")
    if not cached and not place.has("-f", "--force"):
        return ""
    work = _picked(place.foreign(place.what.paths), states.indexed)
    work = _unnamed(place, work) if cached else work
    if not work.files:
        return ""
    harm = "take out of git the work" if cached else "destroy uncommitted work"
    form = "" if place.options() is None else _but(place, f"rm{place.options()}", work)
    return place.refused("git rm", harm, work, form, place.ask(work))


def _destroys(place: Place, command: str, harm: str, work: Work, form: str, mine: list[str]) -> str:
    """Refused, with the same on one's own files where the command meant some."""
    if not work.files:
        return ""
    step = _step(f"{place.git()} {form}", place.words(mine))
    return place.refused(command, harm, work, step, place.ask(work))


def _switch(place: Place) -> str:
    return _moves(place) if place.away or not place.what.paths else ""


def _rename_branch(place: Place) -> str:
    """Given one name, or the name of the branch that is checked out, it renames that one."""
    current = git.head(place.scene.around.environ, place.tree)[1]
    return _moves(place) if len(place.what.paths) < 2 or place.what.paths[0] == current else ""


def _moves(place: Place) -> str:
    """HEAD would stand elsewhere for everyone who works in this checkout."""
    workers = place.scene.workers(place.tree)
    if not workers:
        return ""
    who = place.scene.named([row["runtime_id"] for row in workers])
    command = f"git {CALLED.get(place.what.operation, place.what.operation)}"
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
    """To another commit it moves HEAD; else it empties the index for all."""
    if place.away:
        return _moves(place)
    work = _staged_work(place)
    mine = place.own((), states.staged) if work.files else []
    return _destroys(place, "git reset", "unstage the work", work, "restore --staged --", mine)


def _unstage(place: Place) -> str:
    """Files that were named are meant."""
    away = place.what.source not in HERE
    pick = states.tracked if away else states.staged
    work = _unnamed(place, _picked(place.foreign(place.what.paths), pick))
    if not work.files:
        return ""
    mine = [] if away or place.has(*CHOOSING) else place.own(place.what.paths, pick)
    return _destroys(place, "git reset", "unstage the work", work, "restore --staged --", mine)


def _unnamed(place: Place, work: Work) -> Work:
    """The work less those files that stand in the command by their names, and so are meant."""
    meant = place.typed(work)
    return work.only(name for name in work.files if name not in meant)


def _magic(path: str) -> bool:
    return path.startswith(":") or bool(set(path) & set(narrow.PATTERN))


def _but(place: Place, form: str, work: Work, call: str = "") -> str:
    """The step that runs the same command without these files; empty if one of the names can't be typed."""
    out = [texts.typeable(f":(exclude,top,literal){name}") for name in sorted(work.files)]
    paths = [texts.typeable(path) for path in place.what.paths] or [":/"]
    whole = form + (place.options() or "") if form == "add" else form
    words = " ".join([*paths, *out]) if all(paths) and all(out) else ""
    return _step(f"{call or f'{place.git()} {whole}'} --", words)


def _step(command: str, words: str) -> str:
    return f"Next: run `{command} {words}`." if words else ""


RULES: dict[str, "Rule"] = {
    "add": _add, "add-all": _add, "commit-all": _commit_all, "commit": _commit, "stash": _stash, "reset-hard": _reset_hard,
    "checkout-tree": _checkout_tree, "clean": _clean, "switch": _switch, "branch": _moves, "rename-branch": _rename_branch,
    "symbolic-ref": _moves, "update-ref": _moves, "rebase": _moves, "reset": _reset, "unstage": _unstage, "remove": _remove,
}  # fmt: skip
