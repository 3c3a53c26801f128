#!/usr/bin/env bash
# coverage.sh FOLDER: prints how much of the sources the quickest tests run, as `npm test -- --coverage=FOLDER/raw` collected it; where that
# is not there, it runs them. The flows and the suites with processes of their own are not counted. c8 comes with tap.
set -euo pipefail
mkdir -p "$1"
[[ -d "$1/raw" ]] || node test/dist/runner/main.js --coverage="$1/raw" spec test/dist/application/ >"$1/tests.log" ||
  tail -1 "$1/tests.log"
npx c8 report --temp-directory "$1/raw" --reports-dir "$1/report" --reporter text-summary \
  --exclude 'test/**' --exclude '**/*.spec.*' --exclude 'dist/**'
