#!/usr/bin/env bash
# Installs Debian's Chromium, and a font, for the tests of the operations page. What is there already stays as it is.
set -euo pipefail
needed=(chromium fonts-dejavu-core)
dpkg --status "${needed[@]}" >/dev/null 2>&1 && exit
apt-get update
DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "${needed[@]}"
