#!/bin/sh
# Regenerates what is made from other files, and is committed:
#   modules/publicapi/client_gen_test.go   from modules/publicapi/openapi.yaml
set -eu
cd "$(dirname "$0")/.."

go tool -modfile=scripts/tools/go.mod oapi-codegen -config configs/oapi-codegen.yaml modules/publicapi/openapi.yaml
