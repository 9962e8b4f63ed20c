#!/bin/sh
# Copies the documents that operators and callers get into a new folder, in their places: their links lead where they do here.
set -eu
target=$1
cd "$(dirname "$0")/.."
mkdir -p "$target"
tar -cf - README.md LICENSE CHANGELOG.md CONTRIBUTING.md configs/deploy modules/publicapi/rules.md \
	modules/publicapi/openapi.yaml modules/publicapi/errors.yaml | tar -xf - -C "$target"
chmod -R u=rwX,go=rX "$target"
