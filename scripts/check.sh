#!/bin/sh
# Runs the static checks. Exits non-zero at the first finding.
set -eu
cd "$(dirname "$0")/.."

say() { printf '\n== %s\n' "$1"; }

say "formatting"
unformatted=$(git ls-files '*.go' | xargs gofmt -l)
[ -z "$unformatted" ] || { echo "run gofmt -w on:"; echo "$unformatted"; exit 1; }

say "types as on a Mac, from source: a compilation for it would take minutes"
gopackages=$(go tool -modfile=scripts/tools/go.mod -n gopackages)
packages=$(GOOS=darwin GOARCH=arm64 "$gopackages" -mode=allsyntax -test ./...)
if echo "$packages" | grep -E '^\s(\S+:[0-9]+:[0-9]+: |has an error)'; then exit 1; fi

say "modules are tidy"
go mod tidy -diff
(cd scripts/tools && go mod tidy -diff)

say "golangci-lint"
go tool -modfile=scripts/tools/go.mod golangci-lint run --allow-parallel-runners --config configs/golangci.yaml

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

say "known vulnerabilities"
go build -buildvcs=false -o "$copy/dg" ./app
scripts/vulnerabilities.sh "$copy/dg"

say "the API's document"
scripts/contract/lint.sh

say "what is generated is not stale"
# Generates in a copy, because tests may build from these files at the same time.
git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -xf - -C "$copy"
"$copy/scripts/generate.sh"
for file in modules/publicapi/openapi.json web/docs/templates/docs_errors.html configs/deploy/notices.txt \
	web/docs/reference.json web/docs/coloured.json web/docs/recipes/dbt/files.txt $(git ls-files 'modules/**/mock_*_test.go' 'web/**/mock_*_test.go'); do
  cmp "$file" "$copy/$file" || { echo "run make generate and commit"; exit 1; }
done
