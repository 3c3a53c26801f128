#!/usr/bin/env bash
# What the tests of the image need: bash .ci/image.sh FOLDER. Installs a Docker engine from Debian's packages, without starting
# it, and makes the image that the Dockerfile begins with as FOLDER/base.tar, because none can be pulled everywhere.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "${1:?the folder where the base image is to lie}"
folder="$(cd "$1" && pwd)"
repository="$PWD"

needed=(docker.io docker-compose debootstrap iptables iproute2)
if ! dpkg --status "${needed[@]}" >/dev/null 2>&1; then
  apt-get update
  # At runlevel 1 no service starts.
  RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "${needed[@]}"
fi

node="$(sed -n 's/^FROM node:\([0-9.]*\)-bookworm-slim.*/\1/p' Dockerfile | head -1)"
npm=11.19.1
mark="node $node npm $npm"
[[ -f "$folder/base.tar" && "$(cat "$folder/base.version" 2>/dev/null)" == "$mark" ]] && exit

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
root="$work/root"
mirror="$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(ORIGIN)' 'Created-By: Packages' |
  sed -n 's/ bookworm Debian$//p' | head -1)"
debootstrap --variant=minbase --include=busybox-static bookworm "$root" "$mirror"
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,locale}

machine="$(node --print process.arch)"
cd "$work"
npm pack --silent "node-linux-$machine@$node" "npm@$npm"
mkdir -p "$root/usr/local/lib/node_modules/npm"
tar --extract --gzip --file "node-linux-$machine-$node.tgz" --directory "$root/usr/local" --strip-components=1 package/bin/node
tar --extract --gzip --file "npm-$npm.tgz" --directory "$root/usr/local/lib/node_modules/npm" --strip-components=1
for name in npm npx; do
  chmod +x "$root/usr/local/lib/node_modules/npm/bin/$name-cli.js"
  ln -s "../lib/node_modules/npm/bin/$name-cli.js" "$root/usr/local/bin/$name"
done
chroot "$root" groupadd --gid 1000 node
chroot "$root" useradd --uid 1000 --gid node --shell /bin/bash --create-home node
# Whom this machine trusts.
mkdir -p "$root/etc/ssl/certs"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
tar --create --file "$folder/base.tar" --directory "$root" .
printf '%s\n' "$mark" >"$folder/base.version"
cd "$repository"
