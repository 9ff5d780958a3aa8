# Quartet. `make help` lists the targets.
SHELL   := /bin/bash
GO      ?= go
BIN     := bin/quartet
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X github.com/quartet-agents/quartet/internal/cli.version=$(VERSION)
FLOW    ?= examples/workflows/add-seat.yaml

.PHONY: help run build setup test lint test-go bench bench-observe bench-act docs clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: setup build ## bring what is missing, build, run the example workflow (FLOW=file for another)
	$(BIN) run --demo $(FLOW)

build: ## build bin/quartet
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/quartet

setup: ## install Chromium, tesseract and fonts where they are missing
	@scripts/setup.sh run

test: ## everything CI runs: setup, lint, all tests with the race detector
	@scripts/setup.sh test
	@$(MAKE) --no-print-directory lint test-go

lint: ## gofmt, vet, staticcheck, the compose file, house rules
	@scripts/lint.sh

# GORACE: a program with the race detector sleeps for a second at its end unless told.
test-go: ## all Go tests with -race, one package at a time: each has a browser or more
	GORACE="atexit_sleep_ms=0 $$GORACE" $(GO) test -race -p 1 -timeout 14m ./...

bench: build ## the numbers of docs/performance.md
	@scripts/bench.sh

bench-observe: build ## observations beside Playwright's: tokens, diffs, time (APG_DIR, OBSERVE_PAGES: more pages)
	cd bench/observe && npm install --ignore-scripts --no-audit --no-fund --silent && node run.mjs

bench-act: build ## a form of 20 verified steps beside @playwright/mcp's unverified ones: time, tokens
	cd bench/act && npm install --ignore-scripts --no-audit --no-fund --silent && node run.mjs

docs: build ## write docs/cli.md from the commands
	$(BIN) docs --dir docs

clean: ## remove build products
	rm -rf bin
