#!/bin/sh
# Regenerates what is made from other files, and is committed:
#   modules/publicapi/openapi.json         from modules/publicapi/openapi.yaml, errors.yaml and examples.json
#   modules/publicapi/postman.json         from modules/publicapi/openapi.json
#   web/docs/templates/docs_errors.html         from modules/publicapi/errors.yaml
#   web/docs/reference.json                     from modules/publicapi/openapi.json
#   app/commands/notices.txt               from the licences of what go.mod names
set -eu
cd "$(dirname "$0")/.."

go run ./scripts/contract
go run ./scripts/contract/reference
scripts/notices.sh
