#!/usr/bin/env bash
# Unpacks Debian 13's C library into bench/.cache/libc, for Tailcall's binary on a Debian with an older version.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=.cache/apt
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
root=$(realpath "$work")
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Label: Debian' | sort -u | head -1)
keys=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$keys] $mirror trixie main" > "$root/sources.list"
own=(-o "Dir::Etc::SourceList=$root/sources.list" -o Dir::Etc::SourceParts=/dev/null
  -o "Dir::State::Lists=$root/lists" -o "Dir::Cache=$root/cache")
apt-get "${own[@]}" update -qq
(cd "$root" && apt-get "${own[@]}" download -qq libc6 libgcc-s1)
for package in "$root"/*.deb; do dpkg-deb -x "$package" .cache/libc.new; done
mv .cache/libc.new .cache/libc
rm -r "$root"
