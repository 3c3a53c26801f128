#!/usr/bin/env bash
# Prints which dependencies are outdated and what `npm audit` says of those in production. For a weekly schedule; never fails.
set -uo pipefail
cd "$(dirname "$0")/.."
for command in 'npm outdated' 'npm audit --omit=dev'; do
  echo "== $command"
  # Both commands end with an error where they find something, and where the registry has no audit.
  timeout 120 $command 2>&1 | grep -v '^npm \(warn\|verbose\)' || true
done
exit 0
