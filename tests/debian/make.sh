#!/bin/sh
# make.sh ROOT [PACKAGE…]: a fresh Debian in the new folder ROOT, with these packages besides what the installer needs, and a user
# `newcomer`. As root, with debootstrap; takes two or three minutes.
set -eu
# What debootstrap mounts in ROOT goes with this script, however that ends: removing ROOT must not reach /proc.
[ -n "${COORDHOOKS_MOUNTS_APART-}" ] || COORDHOOKS_MOUNTS_APART=1 exec unshare --mount sh "$0" "$@"
root=$1
shift
debootstrap --variant=minbase bookworm "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
# debootstrap itself can't resolve what `npm` needs.
chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends \
    ca-certificates git python3 python3-venv "$@"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
cat /etc/ssl/certs/ca-certificates.crt > "$root/etc/ssl/certs/ca-certificates.crt" # a proxy may have its own
chroot "$root" useradd --create-home newcomer
