"""jj: any of its commands may take the working copy into a commit; these also rewrite the files in it."""

# ruff: noqa: ARG001 - all programs have one signature

from coordhooks.targets.shell.places import elsewhere
from coordhooks.targets.shell.rules import Rule, arguments
from coordhooks.targets.shell.scope import UNKNOWN, Scope, Stream, Word
from coordhooks.targets.shell.verdict import FOLDER, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from coordhooks.targets.shell.walk import Shell

GLOBAL = Rule("=jj stop takes=-R,--repository,--at-operation,--at-op,--color,--config,--config-file")
VALUES = Rule(
    "=jj takes=-r,-m,-f,-t,-s,-d,-b,-o,-A,-B,-T,-n,--revision,--from,--to,--into,--message,--template,--limit"
)

READS = (
    "log", "diff", "show", "status", "st", "evolog", "obslog", "file list", "file show", "file annotate",
    "file search", "bookmark list", "branch list", "tag list", "config list", "config get", "config path", "help",
    "version", "root", "workspace list", "workspace root", "interdiff", "op log", "operation log", "op show",
    "op diff", "git push", "git fetch", "git remote", "git root", "util completion", "sign", "unsign", "gerrit",
)  # fmt: skip
# They rewrite commits or names of commits, not files.
COMMITS = (
    "describe", "desc", "commit", "ci", "bookmark", "branch", "tag", "duplicate", "metaedit", "git export",
    "workspace forget", "workspace rename", "op abandon", "file track", "file untrack", "util gc", "b",
)  # fmt: skip
TREES = (
    "restore", "edit", "new", "undo", "redo", "op restore", "op revert", "op undo", "operation restore", "squash",
    "unsquash", "abandon", "rebase", "split", "checkout", "co", "next", "prev", "workspace update-stale", "resolve",
    "revert", "backout", "parallelize", "absorb", "diffedit", "fix", "sparse", "git import", "merge", "move",
    "simplify-parents", "arrange",
)  # fmt: skip


def _jj(shell: "Shell", argv: list[Word], scope: Scope, rule: Rule) -> Stream:
    found = arguments(argv[1:], GLOBAL)
    where = found.values("-R", "--repository")
    scope = elsewhere(scope, where[-1] if where else None)
    words = found.operands
    if any(word.text in ("--help", "-h") for word in words):
        return UNKNOWN
    sub = (words[0].text or "") if words else "log"
    pair = f"{sub} {words[1].text}" if len(words) > 1 else sub
    options = tuple(word.head for word in words if word.is_option)
    if pair in READS or sub in READS:
        return UNKNOWN
    if pair in TREES or sub in TREES:
        paths = arguments(words[1:], VALUES).operands if sub == "restore" else []
        shell.git("jj", scope, tuple(word.text or "" for word in paths), (sub, *options))
        for word in paths or [Word(".")]:
            shell.write(word, scope, f"jj {sub}", FOLDER if paths else TREE)
    elif pair in COMMITS or sub in COMMITS:
        shell.git("jj", scope, (), (sub, *options))
    elif pair in ("git clone", "git init", "workspace add") and len(words) > 2:
        shell.write(words[-1], scope, f"jj {pair}", FOLDER)
    else:
        shell.verdict.doubt(f"jj {sub}: what it writes can't be told")
    return UNKNOWN


HANDLERS = {"jj": _jj}
