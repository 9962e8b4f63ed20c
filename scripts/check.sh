#!/bin/sh
# Everything that can be said of the code without running it. Exits non-zero at the first finding.
set -eu
cd "$(dirname "$0")/.."

say() { printf '\n== %s\n' "$1"; }

say "formatting"
unformatted=$(git ls-files '*.go' | xargs gofmt -l)
[ -z "$unformatted" ] || { echo "run gofmt -w on:"; echo "$unformatted"; exit 1; }

say "vet, also as a Mac would build it"
go vet ./...
GOOS=darwin GOARCH=arm64 go vet ./...

say "modules are tidy"
go mod tidy -diff
(cd scripts/tools && go mod tidy -diff)

say "golangci-lint"
go tool -modfile=scripts/tools/go.mod golangci-lint run --config configs/golangci.yaml

say "the API's document"
scripts/contract/lint.sh

say "what is generated is not stale"
generated() {
	# shellcheck disable=SC2046 # a list of names
	cksum modules/publicapi/openapi.json web/templates/docs_errors.html modules/publicapi/client_gen_test.go app/notices.txt \
		$(find modules web -name 'mock_*_test.go' | sort)
}
before=$(generated)
scripts/generate.sh
[ "$before" = "$(generated)" ] || { echo "run make generate and commit"; exit 1; }
