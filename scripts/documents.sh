#!/bin/sh
# Copies the packaged documents to a new folder under their paths, so that their links work.
# Copies only tracked files, because the folders may contain settings.
set -eu
target=$1
cd "$(dirname "$0")/.."
mkdir -p "$target"
files=$(git ls-files -- README.md LICENSE CHANGELOG.md CONTRIBUTING.md configs/deploy modules/publicapi/rules.md \
	modules/publicapi/openapi.yaml modules/publicapi/errors.yaml)
# shellcheck disable=SC2086 # no name has a blank
tar -cf - $files | tar -xf - -C "$target"
chmod -R u=rwX,go=rX "$target"
