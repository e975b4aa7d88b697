"""From a verdict to targets: which files they are, links followed where the program follows them."""

from coordhooks import paths
from coordhooks.errors import BadPath
from coordhooks.model import Target
from coordhooks.targets.shell.verdict import FOLDER, TREE, Verdict, Write


def targets_of(verdict: Verdict) -> list[tuple[Target, Write]]:
    """Every target once, with the write that named it first. A path that no file can have is a doubt."""
    found: dict[tuple[str, bool], tuple[Target, Write]] = {}
    among = paths.Folders()
    for write in verdict.targets:
        try:
            target = _located(write, among)
        except BadPath as error:
            verdict.doubt(f"{write.why}: {error}")
            continue
        found.setdefault((target.key, target.folder), (target, write))
    return list(found.values())


def _located(write: Write, among: paths.Folders) -> Target:
    path = write.absolute
    if write.kind == TREE:
        tree, _ = paths.repository_of(paths.real(path), is_folder=True)
        path = tree or path
    target = paths.locate(
        path,
        write.base,
        follow=write.follow or write.kind == TREE,
        folder=write.kind in (FOLDER, TREE),
        among=among,
    )
    target.bounded = target.folder and (write.kind == TREE or write.why.startswith("git "))
    return target
