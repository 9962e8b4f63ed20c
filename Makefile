# `make help` lists the targets.
TOOL := go tool -modfile=scripts/tools/go.mod
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# The PostgreSQL that scripts/postgres.sh downloads. Tests run from other folders and need its path.
export PG_BIN ?= $(shell [ -x .postgres/bin/postgres ] && echo $(CURDIR)/.postgres/bin)
# `make test RACE=-race`, as CI runs it, looks for data races. It needs a C compiler, and compiles all packages again.
RACE ?=

.PHONY: help run test chaos soak check contract contract-tools bench release generate build postgres

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-16s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build postgres ## Serve the demo; prints accounts, a key and a curl command.
	bin/dg serve --demo

# Tests mostly wait for processes, so six tests of a package run at once. The packages of UNRACED need no race detector:
# screens and most modules start no goroutines, app/assembly drives the screens under the detector, and app/system and
# app/chaos drive processes. They run after the others, whose clocks they would disturb, the slowest first.
UNRACED := dg/app/system dg/app/chaos dg/app dg/app/demo dg/app/otherprogram \
	$(filter dg/web% %/browsertest %/configs %/doctor %/authz %/config %/format %/input %/netaddr %/segment \
	%/audit %/games %/identity %/importer %/org %/tenant, $(shell go list ./...))
test: postgres ## Run every test, on a real PostgreSQL and in a real Chromium.
	@passed=true; \
	go test $(RACE) -parallel 6 -timeout 20m $(filter-out $(UNRACED),$(shell go list ./...)) || passed=false; \
	go test -parallel 6 -timeout 20m $(UNRACED) || passed=false; $$passed

chaos: postgres ## Kill the database under load, break imports off, send hostile clients; minutes (`make test` runs a short version).
	DG_CHAOS=1 go test -v -count=1 -timeout 30m ./app/chaos

soak: postgres ## Run the tests at their large sizes: millions of plays, many minutes.
	DG_SOAK=1 go test -v -count=1 -p 1 -timeout 90m ./app/system ./app/chaos ./modules/publicapi ./modules/reports ./platform/postgres

check: ## Run linters, and find known vulnerabilities and stale generated files.
	scripts/check.sh

bench: postgres ## Compare with baselines of this machine (BENCH_PLAYS=10000000; BENCH=export or duckdb).
	go run ./scripts/bench

contract: postgres ## Run the programs of /docs, generated clients, schemathesis and the screens in other engines (Node, Java).
	scripts/contract/clients/run.sh
	scripts/engines.sh
	scripts/contract/schemathesis.sh & scripts/contract/table.sh; table=$$?; wait $$! && exit $$table

contract-tools: postgres ## Run the recipes of tools in the tools, or check them (Python, psql; from PyPI and npm).
	scripts/contract/tools/run.sh

release: ## Build archives, packages, SBOMs and checksums of the checked-out commit into dist/.
	scripts/release.sh

generate: ## Regenerate derived files.
	scripts/generate.sh

build: ## Build bin/dg.
	go build -trimpath -ldflags "-s -w -X dg/app/commands.version=$(VERSION)" -o bin/dg ./app

postgres:
	@scripts/postgres.sh
