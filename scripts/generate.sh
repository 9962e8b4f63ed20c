#!/bin/sh
# Regenerates what is made from other files, and is committed:
#   modules/publicapi/openapi.json         from modules/publicapi/openapi.yaml and errors.yaml
#   web/templates/docs_errors.html         from modules/publicapi/errors.yaml
#   modules/publicapi/client_gen_test.go   from modules/publicapi/openapi.json
#   app/notices.txt                        from the licences of what go.mod names
set -eu
cd "$(dirname "$0")/.."

go run ./scripts/contract
go tool -modfile=scripts/tools/go.mod oapi-codegen -config configs/oapi-codegen.yaml modules/publicapi/openapi.json
scripts/notices.sh
