# `make help` lists what there is to do.
TOOL := go tool -modfile=scripts/tools/go.mod
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# What scripts/postgres.sh downloads if no PostgreSQL is installed; tests run from folders where dg would not look.
export PG_BIN ?= $(shell [ -x .postgres/bin/postgres ] && echo $(CURDIR)/.postgres/bin)
# The race detector needs a C compiler; without one the tests run all the same.
RACE := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)

.PHONY: help run dev test chaos soak recipes check contract bench cluster mutations release generate build postgres readers

help: ## List the targets.
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/\1\t\2/' | expand -t 12

run: build postgres ## Load the demo into an empty database and serve: prints where to sign in and a curl line that works.
	bin/dg serve --demo

dev: build postgres ## Serve what the database holds, with all of the log.
	bin/dg --log-level debug serve

# Tests wait for processes more than they compute: six of a package at once.
test: postgres ## Run every test, on a real PostgreSQL and in a real Chromium.
	go test $(RACE) -parallel 6 -timeout 20m ./...

chaos: postgres ## Break things under load and push from outside, a quarter of an hour on two cores: see /docs/security (the tests run a cut of it).
	DG_CHAOS=1 go test -v -count=1 -timeout 30m ./app/chaos

soak: postgres ## Run the tests of the whole program at their large sizes: millions of plays, many minutes.
	DG_SOAK=1 go test -v -count=1 -p 1 -timeout 90m ./app/system ./app/chaos ./modules/publicapi ./modules/reports ./platform/postgres

recipes: postgres ## Run the recipes of /docs in every tool that is here (R, DuckDB and a parser of Power Query by npm, psql, pandas).
	DG_RECIPES=1 go test -v -count=1 -timeout 20m ./app/system -run 'TestRecipes|TestNightlySync'

check: ## Run the linters, look for known vulnerabilities, and see that what is generated is not stale.
	scripts/check.sh

bench: postgres ## Measure against the limits, in one table (BENCH_PLAYS=10000000: the large set; BENCH=day; BENCH_AGAINST=file: beside a saved run).
	go run ./scripts/bench

cluster: postgres ## Test replicas, pooler and failover on a cluster of PostgreSQL, PgBouncer and haproxy (KEEP=1: keep it up to try by hand).
	DG_CLUSTER=1 go test -v -count=1 -timeout $(if $(KEEP),0,30m) ./app/cluster -run TestCluster

mutations: postgres ## Break isolation and other rules in 46 places, one by one: a test must fail for each (ONLY=semantic, or a name).
	go run ./scripts/mutations $(if $(ONLY),"$(ONLY)")

readers: ## Read exports with pandas, readr, csvkit, papaparse, DuckDB and COPY, and compare types and sums (FILES="a.csv b.csv").
	scripts/readers/run.sh $(FILES)

contract: postgres ## Compile and run generated clients of the API, and compare its document with the last release (Node, Java).
	scripts/contract/clients/run.sh

release: ## Build archives, packages, SBOMs and checksums of the checked-out commit into dist/.
	scripts/release.sh

generate: ## Regenerate what is made from other files.
	scripts/generate.sh

build: ## Build bin/dg.
	go build -trimpath -ldflags "-s -w -X dg/app/commands.version=$(VERSION)" -o bin/dg ./app

postgres:
	@scripts/postgres.sh
