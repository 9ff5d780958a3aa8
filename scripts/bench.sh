#!/usr/bin/env bash
# Prints the numbers of docs/performance.md. Needs a quiet machine.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=bin/quartet
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "binary: $(stat -c %s "$bin" | awk '{printf "%.1f MB", $1/1e6}') stripped"
echo "example run (three runs):"
for _ in 1 2 3; do
	QUARTET_RUNS="$work" "$bin" run --json --demo examples/workflows/add-seat.yaml 2>/dev/null | tail -n 1 |
		sed -E 's/.*"status":"([a-z_]+)".*"steps":([0-9]+),"seconds":([0-9.]+),"tokens":\{"model":([0-9]+),"observation":([0-9]+)\}.*/  \1, \2 steps in \3 s, \5 tokens of page changes/'
done
echo "bus and journal, one step:"
go test ./bus -run '^$' -bench 'StepJournal' -benchtime 300x | grep -E 'Benchmark|ms' | sed 's/^/  /'
echo "start to first observation of a local page:"
go test ./internal/cli -run '^$' -bench 'FirstObservation' -benchtime 5x | grep -E 'Benchmark|ms' | sed 's/^/  /'
