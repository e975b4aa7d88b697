#!/bin/sh
# Installs coordhooks for this user: finds a Python, the rest is coordhooks/install/bootstrap.py.
# POSIX sh only (dash, bash 3.2). See --help.
set -u

# Run by every candidate: stubs, shims and old ones show only this way. `-I` keeps the current folder out.
probe='import sys
if sys.version_info < (3, 11): sys.exit(1)
import json, hashlib, sqlite3, subprocess, venv
print("coordhooks: usable")'

usable() {
    # On a macOS without developer tools this one opens a dialog instead of running.
    if [ "$1" = /usr/bin/python3 ] && [ "$(uname)" = Darwin ]; then
        xcode-select -p >/dev/null 2>&1 || return 1
    fi
    [ "$("$1" -I -c "$probe" 2>/dev/null </dev/null)" = 'coordhooks: usable' ]
}

given=
wanted=
for argument do
    [ -z "$wanted" ] || given=$argument
    wanted=
    case $argument in
        --python) wanted=1 ;;
        --python=*) given=${argument#--python=} ;;
    esac
done

python=
if [ -n "$given" ]; then
    if ! usable "$given"; then
        printf '%s\n' "install.sh: $given is not a working Python 3.11 or newer with venv and sqlite3" >&2
        exit 1
    fi
    python=$given
else
    for candidate in "${PYTHON:-}" python3.14 python3.13 python3.12 python3.11 python3 python \
        /usr/bin/python3 /usr/local/bin/python3 /opt/homebrew/bin/python3; do
        if [ -n "$candidate" ] && usable "$candidate"; then
            python=$candidate
            break
        fi
    done
fi
if [ -z "$python" ]; then
    echo 'install.sh: found no Python 3.11 or newer (with venv and sqlite3). Install one, or name it: --python PATH' >&2
    exit 1
fi

# -B: nothing is written into the checkout, which is where this file really is, whatever link it was started by.
exec "$python" -I -B -c 'import os, sys
checkout = os.path.dirname(os.path.realpath(sys.argv[1]))
sys.path.insert(0, checkout)
from coordhooks.install.bootstrap import main
sys.exit(main(checkout, sys.argv[2:]))' "$0" "$@"
