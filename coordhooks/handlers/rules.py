"""The rules of a shared checkout for shell commands: what is refused beyond files that others hold.

Commands that would sweep up, destroy or move away the unlanded work of others are refused, with the narrower command
to run. What git can't be asked is no objection: it counts as what could not be told.
"""

from coordhooks import git
from coordhooks.handlers import narrow, texts
from coordhooks.handlers.guard import Plan
from coordhooks.handlers.scene import Scene
from coordhooks.model import Decision, Event, Target
from coordhooks.store import leases, writes
from coordhooks.store.db import Transaction
from coordhooks.store.overlap import encode, of_target
from coordhooks.targets import shell
from coordhooks.targets.shell.verdict import Verdict, Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.hook import Surroundings

Found = list[tuple[Target, Write]]


def plan(event: Event, around: "Surroundings", verdict: Verdict) -> Plan:
    """The plan of a command that writes, or of which that can't be told."""
    scene = Scene(event, around)
    if verdict.git and not scene.off:
        from coordhooks.handlers import git_rules  # here, because most commands are none of git's

        git_rules.read_gone_files(scene, verdict)
        verdict.targets = git_rules.without_fast_forwards(scene, verdict)
    found = shell.targets_of(verdict)
    made = Plan([target for target, _ in found])
    made.reasons = {target.key: write.why for target, write in found}
    made.untold = verdict.untold
    made.watched = True
    if scene.off:
        return made
    try:
        text = _of_git(scene, verdict, made) if verdict.git else ""
        text = text or _objection(scene, verdict, found)
    except git.GitFailed as error:
        made.untold.append(str(error))
        text = ""
    if text:
        made.objection = Decision(deny=text, notice=f"coordhooks: {text.removeprefix(texts.NOT_AN_ERROR)}")
    return made


def _of_git(scene: Scene, verdict: Verdict, made: Plan) -> str:
    from coordhooks.handlers import git_rules

    git_rules.prepare(scene, verdict, made)
    for operation in verdict.git:
        text = git_rules.objection(scene, operation, made)
        if text:
            made.ruled = True
            return text
    return ""


def _objection(scene: Scene, verdict: Verdict, found: Found) -> str:
    wide = [(target, write) for target, write in found if target.folder]
    text = _sweeps_over(scene, wide) or _overwrites(scene, found)
    return text or (_strict(scene, verdict) if scene.strict and verdict.unexcused else "")


def _sweeps_over(scene: Scene, wide: Found) -> str:
    """A command over a folder, in which others have unlanded work. git's own are judged by its rules."""
    for target, write in wide:
        if write.why.startswith("git ") or not target.tree:
            continue
        work = scene.below(target)
        if work.files:
            who, called = scene.named(work.authors), narrow.called(write.why)
            head = f"{texts.NOT_AN_ERROR}`{called}` would change uncommitted work of {who}: {scene.listed(work, target.tree)}."
            inside = "" if target.name == "/" else f"{target.name}/"
            own = [name for name in scene.own(target.tree).files if name.startswith(inside)]
            step = narrow.over(write.why, own, target.tree, scene.cwd)
            return texts.fit([head], [step, narrow.FALLBACK])
    return ""


def _overwrites(scene: Scene, found: Found) -> str:
    """A file is replaced or removed that others have changed since this conversation wrote it: refused once."""
    from coordhooks import fingerprint
    from coordhooks.store import watches

    replaced = [
        (target, write) for target, write in found
        if not target.folder and (write.overwrite or not write.follow)
    ]  # fmt: skip
    with Transaction(scene.around.db) as tx:
        mine = {
            target.key: writes.of_file(tx, encode(target.key), scene.conversation) for target, _ in replaced
        }
        new = [target for target, _ in replaced if mine[target.key] is None]
        theirs = [target for target in new if writes.by_others(tx, target, scene.conversation)]
    unlanded = _unlanded(scene, theirs)
    changed: list[tuple[Target, Write]] = []
    for target, write in replaced:
        row = mine[target.key]
        if row is None and target.key not in unlanded:
            continue
        now = fingerprint.take(target.path, None if row is None else watches.seen(row))
        if now.size is None or (row is not None and fingerprint.changed(watches.seen(row), now) is False):
            continue
        if scene.first_time(encode(target.key), f"overwrite:{now.mtime_ns}"):
            changed.append((target, write))
    if not changed:
        return ""
    target, write = changed[0]
    known = mine[target.key] is not None
    return texts.overwrite(target.name, len(changed) - 1, write.why.partition(" ")[0], known=known)


def _unlanded(scene: Scene, targets: list[Target]) -> set[str]:
    """The keys of those files that hold uncommitted work of others; git is asked once a tree."""
    found: set[str] = set()
    for tree in {target.tree for target in targets}:
        here = [target for target in targets if target.tree == tree]
        work = scene.foreign(tree, [encode(target.key) for target in here])
        found |= {target.key for target in here if target.name in work.files}
    return found


def _strict(scene: Scene, verdict: Verdict) -> str:
    """``strict = true``: what can't be told is refused while others hold something in this tree."""
    if not scene.tree:
        return ""
    from coordhooks.paths import locate

    root = locate(scene.tree, scene.tree, folder=True)
    with Transaction(scene.around.db) as tx:
        if scene.me is None:
            held = leases.active(tx, scene.project)
        else:
            held = leases.conflicts(tx, scene.me["runtime_id"], [of_target(root)], leases.EXCLUSIVE)
    if not held:
        return ""
    return texts.strict(verdict.unexcused[0], scene.named([held[0]["runtime_id"]]))
