#!/usr/bin/env bash
# Puts the programs that check `deploy` into a folder: bash .ci/tools.sh FOLDER
# promtool, nginx and caddy are Debian's, unpacked and not installed; what reads the Kubernetes manifests is built with Go.
# What is there already stays as it is.
set -euo pipefail
cd "$(dirname "$0")/.."
repository="$PWD"
mkdir -p "${1:?the folder where the programs are to lie}"
folder="$(cd "$1" && pwd)"
export PATH="$PATH:/usr/local/go/bin" CGO_ENABLED=0 GOTOOLCHAIN=local

unpacked() {
  local package="$1" program="$2"
  [[ -x "$folder/$program" ]] && return
  local work
  work="$(mktemp -d)"
  (cd "$work" && apt-get download "$package" && dpkg-deb --extract ./*.deb files)
  cp "$work/files/usr/"*bin/"$program" "$folder/$program"
  rm -rf "$work"
}

manifests() {
  local source="$repository/.ci/manifests/main.go"
  cmp -s "$source" "$folder/check-manifests.go" && return
  (cd "$repository/.ci/manifests" && go build -trimpath -o "$folder/check-manifests" .)
  cp "$source" "$folder/check-manifests.go"
}

if ! apt-cache show prometheus >/dev/null 2>&1; then apt-get update; fi
unpacked prometheus promtool
unpacked nginx nginx
unpacked caddy caddy
manifests
