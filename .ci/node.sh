#!/usr/bin/env bash
# Installs a version of Node.js for this platform and prints the folder of its program: bash .ci/node.sh VERSION FOLDER
set -euo pipefail
version="${1:?the version}"
mkdir -p "${2:?the folder where it is to lie}"
folder="$(cd "$2" && pwd)"
# The package `node` itself only installs the one of this platform. It runs no script and needs no compiler.
package="node-$(node -p 'process.platform === "win32" ? "win" : process.platform')-$(node -p process.arch)"
bin="$folder/node_modules/$package/bin"
[[ -x "$bin/node" ]] ||
  bash "$(dirname "$0")/thrice.sh" 300 \
    npm install --prefix "$folder" --no-save --no-audit --no-fund --ignore-scripts "$package@$version" >&2
printf '%s\n' "$bin"
