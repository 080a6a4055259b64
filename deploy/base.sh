#!/bin/sh
# Writes the root file system of the container (deploy/Containerfile) from Debian's packages: the libraries that Node needs, a
# shell and its basic tools, nothing that installs packages. Needs root and `apt-get install mmdebstrap`.
set -eu

file=${1:?Usage: deploy/base.sh FILE.tar [NAME OF A DEBIAN RELEASE]}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
packages=base-files,dash,coreutils,libatomic1,libstdc++6
mmdebstrap --quiet --variant=extract --include=$packages "${2:-trixie}" "$folder/root"

# Texts for people are a third of it; the licences stay.
cd "$folder/root"
rm -rf usr/share/man usr/share/info usr/share/locale var/cache/apt var/lib/apt
find usr/share/doc -type f ! -name copyright -delete
cd - >/dev/null
tar --sort=name --numeric-owner -C "$folder/root" --exclude='./dev/*' -cf "$file" .
