#!/usr/bin/env bash
# Checks idle connections of HAProxy, and walks through a statement behind it, compressed and uncompressed. Then restarts
# one of two replicas several times under a steady load, and kills it. Installs Debian's haproxy if it is missing.
# Usage: deploy/haproxy/test.sh [restarts, 10] [requests a second, 100]
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! command -v haproxy >/dev/null; then
  echo 'haproxy is not installed: installing it with apt-get' >&2
  if ! { apt-get update -qq && apt-get install -y -qq --no-install-recommends haproxy >/dev/null; }; then
    echo 'haproxy could not be installed: it takes Debian, and root' >&2
    exit 2
  fi
fi
PATH="$PWD/node_modules/.bin:$PATH"
node deploy/haproxy/connections.ts
node deploy/haproxy/compression.ts
exec node deploy/haproxy/restarts.ts "$@"
