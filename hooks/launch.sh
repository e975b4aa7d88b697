# What every hook entry runs, sourced by its few words with: $1 the pinned interpreter, $2 the folder that holds
# the package, the rest for coordhooks.hook; and set: $l this folder, $m a warning (one JSON document).
#
# The entry has set a trap: however this ends without becoming Python, an `exec` that fails included, the warning
# is printed and the call let through, for nobody may be locked out by an installation that is gone. Nothing here
# reads stdin or needs a PATH, and the usual case starts no process: sh becomes Python.
# -I -S: nothing of the project, the environment or site-packages is imported; -B: nothing is written, except for a
# plugin, whose modules are compiled into its data folder: that is where its interpreter is pinned.
o=$1 p=$1 r=$2
shift 2
[ -f "$r/coordhooks/hook.py" ] && [ -f "$l/boot.py" ] || exit 0

# Codex, unlike Claude Code with its `onFailure`, runs a tool whose hook has failed. So there sh stays, for the tools
# that write files, and turns whatever becomes of Python into a refusal: its own ends are 0 and 2.
guarded() {
    # What sh itself has to say, such as "Killed", would stand in front of the reason.
    { ("$@") 2>&3 3>&-; s=$?; } 3>&2 2>/dev/null
    case $s in
        0 | 2) ;;
        *) starts "$1" || return 0 # another one may
            refuse "its hook ended with $s" ;;
    esac
    trap - 0
    exit $s
}
# Stubs, shims, old ones and half removed ones show only when run; </dev/null keeps the payload for ours.
starts() {
    { "$1" -I -S -c 'import sys; sys.exit(sys.version_info < (3, 11))' </dev/null >/dev/null; t=$?; } 2>/dev/null
    return $t
}
refuse() {
    trap - 0
    echo "Not written: coordhooks could not check who holds this file ($1). Run \`coord doctor --fix\`, then try again." >&2
    exit 2
}
e=exec
look=
case $* in
    '--harness codex --event PreToolUse --class file') e=guarded ;;
    *'--event SessionStart' | *'--event UserPromptSubmit') look=1 ;;
esac
set -- "$l/boot.py" "$r" "$m" "$@"
c=${p%/env/bin/python3}/compiled
if [ -d "$c" ]; then set -- -X "pycache_prefix=$c" "$@"; else set -- -B "$@"; fi

# An interpreter that starts and dies, its library removed or broken, is taken for a refusal by a harness, and after an
# `exec` nobody is left to say otherwise. So the link to its library, which the installer has left beside it, tells whether
# to start it: that costs no process. Where time matters less, it is tried before, and the link is set to what was found.
s=${p%/bin/*}/stdlib
set_link() {
    { ln -sfn "$1" "$s" || /bin/ln -sfn "$1" "$s"; } >/dev/null 2>&1
    return 0
}
{ [ -L "$s" ] && [ ! -e "$s/encodings/__init__.py" ]; } ||
    { [ "$look" ] && ! starts "$p" && set_link /nowhere; } ||
    { [ -x "$p" ] && $e "$p" -I -S "$@"; }

# Any other will do, the hot path needs the standard library only. The pinned one comes first: its library may only have
# moved. /usr/bin comes after its like because on a bare macOS python3 there opens a dialog.
for p in "$o" python3 /opt/homebrew/bin/python3 /usr/local/bin/python3 /usr/bin/python3 \
    python3.14 python3.13 python3.12 python3.11; do
    starts "$p" || continue
    [ "$look$p" = "1$o" ] &&
        set_link "$("$p" -I -S -c 'import encodings, os; print(os.path.dirname(encodings.__path__[0]))' </dev/null)"
    $e "$p" -I -S "$@"
done
[ $e = exec ] || refuse "there is no Python 3.11 or newer to run its hook; install one"
m='{"systemMessage": "coordhooks found no Python 3.11 or newer, so NOTHING guards writes now. Install one; or remove the hooks: install.sh --uninstall, or the plugin."}'
exit 0
