#!/usr/bin/env bash
# gofmt, vet, staticcheck, the compose file, and the house rules that no
# linter knows. Exits non-zero at the first kind of finding.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { printf 'lint: %s\n' "$1" >&2; exit 1; }

unformatted=$(gofmt -l $(git ls-files '*.go'))
[ -z "$unformatted" ] || fail "not gofmt-clean: $unformatted"
go vet ./...
go tool -modfile=tools/go.mod staticcheck ./...
(cd tools && go run ./composecheck ../docker-compose.yml)

# Settling is event-driven: no sleeps outside tests (issue 2).
sleeps=$(git grep -nE 'time\.Sleep\(' -- '*.go' ':!*_test.go' || true)
[ -z "$sleeps" ] || fail "time.Sleep outside tests:
$sleeps"
# langchaingo's types stay behind internal/llm.
leaks=$(git grep -lE '"github.com/tmc/langchaingo' -- '*.go' ':!internal/llm/*' || true)
[ -z "$leaks" ] || fail "langchaingo outside internal/llm: $leaks"
# A test that skips can hide a missing part; they fail instead.
skips=$(git grep -nE '\bt\.Skip' -- '*_test.go' || true)
[ -z "$skips" ] || fail "skipped tests:
$skips"
# Agents meet on the bus only.
for agent in planner observer actor verifier vision; do
	for other in planner observer actor verifier vision; do
		[ "$agent" = "$other" ] && continue
		hit=$(git grep -lE "\"github.com/quartet-agents/quartet/$other\"" -- "$agent/*.go" "$agent/**/*.go" ':!*_test.go' || true)
		[ -z "$hit" ] || fail "$agent imports $other: $hit"
	done
done
echo "lint: clean"
