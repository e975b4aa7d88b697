# What every hook entry runs, sourced by its few words with: $1 the pinned interpreter, $2 the folder that holds
# the package, the rest for coordhooks.hook; and set: $l this folder, $m a warning (one JSON document).
#
# The entry has set a trap: however this ends without becoming Python, an `exec` that fails included, the warning
# is printed and the call let through, for nobody may be locked out by an installation that is gone. Nothing here
# reads stdin or needs a PATH, and the usual case starts no process: sh becomes Python.
# -I -S: nothing of the project, the environment or site-packages is imported; -B: nothing is written, except for a
# plugin, whose modules are compiled into its data folder: that is where its interpreter is pinned.
p=$1 r=$2
shift 2
[ -f "$r/coordhooks/hook.py" ] && [ -f "$l/boot.py" ] || exit 0

# Codex, unlike Claude Code with its `onFailure`, runs a tool whose hook has failed. So there sh stays, for the tools
# that write files, and turns whatever becomes of Python into a refusal: its own ends are 0 and 2.
guarded() {
    # What sh itself has to say, such as "Killed", would stand in front of the reason.
    { "$@" 2>&3 3>&-; s=$?; } 3>&2 2>/dev/null
    case $s in
        126 | 127) return 0 ;; # it could not even start: another one may
        0 | 2) ;;
        *) refuse "its hook ended with $s" ;;
    esac
    trap - 0
    exit $s
}
refuse() {
    trap - 0
    echo "Not written: coordhooks could not check who holds this file ($1). Run \`coord doctor --fix\`, then try again." >&2
    exit 2
}
e=exec
[ "$*" = '--harness codex --event PreToolUse --class file' ] && e=guarded
set -- "$l/boot.py" "$r" "$m" "$@"
c=${p%/env/bin/python3}/compiled
if [ -d "$c" ]; then set -- -X "pycache_prefix=$c" "$@"; else set -- -B "$@"; fi

# A half removed interpreter starts and dies of its missing library, which a harness takes for a refusal. The installer
# has left a link to that library beside the interpreter. It may have moved, so below the pinned one is the first to be asked.
s=${p%/bin/*}/stdlib
{ [ -L "$s" ] && [ ! -e "$s/encodings/__init__.py" ]; } ||
    { [ -x "$p" ] && $e "$p" -I -S "$@"; }

# The interpreter was upgraded away: any other will do, the hot path needs the standard library only. Stubs, shims
# and old ones show only when run; </dev/null keeps the payload for ours. /usr/bin comes after its like because on
# a bare macOS python3 there opens a dialog.
for p in "$p" python3 /opt/homebrew/bin/python3 /usr/local/bin/python3 /usr/bin/python3 \
    python3.14 python3.13 python3.12 python3.11; do
    "$p" -I -S -c 'import sys; sys.exit(sys.version_info < (3, 11))' </dev/null >/dev/null 2>&1 &&
        $e "$p" -I -S "$@"
done
[ $e = exec ] || refuse "there is no Python 3.11 or newer to run its hook; install one"
m='{"systemMessage": "coordhooks found no Python 3.11 or newer, so NOTHING guards writes now. Install one; or remove the hooks: install.sh --uninstall, or the plugin."}'
exit 0
