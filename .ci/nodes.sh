#!/usr/bin/env bash
# Runs what was built, without building it again, on the other versions of Node.js that are supported:
# the README's story from `npm start` on, and a part of the tests, native packages included. About a minute for each.
#   bash .ci/nodes.sh FOLDER [FILE for the line of totals]
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "${1:?the folder where the versions are to lie}"
folder="$(cd "$1" && pwd)"
totals="${2:-$folder/totals}"
versions=(20 22 24)

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
)
tests=()
for file in "${files[@]}"; do tests+=("test/dist/$file.test.js"); done

# The package `node` itself only installs the one of this platform. It runs no script and needs no compiler.
package="node-$(node -p 'process.platform === "win32" ? "win" : process.platform')-$(node -p process.arch)"
own="$(node -p 'process.versions.node.split(".")[0]')"
outcome=0
passed=0 failed=0 skipped=0
for version in "${versions[@]}"; do
  [[ "$version" == "$own" ]] && continue
  place="$folder/$version"
  bin="$place/node_modules/$package/bin"
  [[ -x "$bin/node" ]] ||
    bash .ci/thrice.sh 300 npm install --prefix "$place" --no-save --no-audit --no-fund --ignore-scripts "$package@$version"
  echo "Node.js $("$bin/node" --version)"
  report="$place/report"
  PATH="$bin:$PATH" timeout 1200 node test/dist/runner/main.js "${tests[@]}" | tee "$report" || outcome=1
  line="$(tail -n 1 "$report")"
  [[ "$line" =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]] || { outcome=1; continue; }
  passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) skipped=$((skipped + BASH_REMATCH[3]))
done
[[ "$outcome" == 0 || "$failed" != 0 ]] || failed=1
echo "$passed passed, $failed failed, $skipped skipped" | tee -a "$totals"
exit "$outcome"
