#!/bin/sh
# enter.sh ROOT COMMAND…: runs a command in ROOT as its user `newcomer`, with nothing of this machine's environment. As root; the mounts and
# processes go with the command.
exec unshare --mount --pid --fork --kill-child sh -c '
mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" || exit 1
root=$1
shift
exec chroot --userspec=newcomer "$root" /usr/bin/env -i HOME=/home/newcomer USER=newcomer PATH=/usr/bin:/bin "$@"' enter "$@"
