#!/bin/sh
# Lints the OpenAPI document with Spectral and Redocly. Any error or warning of either fails.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
document=$root/modules/publicapi/openapi.json

# Redocly must not send usage data or look for updates.
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true

# npm leaves a copy of the lock file in node_modules; a newer lock file means that the tools have changed.
installed=$here/node_modules/.package-lock.json
if [ ! -f "$installed" ] || [ "$here/package-lock.json" -nt "$installed" ]; then
	(cd "$here" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
	touch "$installed"
fi

bin=$here/node_modules/.bin
"$bin/spectral" lint --ruleset "$root/configs/spectral.yaml" --fail-severity=hint "$document"
"$bin/redocly" lint --config "$root/configs/redocly.yaml" --lint-config=error "$document"
