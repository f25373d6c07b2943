#!/usr/bin/env bash
# Two replicas behind HAProxy under steady load: one is restarted again and again, then killed. Installs Debian's haproxy
# where there is none.
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
PATH="$PWD/node_modules/.bin:$PATH" exec node deploy/haproxy/restarts.ts "$@"
