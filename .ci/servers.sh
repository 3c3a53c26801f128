#!/usr/bin/env bash
# Puts the servers that the suites `*.servers.test` run against into a folder: bash .ci/servers.sh FOLDER
# Needs Go. What is there already stays as it is. The EventStoreDB stand-in is part of the tests and needs nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
repository="$PWD"
mkdir -p "${1:?the folder where the servers are to lie}"
folder="$(cd "$1" && pwd)"
export PATH="$PATH:/usr/local/go/bin" CGO_ENABLED=0 GOTOOLCHAIN=local

# Without Go, or where it cannot be built, the distribution's: on the PATH the suites find it too.
nats() {
  local version=v2.15.2 program="$folder/nats-server"
  [[ -x "$program" && "$("$program" --version)" == *"$version" ]] && return
  GOBIN="$folder" go install -trimpath "github.com/nats-io/nats-server/v2@$version" && return
  command -v nats-server && return
  apt-get update
  # The image's packages may be on their way at the same time.
  apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends nats-server
}

# FerretDB speaks MongoDB's wire protocol; its data lies in SQLite, which is part of the program. As released it looks for
# a document and writes it in two steps and ends a command at its first duplicate key; with the patch both are as in
# MongoDB, and the index on _id is used. It is named apart, so that no other FerretDB is taken for it.
ferretdb() {
  local version=v1.24.2 program="$folder/rollcall-ferretdb" patch="$repository/test/servers/ferretdb.patch"
  local mark="$version $(sha256sum "$patch" | cut -c1-16)"
  [[ -x "$program" && "$(cat "$program.version" 2>/dev/null)" == "$mark" ]] && return
  local source work
  source="$(go mod download -json "github.com/FerretDB/FerretDB@$version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')"
  work="$(mktemp -d)"
  cp -R "$source/." "$work"
  chmod -R u+w "$work"
  (
    cd "$work"
    # The patch stands in no work tree: Git takes the paths as they are.
    GIT_CEILING_DIRECTORIES="$(dirname "$work")" git apply "$patch"
    printf '%s\n' "$version" >build/version/version.txt
    go build -trimpath -o "$program" ./cmd/ferretdb
  )
  rm -rf "$work"
  printf '%s\n' "$mark" >"$program.version"
}

nats
ferretdb
