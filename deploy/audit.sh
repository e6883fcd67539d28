#!/bin/sh
# Runs tattle audit with the given flags or, without any, with those in TATTLE_ARGS, as a shell reads them. Writes audit.sarif,
# audit.md and audit.xml into the folder TATTLE_RESULTS (default: tattle-results). Ends with the exit status of the audit.
#
# The program is TATTLE, or tattle on the path, or is built with Go from the source in TATTLE_SOURCE (default: the project
# that this file is part of).
set -eu
words=
if [ $# = 0 ]; then
	words=$(printf '%s' "${TATTLE_ARGS:-}" | xargs printf '%s') || exit 2 # GNU's xargs runs what stands before an open quote
fi
if [ -n "$words" ]; then
	ended=$(mktemp)
	trap 'rm -f "$ended"' EXIT
	# xargs takes quotes off, runs nothing that is in the text, and has exit statuses of its own
	printf '%s' "$TATTLE_ARGS" | xargs sh -c 'status=0; sh "$@" || status=$?; echo "$status" >"$0"' "$ended" "$0" || true
	read -r status <"$ended" || status=2
	exit "$status"
fi
program=${TATTLE:-$(command -v tattle || true)}
if [ -z "$program" ]; then
	source=${TATTLE_SOURCE:-$(dirname "$0")/..}
	if ! grep -qx 'module tattle' "$source/go.mod" 2>/dev/null || ! command -v go >/dev/null; then
		echo "audit.sh: tattle is not here: set TATTLE to the program, or TATTLE_SOURCE to its source and install Go" >&2
		exit 2
	fi
	program=$(mktemp -d)/tattle
	(cd "$source" && CGO_ENABLED=0 go build -trimpath -o "$program" ./cmd/tattle) >&2 || exit 2
fi
results=${TATTLE_RESULTS:-tattle-results}
mkdir -p "$results"
exec "$program" audit --sarif "$results/audit.sarif" --markdown "$results/audit.md" --junit "$results/audit.xml" --out "$results/run" "$@"
