#!/usr/bin/env bash
# Makes a virtual environment with the generator of the Python client: bash .ci/python.sh FOLDER. What is there already stays as it is.
set -euo pipefail
folder="${1:?the folder where the environment is to lie}"
wanted="$(cd "$(dirname "$0")/.." && pwd)/clients/python/requirements.txt"
cmp -s "$wanted" "$folder/requirements.txt" && exit
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted"
cp "$wanted" "$folder/requirements.txt"
