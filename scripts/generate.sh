#!/bin/sh
# Regenerates the committed files that are derived from others:
#   modules/publicapi/openapi.json         from modules/publicapi/openapi.yaml, errors.yaml and examples.json
#   modules/publicapi/postman.json         from modules/publicapi/openapi.json
#   web/docs/templates/docs_errors.html         from modules/publicapi/errors.yaml
#   web/docs/reference.json                     from modules/publicapi/openapi.json
#   app/commands/notices.txt               from the licences of the modules in go.mod
set -eu
cd "$(dirname "$0")/.."

go run ./scripts/contract
go run ./scripts/contract/reference
scripts/notices.sh
