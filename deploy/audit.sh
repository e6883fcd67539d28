#!/bin/sh
# Runs tattle audit with the given flags, and writes audit.sarif, audit.md and audit.xml into the
# folder TATTLE_RESULTS (default: tattle-results). Ends with the exit status of the audit.
set -eu
results=${TATTLE_RESULTS:-tattle-results}
mkdir -p "$results"
exec "${TATTLE:-tattle}" audit --sarif "$results/audit.sarif" --markdown "$results/audit.md" --junit "$results/audit.xml" --out "$results/run" "$@"
