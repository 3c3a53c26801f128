#!/usr/bin/env bash
# Runs what was built, without building it again, on the other versions of Node.js that are supported: the README's story and some
# tests, on 22 also the suites that depend on Node.js most: every adapter, the projector, the worker, logs of earlier versions.
#   bash .ci/nodes.sh FOLDER [FILE for the line of totals]
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "${1:?the folder where the versions are to lie}"
folder="$(cd "$1" && pwd)"
totals="${2:-$folder/totals}"

files=(
  standalone/story
  conformance/event-log.embedded
  conformance/queue.embedded
  flows/employees-put
  flows/imports.threads
  flows/imports.worker
  flows/invitations-get
  flows/managers-put
  flows/surveys
  cli/help
  house/release
)
part=()
for file in "${files[@]}"; do part+=("test/dist/$file.test.js"); done

outcome=0
passed=0 failed=0 skipped=0
# run VERSION SECONDS FILE...
run() {
  local bin report="$folder/report-$1" line
  bin="$(bash .ci/node.sh "$1" "$folder/$1")"
  echo "Node.js $("$bin/node" --version)"
  PATH="$bin:$PATH" timeout "$2" node test/dist/runner/main.js "${@:3}" | tee "$report" || outcome=1
  line="$(tail -n 1 "$report")"
  [[ "$line" =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]] || { outcome=1; return; }
  passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) skipped=$((skipped + BASH_REMATCH[3]))
}
TEST_SCALE=0.05 run 22 1200 "${part[@]}" \
  test/dist/{conformance,frozen,invitations,old-data,processes,projector,replay,worker}/ --without=.{servers,faults}.
run 20 1200 "${part[@]}"
[[ "$outcome" == 0 || "$failed" != 0 ]] || failed=1
echo "$passed passed, $failed failed, $skipped skipped" | tee -a "$totals"
exit "$outcome"
