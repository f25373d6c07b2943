#!/usr/bin/env bash
# Two replicas behind HAProxy under steady load: one is restarted ten times, then killed. Needs Debian's haproxy package.
# Usage: deploy/haproxy/test.sh [requests a second]
set -euo pipefail
cd "$(dirname "$0")/../.."

command -v haproxy >/dev/null || { echo 'haproxy is not installed: apt-get install haproxy' >&2; exit 2; }
PATH="$PWD/node_modules/.bin:$PATH" exec node deploy/haproxy/restarts.ts "$@"
