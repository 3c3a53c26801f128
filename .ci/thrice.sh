#!/usr/bin/env bash
# Runs a command that fetches something, each time for so many seconds at most, and three times before it gives up:
# a download fails or stands still now and then. bash .ci/thrice.sh SECONDS COMMAND...
set -uo pipefail
seconds="${1:?so many seconds it may take}"
shift
child=
trap '[[ -z "$child" ]] || kill "$child" 2>/dev/null; exit 143' TERM INT
for try in 1 2 3; do
  timeout --kill-after=30 "$seconds" "$@" &
  child=$!
  wait "$child" && exit
  echo "Try $try of 3 failed: $*" >&2
  [[ "$try" == 3 ]] || sleep "$((try * 10))"
done
exit 1
