#!/usr/bin/env bash
# Makes the certificates of the tests anew: an authority, and a server's that it has issued for this machine's loopback.
set -euo pipefail
cd "$(dirname "$0")"
authority="$(mktemp)"
trap 'rm -f "$authority" server.csr' EXIT
openssl req -x509 -newkey rsa:2048 -nodes -days 36500 -subj '/CN=rollcall test authority' \
  -addext 'basicConstraints=critical,CA:TRUE' -keyout "$authority" -out issued-ca.crt
openssl req -new -newkey rsa:2048 -nodes -subj '/CN=rollcall test node' -keyout issued.key -out server.csr
openssl x509 -req -in server.csr -CA issued-ca.crt -CAkey "$authority" -set_serial 1 -days 36500 \
  -extfile <(printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE') -out issued.crt
