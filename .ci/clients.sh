#!/usr/bin/env bash
# Puts what makes and runs generated clients into a folder: bash .ci/clients.sh FOLDER
# The generator, the packages of its Java client and a virtual environment with those of its Python client and of the log's
# verifier; its Go client needs none. What is there already stays as it is.
set -euo pipefail
cd "$(dirname "$0")/.."
requirements="$PWD/clients/python/requirements.txt" verifier="$PWD/clients/verifier/requirements.txt"
document="$PWD/clients/openapi.json"
mkdir -p "${1:?the folder where they are to lie}"
folder="$(cd "$1" && pwd)"
version=7.25.0

tools() {
  command -v javac && command -v mvn && return
  apt-get update
  apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends openjdk-17-jdk-headless maven
}

generator() {
  local artifact=org.openapitools:openapi-generator-cli
  [[ -f "$folder/generator-$version.jar" ]] && return
  mvn --quiet --batch-mode dependency:copy -Dartifact="$artifact:$version" -DoutputDirectory="$folder/fetched"
  mv "$folder/fetched/openapi-generator-cli-$version.jar" "$folder/generator-$version.jar"
}

# As the client's own pom.xml names them.
java_packages() {
  [[ -d "$folder/java-$version" ]] && return
  local work
  work="$(mktemp -d)"
  java -jar "$folder/generator-$version.jar" generate -g java -i "$document" -o "$work" >"$work.log" 2>&1 || { cat "$work.log"; exit 1; }
  mvn --quiet --batch-mode --file "$work/pom.xml" dependency:copy-dependencies -DincludeScope=compile -DoutputDirectory="$work/packages"
  mv "$work/packages" "$folder/java-$version"
  rm -rf "$work" "$work.log"
}

python_packages() {
  cmp -s <(cat "$requirements" "$verifier") "$folder/python/requirements.txt" && return
  python3 -m venv "$folder/python"
  "$folder/python/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements" --requirement "$verifier"
  cat "$requirements" "$verifier" >"$folder/python/requirements.txt"
}

tools
generator
java_packages
python_packages
