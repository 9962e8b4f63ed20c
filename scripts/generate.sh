#!/bin/sh
# Regenerates the committed files that are derived from others:
#   modules/publicapi/openapi.json         from modules/publicapi/openapi.yaml, errors.yaml and examples.json
#   web/docs/templates/docs_errors.html    from modules/publicapi/errors.yaml
#   web/docs/reference.json                from modules/publicapi/openapi.json
#   web/docs/coloured.json                 from web/docs/recipes
#   mock_*_test.go                         from the interfaces of configs/mockery.yaml
#   web/docs/recipes/dbt/files.txt         from the files beside it
#   configs/deploy/notices.txt             from the licences of the modules in go.mod
set -eu
cd "$(dirname "$0")/.."

go run ./scripts/contract
(
	cd web/docs/recipes/dbt
	for file in dbt_project.yml profiles.yml models/schema.yml models/*.sql; do
		# a comment of the file's language, because people copy it into the file
		case $file in *.sql) printf -- '-- ' ;; *) printf '# ' ;; esac
		printf -- '---- %s\n' "$file"
		cat "$file"
	done >files.txt
)
# Removes mocks of removed interfaces, too.
find modules web -name 'mock_*_test.go' -delete
go tool -modfile=scripts/tools/go.mod mockery --config configs/mockery.yaml
scripts/notices.sh
