#!/bin/sh
# Copies the documents that operators and callers get into a new folder, in their places: their links lead where they do here.
# Only files that git has: a folder may hold settings.
set -eu
target=$1
cd "$(dirname "$0")/.."
mkdir -p "$target"
files=$(git ls-files -- README.md LICENSE CHANGELOG.md CONTRIBUTING.md configs/deploy modules/publicapi/rules.md \
	modules/publicapi/openapi.yaml modules/publicapi/errors.yaml)
# shellcheck disable=SC2086 # no name has a blank
tar -cf - $files | tar -xf - -C "$target"
chmod -R u=rwX,go=rX "$target"
