"""git's subcommands as data: which of their options have values (so that these are no paths), which forms read.

A subcommand without a line (and without a function in ``git``) is an alias or new: it can't be told.
"""

DIFF = (
    "takes=-U,-S,-G,-l,-O,--diff-filter,--word-diff-regex,--inter-hunk-context,-L,-n,--max-count,--author,--since,"
    "--until,--after,--before,--grep,--format,--pretty,--skip,--glob,--branches,--date out=--output"
)

LINES = {
    # these only read, or write nothing but git's own folder
    **dict.fromkeys(("log", "diff", "show", "whatchanged", "diff-tree", "diff-index", "diff-files", "range-diff"), "reads " + DIFF),
    **dict.fromkeys(
        (
            "status", "blame", "annotate", "grep", "rev-parse", "ls-files", "ls-tree", "ls-remote", "cat-file", "describe",
            "shortlog", "reflog", "rev-list", "name-rev", "merge-base", "for-each-ref", "show-ref", "show-branch", "var",
            "version", "help", "count-objects", "check-ignore", "check-attr", "check-ref-format", "cherry", "fsck", "remote",
            "fetch", "push", "branch", "tag", "notes", "gc", "prune", "repack", "pack-refs",
            "hash-object", "write-tree", "commit-tree", "mktree", "merge-tree", "verify-commit", "verify-tag", "verify-pack",
            "get-tar-commit-id", "patch-id", "stripspace", "interpret-trailers", "request-pull", "rerere", "replace",
            "unpack-objects", "index-pack", "pack-objects", "multi-pack-index", "commit-graph", "bugreport", "column",
            "credential", "check-mailmap", "fmt-merge-msg", "last-modified", "refs", "for-each-repo", "diff-pairs", "backfill",
        ),
        "reads",
    ),
    "archive": "reads takes=--format,--prefix,--remote,--add-file out=-o,--output",
    # the rest has a function; here are only the options that have values
    "commit": "=commit takes=-m,-F,-C,-c,-t,--message,--file,--author,--date,--fixup,--squash,--reuse-message,"
    "--reedit-message,--template,--cleanup,--trailer,--pathspec-from-file",
    "add": "=add takes=--chmod,--pathspec-from-file",
    "stage": "=add takes=--chmod,--pathspec-from-file",
    "stash": "=stash takes=-m,--message,--pathspec-from-file",
    "checkout": "=checkout takes=-b,-B,--orphan,--conflict,--pathspec-from-file",
    "switch": "=switch takes=-c,-C,--create,--force-create,--orphan,--conflict",
    "restore": "=restore takes=-s,--source,--conflict,--pathspec-from-file",
    "reset": "=reset takes=--pathspec-from-file",
    "clean": "=clean takes=-e,--exclude",
    "rm": "=rm takes=--pathspec-from-file",
    "merge": "=merge takes=-m,-F,-s,-X,--strategy,--strategy-option,--into-name,--cleanup",
    "rebase": "=rebase takes=-s,-X,-x,--onto,--strategy,--strategy-option,--exec,--whitespace",
    "pull": "=pull takes=-s,-X,--strategy,--strategy-option,--depth",
    "cherry-pick": "=pick takes=-m,-X,--mainline,--strategy,--strategy-option,--cleanup",
    "revert": "=revert takes=-m,-X,--mainline,--strategy,--strategy-option,--cleanup",
    "apply": "=apply takes=-p,-C,--directory,--exclude,--include,--whitespace",
    "am": "=am takes=-p,-C,--directory,--exclude,--include,--whitespace,--patch-format",
    "worktree": "=worktree takes=-b,-B,--reason",
    "clone": "=clone takes=-b,-o,-u,-c,-j,--branch,--origin,--depth,--reference,--config,--template,--filter,--jobs,"
    "--separate-git-dir",
    "init": "=init takes=-b,--initial-branch,--template,--separate-git-dir,--object-format",
    "config": "=config takes=-f,--file,--type,--default,--blob",
    "format-patch": "=format_patch takes=-o,-n,-v,--output-directory,--subject-prefix,--start-number,--suffix,--to,--cc,--base",
    "bisect": "=bisect takes=--term-old,--term-new",
    "update-index": "=index takes=--chmod,--cacheinfo",
    "checkout-index": "=checkout_index takes=--prefix,--stage",
    "symbolic-ref": "=points_head takes=-m",
    "update-ref": "=points_head takes=-m",
}  # fmt: skip

# With one of these options a subcommand that writes only reads.
READING_FORMS = {
    "add": ("-n", "--dry-run"), "stage": ("-n", "--dry-run"), "commit": ("--dry-run",), "clean": ("-n", "--dry-run"),
    "rm": ("-n", "--dry-run"), "mv": ("-n", "--dry-run"), "apply": ("--check", "--stat", "--numstat", "--summary"),
    "pull": ("--dry-run",), "rebase": ("--show-current-patch",), "am": ("--show-current-patch",),
}  # fmt: skip

QUIET_SUBCOMMANDS = (
    "add",
    "stage",
    "rm",
    "mv",
    "config",
    "apply",
    "update-index",
    "update-ref",
    "restore",
    "clean",
)
