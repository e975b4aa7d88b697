"""git: which of its commands change files of the working tree, and what the caller's own rules need to know.

A command on named paths is a write to these; one on the whole tree a write to the tree. Whether work of others is
really there is for the caller to see (``Verdict.git``).
"""

from __future__ import annotations

# ruff: noqa: ARG001 - all programs have one signature
from coordhooks.targets.shell import diffs
from coordhooks.targets.shell.places import absolute, elsewhere, inside, is_folder, kind_of
from coordhooks.targets.shell.rules import Args, Rule, arguments
from coordhooks.targets.shell.scope import EMPTY, UNKNOWN, Scope, Stream, Word
from coordhooks.targets.shell.table_git import LINES, QUIET_SUBCOMMANDS, READING_FORMS
from coordhooks.targets.shell.verdict import FILE, FOLDER, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from coordhooks.targets.shell.walk import Shell

    Sub = Callable[[Shell, str, Args, Scope], None]

GLOBAL = Rule(
    "=git stop takes=-C,-c,--git-dir,--work-tree,--namespace,--exec-path,--config-env,--super-prefix"
)
LISTING = ("--name-only", "--name-status")


def _git(shell: Shell, argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], GLOBAL)
    for where in [*found.values("-C"), *found.values("--work-tree")]:
        scope = elsewhere(scope, where)
    for setting in found.values("-c"):
        if setting.head.startswith(("alias.", "core.hooksPath", "core.fsmonitor", "diff.external")):
            shell.verdict.doubt(f"git -c {setting.head}: what it runs can't be told")
    if not found.operands:
        return UNKNOWN
    sub = found.operands[0].text
    if sub is None or (sub not in LINES and sub not in SUBS):
        shell.verdict.doubt(f"git {sub or ''}: what it writes can't be told")
        return UNKNOWN
    rest = arguments(found.operands[1:], Rule(LINES.get(sub, "reads")))
    if rest.has("--help") or (rest.has("-h") and sub not in ("grep", "ls-remote")):
        return UNKNOWN
    for option, output in rest.options:
        if output is not None and option in Rule(LINES.get(sub, "reads")).out and output.text != "-":
            shell.write(output, scope, f"git {sub} {option}", overwrite=True)
    if not rest.has(*READING_FORMS.get(sub, ())):
        SUBS.get(sub, _reads)(shell, sub, rest, scope)
    return _said(sub, rest, scope)


def _said(sub: str, rest: Args, scope: Scope) -> Stream:
    """Output that becomes operands elsewhere: names of files, or the root of the tree."""
    if scope.cwd is None:
        return UNKNOWN
    if sub == "rev-parse":
        if rest.has("--show-toplevel"):
            from coordhooks.paths import repository_of

            root = repository_of(scope.cwd, is_folder=True)[0]
            return Stream(root + "\n") if root else UNKNOWN
        return Stream(plain=True)
    if sub in ("ls-files", "grep") or rest.has(*LISTING):
        return Stream(None, (_root(scope),))
    return EMPTY if sub in QUIET_SUBCOMMANDS else UNKNOWN


def _root(scope: Scope) -> str:
    from coordhooks.paths import repository_of

    return repository_of(scope.cwd or "/", is_folder=True)[0] or scope.cwd or "/"


# -- what is reported ---------------------------------------------------------------------------------------


def _report(
    shell: Shell, operation: str, found: Args, scope: Scope, paths: list[Word] | None = None, source: str = ""
) -> None:
    """Tell the caller of an operation; a pathspec that can't be told is left out of it, and doubted."""
    words = found.operands if paths is None else paths
    if any(word.text is None for word in words):
        shell.verdict.doubt(f"git {operation}: its paths can't be told")
    options = tuple(name for name, _ in found.options)
    told = shell.git(operation, scope, tuple(word.text for word in words if word.text is not None), options)
    if told is not None:
        told.given, told.source = _given(found), source


def _given(found: Args) -> tuple[str, ...] | None:
    """The options as they could be typed again."""
    words: list[str] = []
    for name, value in found.options:
        if value is None:
            words.append(name)
        elif value.text is None:
            return None
        else:
            words += [f"{name}={value.text}"] if name.startswith("--") else [name, value.text]
    return tuple(words)


def _tree(shell: Shell, sub: str, scope: Scope) -> None:
    shell.write(Word("."), scope, f"git {sub}", TREE)


def _paths(shell: Shell, sub: str, words: list[Word], scope: Scope, *, follow: bool = False) -> None:
    """Pathspecs: a plain one is a file or a folder, one with magic or a pattern may be anything in the tree."""
    for word in words:
        text = word.text or ""
        if text.startswith(":") or any(char in text for char in "*?["):
            _tree(shell, sub, scope)
        else:
            shell.write(word, scope, f"git {sub} {text}", kind_of(shell, word, scope), follow=follow)


def _reads(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    if found.has("--ext-diff", "--open-files-in-pager", "-O") and sub in ("grep", "log", "diff", "show"):
        shell.verdict.doubt(f"git {sub}: the program that it runs can't be followed")


def _opaque(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    shell.verdict.doubt(f"git {sub}: what it writes can't be told")


SEQUENCER = ("--continue", "--skip", "--abort", "--quit", "--edit-todo")


def _whole(operation: str) -> Sub:
    """A command that may change any file of the tree."""

    def run(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
        if found.has(
            *SEQUENCER
        ):  # goes on with, or gets out of, what was begun; git itself minds changed files
            _report(shell, "index-write", found, scope, [])
            return
        _report(shell, operation, found, scope)
        _tree(shell, sub, scope)
        if found.has("-x", "--exec") and sub == "rebase":
            shell.verdict.doubt("git rebase --exec: what it runs can't be followed")

    return run


def _index(operation: str) -> Sub:
    """A command that changes the index only."""

    def run(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
        _report(shell, operation, found, scope)

    return run


# -- the subcommands ----------------------------------------------------------------------------------------

SWEEPING = (".", "./", ":/", "*", ":", "-A")


def _add(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    everything = found.has("-A", "--all", "-u", "--update", "--no-ignore-removal") and not found.operands
    sweeps = (
        everything
        or found.has("--pathspec-from-file")
        or any(
            word.text is None or word.text in SWEEPING or is_folder(shell, word, scope)
            for word in found.operands
        )
    )
    _report(shell, "add-all" if sweeps else "add", found, scope)


def _commit(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    _report(shell, "commit-all" if found.has("-a", "--all") else "commit", found, scope)


def _stash(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    action = found.operands[0].text if found.operands else "push"
    if action in ("list", "show", "create", "store", "export"):
        return  # these change neither files nor index; the list of stashes only grows
    operation = {
        "pop": "stash-pop",
        "apply": "stash-pop",
        "branch": "stash-pop",
        "drop": "stash-drop",
        "clear": "stash-drop",
    }
    paths = found.operands[1:] if action == "push" else []
    if action not in (*operation, "push", "save"):  # `git stash -- src`
        paths = found.operands
    _report(shell, operation.get(action or "", "stash"), found, scope, paths)
    if action in ("drop", "clear"):
        return
    if paths:
        _paths(shell, sub, paths, scope)
    else:
        _tree(shell, sub, scope)


def _reset(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    """With paths it only unstages these; to a commit it moves HEAD, and the files as well if it is told to."""
    commit, paths = _commit_and_paths(shell, found, scope)
    if found.has("--hard", "--merge"):
        _report(shell, "reset-hard", found, scope)
        _tree(shell, sub, scope)
    elif paths or found.has("--pathspec-from-file", "-p", "--patch"):
        _report(shell, "unstage", found, scope, paths or [Word(":/")], commit)
    else:
        _report(shell, "reset", found, scope)
        if found.has("--keep") and commit not in HERE:
            _tree(shell, sub, scope)


HERE = ("", "HEAD", "@")  # the commit that is checked out


def _commit_and_paths(shell: Shell, found: Args, scope: Scope) -> tuple[str, list[Word]]:
    """Paths are behind ``--``, or what is there as a file; what stands before them is a commit."""
    words = found.operands
    at = found.dashes
    if at is None:
        at = 1 if words and not _is_path(shell, words[0], scope) else 0
    return " ".join(word.text or "" for word in words[:at]), words[at:]


FORCING = ("-f", "--force", "--discard-changes")


def _checkout(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    """Paths behind ``--``, or operands that are there as files; else it goes to another commit."""
    if found.has(*FORCING) and found.dashes is None:
        _report(shell, "reset-hard", found, scope)
        _tree(shell, sub, scope)
    if found.has("-b", "-B", "--orphan"):
        _report(shell, "branch", found, scope)
        if found.operands:
            _tree(shell, sub, scope)
        return
    paths = [word for at, word in enumerate(found.operands) if at or _is_path(shell, word, scope)]
    if found.dashes is not None:
        paths = found.operands[found.dashes :]
    if found.has("--pathspec-from-file", "-p", "--patch") or (not paths and found.has("--ours", "--theirs")):
        paths = [Word(":/")]
    if not paths and not found.operands:
        if found.has("--detach", "-d"):
            _report(shell, "branch", found, scope)
        return
    source = found.operands[0].text if paths and found.operands[:1] != paths[:1] and found.operands else ""
    _report(shell, "checkout-tree" if paths else "switch", found, scope, paths or None, source or "")
    if paths:
        _paths(shell, sub, paths, scope)
    else:
        _tree(shell, sub, scope)


def _is_path(shell: Shell, word: Word, scope: Scope) -> bool:
    path = absolute(word, scope)
    return path is not None and (shell.world.exists(path) or (word.text or "").startswith(":"))


def _switch(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    if found.has(*FORCING):
        _report(shell, "reset-hard", found, scope)
    new = found.has("-c", "-C", "--create", "--force-create", "--orphan", "-d", "--detach")
    _report(shell, "branch" if new and not found.operands else "switch", found, scope)
    if found.operands or not new or found.has("--orphan", "--discard-changes", "-f"):
        _tree(shell, sub, scope)


def _restore(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    paths = found.operands if not found.has("--pathspec-from-file") else [Word(":/")]
    source = (found.values("-s", "--source") or [Word("")])[-1].text or ""
    if found.has("-S", "--staged") and not found.has("-W", "--worktree"):
        _report(shell, "unstage", found, scope, paths, source)
        return
    _report(shell, "checkout-tree", found, scope, paths, source)
    _paths(shell, sub, paths, scope)


CLEAN_ALL = "clean -ff"


def _clean(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    if not found.has("-f", "--force", "-i", "--interactive"):
        return  # git refuses
    _report(shell, "clean", found, scope)
    if found.operands:
        _paths(shell, sub, found.operands, scope)
    else:  # twice forced it takes other working trees inside this one, too
        forced = sum(name in ("-f", "--force") for name, _ in found.options)
        shell.write(Word("."), scope, "git clean" if forced < 2 else CLEAN_ALL, FOLDER)


def _remove(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    paths = found.operands if not found.has("--pathspec-from-file") else [Word(":/")]
    _report(shell, "remove", found, scope, paths)
    if not found.has("--cached"):
        _paths(shell, sub, paths, scope)


def _move(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    _report(shell, "index-write", found, scope)
    if len(found.operands) < 2:
        return
    *sources, last = found.operands
    _paths(shell, sub, sources, scope)
    into = is_folder(shell, last, scope) or len(sources) > 1
    for source in sources:
        kind = kind_of(shell, source, scope)
        target = inside(last, source) if into else last
        shell.write(target, scope, f"git mv to {target.head}", kind, follow=False, overwrite=True)


def _apply(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    if found.has("--cached", "--build-fake-ancestor") and not found.has("--index", "-3", "--3way"):
        _report(shell, "index-write", found, scope, [])
        return
    _report(shell, "apply", found, scope, [])
    text = scope.stdin.text if not found.operands or found.operands[0].text == "-" else None
    level = (found.values("-p") or [Word("1")])[-1].text or "1"
    names = (
        diffs.names(text, int(level)) if text is not None and level.isdecimal() and len(level) < 4 else None
    )
    folder = found.values("--directory")
    for name in names or []:
        shell.write(
            Word(name), elsewhere(scope, folder[-1] if folder else None), f"git apply {name}", follow=False
        )
    if names is None:
        _tree(shell, sub, scope)


def _worktree(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    action = found.operands[0].text if found.operands else "list"
    if action in ("add", "remove", "move"):
        for word in found.operands[1:2] if action != "move" else found.operands[1:3]:
            shell.write(word, scope, f"git worktree {action}", FOLDER)


def _clone(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    if len(found.operands) > 1:
        shell.write(found.operands[1], scope, "git clone", FOLDER)
    elif found.operands:
        name = inside(Word("."), found.operands[0])
        plain = Word((name.text or "").removesuffix(".git")) if name.text else Word()
        shell.write(plain, scope, "git clone", FOLDER)
        if absolute(plain, scope):
            shell.world.folders.add(absolute(plain, scope) or "")


def _init(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    where = (found.operands or [Word(".")])[0]
    shell.write(inside(where, Word(".git")) if where.text else Word(), scope, "git init", FOLDER)
    if absolute(where, scope):
        shell.world.folders.add(absolute(where, scope) or "")


def _config(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    """Only a user's own file is somebody's: the repository's lies in ``.git``."""
    reading = found.has("--get", "--get-all", "--get-regexp", "-l", "--list", "--get-urlmatch")
    if reading or len(found.operands) < 2 or found.operands[0].text in ("get", "list"):
        return
    for value in found.values("-f", "--file"):
        shell.write(value, scope, f"git config {value.head}")
    if found.has("--global"):
        shell.write(Word(f"{scope.home}/.gitconfig"), scope, "git config --global", FILE)


def _submodule(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    action = found.operands[0].text if found.operands else "status"
    if action in ("status", "summary") or not shell.world.exists(f"{_root(scope)}/.gitmodules"):
        if action in ("add", "absorbgitdirs"):
            _whole("submodule")(shell, sub, found, scope)
        return
    _whole("submodule")(shell, sub, found, scope)
    if action == "foreach":
        _opaque(shell, "submodule foreach", found, scope)


def _bisect(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    action = found.operands[0].text if found.operands else "help"
    if action in ("log", "view", "visualize", "help", "terms"):
        return
    _whole("bisect")(shell, sub, found, scope)
    if action == "run":
        _opaque(shell, "bisect run", found, scope)


def _format_patch(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    if not found.has("--stdout"):
        folder = found.values("-o", "--output-directory")
        shell.write(folder[-1] if folder else Word("."), scope, "git format-patch", FOLDER)


def _bundle(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    if found.operands[:1] and found.operands[0].text == "create":
        for word in found.operands[1:2]:
            shell.write(word, scope, "git bundle create", overwrite=True)


def _lfs(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    if not found.operands or found.operands[0].text not in (
        "ls-files",
        "status",
        "env",
        "version",
        "logs",
        "push",
        "fetch",
    ):
        _whole("checkout-tree")(shell, sub, found, scope)


def _read_tree(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    _report(shell, "index-write", found, scope, [])
    if found.has("-u", "--reset"):
        _tree(shell, sub, scope)


def _checkout_index(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    """Files of the index, below the root or below a prefix; those that are there stay without ``-f``."""
    for prefix in found.values("--prefix"):
        folder = Word(f"{_root(scope)}/{prefix.text}") if prefix.text is not None else Word()
        shell.write(folder, scope, f"git checkout-index --prefix {prefix.head}", FOLDER)
        return
    if found.has("-a", "--all", "--stdin"):
        _tree(shell, sub, scope)
    else:
        _paths(shell, sub, found.operands, scope)


def _branch(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    """A branch gets another name; whether it is the one that is checked out is for the caller to see."""
    if found.has("-m", "-M", "--move"):
        _report(shell, "rename-branch", found, scope)


def _points_head(shell: Shell, sub: str, found: Args, scope: Scope) -> None:
    """HEAD is made to stand elsewhere by hand."""
    if found.operands[:1] and found.operands[0].text in HERE and (len(found.operands) > 1 or found.has("-d")):
        _report(shell, sub, found, scope, [])


SUBS: dict[str, Sub] = {
    "add": _add, "stage": _add, "commit": _commit, "stash": _stash, "reset": _reset, "checkout": _checkout,
    "switch": _switch, "restore": _restore, "clean": _clean, "rm": _remove, "mv": _move, "apply": _apply,
    "worktree": _worktree, "clone": _clone, "init": _init, "config": _config, "submodule": _submodule,
    "bisect": _bisect, "format-patch": _format_patch, "bundle": _bundle, "lfs": _lfs, "read-tree": _read_tree,
    "checkout-index": _checkout_index, "branch": _branch, "symbolic-ref": _points_head, "update-ref": _points_head,
    "merge": _whole("merge"), "rebase": _whole("rebase"), "pull": _whole("pull"),
    "cherry-pick": _whole("cherry-pick"), "revert": _whole("revert"), "am": _whole("am"),
    "sparse-checkout": _whole("switch"), "filter-branch": _whole("rewrite"), "filter-repo": _whole("rewrite"),
    "subtree": _whole("merge"), "mergetool": _whole("merge"), "update-index": _index("index-write"),
    "difftool": _opaque, "gui": _opaque, "citool": _opaque, "send-email": _opaque, "maintenance": _opaque,
    "hook": _opaque, "svn": _whole("rebase"), "merge-file": lambda shell, sub, found, scope: _paths(
        shell, sub, [] if found.has("-p", "--stdout") else found.operands[:1], scope
    ),
}  # fmt: skip

HANDLERS = {"git": _git}
