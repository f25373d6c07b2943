#!/usr/bin/env bash
# Builds the image and tests it, as root. Needs Debian's podman, runc and debootstrap, but no container engine or image
# registry: a substitute for the base image is built from Debian's packages and npm's Node.js. With PULL=1 the real one is
# used. Images are stored in a cache folder, not in the user's container storage.
set -euo pipefail
cd "$(dirname "$0")/../.."

runtime=$(command -v runc || command -v crun || true)
if ! command -v podman >/dev/null || [ -z "$runtime" ] || { [ "${PULL:-0}" != 1 ] && ! command -v debootstrap >/dev/null; }; then
  echo 'SKIPPED, the image is neither built nor run: this takes podman, runc and debootstrap (apt-get install them)'
  exit 0
fi

storage="${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/account-bff/containers"
work=$(mktemp -d)
cat >"$work/podman" <<EOF
#!/bin/sh
exec $(command -v podman) --root '$storage' --runroot '$storage/run' --cgroup-manager cgroupfs --runtime '$runtime' --log-level error "\$@"
EOF
chmod +x "$work/podman"
PATH="$work:$PWD/node_modules/.bin:$PATH"
# A failed run may leave its container behind.
trap 'podman rm --all --force --time 0 >/dev/null; rm -rf "$work"' EXIT

base=$(sed -n 's/^FROM \(\S*\) AS base$/\1/p' Dockerfile)

# The parts of the official image's layout that the Dockerfile needs.
make_base() {
  local root="$work/base" npm
  npm=$(PATH="${PATH//$PWD\/node_modules\/.bin:/}" npm root --global --loglevel=error)/npm
  debootstrap --variant=minbase bookworm "$root" >"$work/debootstrap.log" || { cat "$work/debootstrap.log"; return 1; }
  rm -rf "$root"/usr/share/{doc,man,locale} "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/*
  chroot "$root" useradd --uid 1000 --create-home node
  mkdir -p "$root/usr/local/lib/node_modules" "$root/usr/local/etc"
  install node_modules/node/bin/node "$root/usr/local/bin/node"
  cp -r "$npm" "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  # The container needs the certificate authorities of this machine too, for the package registry.
  if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
    install -D /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
    echo 'cafile=/etc/ssl/certs/ca-certificates.crt' >"$root/usr/local/etc/npmrc"
  fi
  tar --create --directory "$root" . | podman import --quiet - "$base" >/dev/null
}

SECONDS=0
if [ "${PULL:-0}" = 1 ]; then podman pull --quiet "$base" >/dev/null; fi
podman image exists "$base" || make_base
echo "base image: $base, after $SECONDS s"
# Builds the image NAME from FOLDER, and prints the digest of its OCI form. Podman notes names of its own in the history,
# which is left out, and in Docker's form, which has the health check.
build() {
  podman build --quiet --format docker --no-cache --timestamp 0 --omit-history --pull-never --network host \
    --isolation chroot --tag "$1" "$2" >/dev/null
  podman push --quiet --format oci --digestfile "$work/digest" "$1" "dir:$work/pushed"
  cat "$work/digest"
}

SECONDS=0
digest=$(build account-bff .)
echo "built in $SECONDS s: $digest"
SECONDS=0
mkdir "$work/clone"
git ls-files -z --cached --others --exclude-standard Dockerfile .dockerignore .npmrc package.json package-lock.json \
  LICENSE schema src explorer/built deploy/image |
  xargs -0 cp --parents --target-directory "$work/clone"
again=$(build account-bff-again "$work/clone")
if [ "$again" != "$digest" ]; then
  echo "FAILED: a build in another folder has the digest $again"
  exit 1
fi
echo "built again in another folder in $SECONDS s: the same digest"
node deploy/image/run.ts account-bff "$base"
podman image rm account-bff-again >/dev/null
podman image prune --force >/dev/null
